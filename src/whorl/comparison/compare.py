"""``whorl.compare``: two documents. ``whorl.compare_all``: a class, in the winnowing paper's steps (section 5.2)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.candidates import CandidatePairs, Estimates, estimates
from whorl.comparison.evidence.finding import SubmissionTexts
from whorl.comparison.evidence.findings import TraceReader, find, submission_texts
from whorl.comparison.intake import (
    ReadSubmission,
    SpillBuffer,
    SubmissionIntake,
    SubmissionReader,
    common_languages,
    count_files,
)
from whorl.comparison.layouts import NONE, RosterRecord, course_exports, find_layouts
from whorl.comparison.listing import Listing, clusters, groups, histogram, identical_groups
from whorl.comparison.result import Comparison, NormalForms, Pair, Run, Submission
from whorl.comparison.roster import anonymise, anonymise_skipped, read_roster, records_of, shown_names
from whorl.comparison.settings import Settings, scheme_for
from whorl.comparison.verification import PairVerifier, backgrounds
from whorl.comparison.weights import ClassWeights, Forms, NormalWeights, build_postings
from whorl.engine.cache import ReadCache
from whorl.engine.documents import read_whole
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.errors import InputError
from whorl.formats.reading import CODE
from whorl.matching.chains import sample
from whorl.matching.evidence import evidence, sift
from whorl.matching.likeness import ComparedDocument, Likeness, likeness
from whorl.matching.passage import Lines
from whorl.matching.score import ScorePart, make_part
from whorl.model import Document, Hashes, Skipped
from whorl.sandbox import Sandbox, default_sandbox
from whorl.scheme import Scheme, resolve


def compare(
    left: str | Path | bytes | Document,
    right: str | Path | bytes | Document,
    scheme: Scheme | str = "text",
    *,
    deep: bool = False,
    summaries: bool = False,
) -> Likeness:
    """Compare two documents: strings are texts, paths are files, bytes are decoded.

    Two documents do not show which fingerprints are rare, so all have the same weight. ``deep`` also finds edited
    passages of prose; ``summaries``, with ``deep``, passages summarised from a long text.
    """
    scheme = resolve(scheme)
    if summaries and not deep:
        raise InputError("summaries: only the deep pass finds them; add deep")
    if deep:
        from whorl.matching.deep.likeness import Prose, check_prose, deep_likeness  # programs are compared without
        from whorl.matching.deep.words import words

        check_prose(scheme)
    sides = _read(left, scheme), _read(right, scheme)
    totals = [len(distinct(document.evidence.hashes)) for document, _ in sides]

    def weigh(shared: Hashes) -> ScorePart:
        return make_part(scheme.symbols or "symbols", len(shared), *totals)

    if not deep:
        return likeness(sides[0][0], sides[1][0], scheme, weigh)
    prose = [Prose(document, words([text], [document.evidence])) for document, text in sides]
    return deep_likeness(prose[0], prose[1], scheme, weigh, summarised=summaries)


def _read(document: str | Path | bytes | Document, scheme: Scheme) -> tuple[ComparedDocument, str]:
    """Read a document for matching, and its text."""
    if not isinstance(document, Document):
        document = Document(str(document) if isinstance(document, Path) else "", document)
    whole = read_whole(document, scheme.with_key(Key.PUBLIC.id), Key.PUBLIC)
    file = evidence(sift(whole.stream, whole.fingerprints, None))
    return ComparedDocument(file, [document.name], [Lines(whole.text)]), whole.text


T = TypeVar("T")

# Submissions whose traces workers read: for fewer, they take longer to begin.
MANY = 64

# Called with the stage, the number of finished items, and their total if it is known.
Progress = Callable[[str, int, int | None], object]


def _ignored(_stage: str, _done: int, _total: int | None) -> None:
    """Show no progress."""


def compare_all(
    paths: Path | str | Iterable[Path | str],
    scheme: Scheme | str | None = None,
    *,
    base: Path | str | Iterable[Path | str] = (),
    archive: Path | str | Iterable[Path | str] = (),
    roster: Path | str | None = None,
    progress: Progress | None = None,
    cache: ReadCache | None = None,
    **settings: Any,
) -> Comparison:
    """Compare all submissions with each other. Every child of the paths is one: a file, a folder or an archive.

    The default scheme is ``code`` if at least half of the submissions are programs, else ``text``. ``base`` is starter
    code: anything found in it is ignored. Submissions in ``archive`` are compared with the new ones, not with each
    other. ``roster`` is a CSV file with names, people, labels and dates. Exports of course systems are recognised, and
    two submissions of one person are not compared. Files in ``cache`` are not read again. The other settings are those
    of ``Settings``.
    """
    with nullcontext() if cache is None else cache:
        return Comparing(scheme, Settings(**settings), progress, cache).run(
            paths_of(paths), paths_of(base), paths_of(archive), {} if roster is None else read_roster(Path(roster))
        )


class Comparing:
    """The steps of a comparison. The Spark backend overrides those that run on many machines."""

    def __init__(
        self,
        scheme: Scheme | str | None,
        settings: Settings,
        progress: Progress | None = None,
        cache: ReadCache | None = None,
    ) -> None:
        self._scheme, self._settings, self._cache = scheme, settings, cache
        self._progress: Progress = progress or _ignored
        self._text: Callable[[int, int], str]
        self._base: list[SubmissionTexts] = []

    def run(
        self, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path], roster: Mapping[str, RosterRecord]
    ) -> Comparison:
        """Run all steps."""
        if not paths:
            raise InputError("nothing to compare: name a folder, an archive or files")
        scheme = scheme_for(paths, self._settings) if self._scheme is None else resolve(self._scheme)
        if self._settings.deep:
            from whorl.matching.deep.likeness import check_prose  # programs are compared without it

            check_prose(scheme)
        settings, normal = self._settings, self._settings.normal_form and scheme.frontend == CODE
        named = paths
        if settings.layout != NONE:
            paths = [export for path in paths for export in course_exports(path, settings.rules)]
        layouts, recognised = find_layouts(paths, archive, settings.rules, settings.layout)
        reader = SubmissionReader(
            scheme, Key.PUBLIC, settings.rules, settings.threads, settings.format, normal, layouts, self._cache
        )
        entries, skipped = self._read_in_common_languages(reader, paths, base, archive)
        records, missing = records_of(entries, roster, layouts)
        skipped = skipped + missing
        if self._settings.anonymise:
            entries, records = anonymise(entries, records)
            skipped = anonymise_skipped(skipped, entries)
            recognised = tuple(each._replace(path="") for each in recognised)
        for entry in entries:
            entry.person = records.get(entry.name, RosterRecord()).person
        identical = tuple(identical_groups(entries))
        candidates, weights = self._candidates(entries, scheme, identical)
        ranked, if_long = candidates.ranked()
        submissions = tuple(
            _submission(name, entry, records.get(entry.name, RosterRecord()), settings)
            for name, entry in zip(shown_names(entries, records), entries, strict=True)
        )
        traces = TraceReader(self._texts(submissions, entries), self._cache, self._workers(scheme, entries))
        verified = _verified(self._pairs(ranked, if_long, entries, scheme, weights), traces)
        listing = Listing(settings, scheme, lambda numbers: self._texts_of(numbers, submissions, entries))
        pairs, beyond = listing.pairs(verified, candidates.representative)
        return Comparison(
            scheme=scheme,
            submissions=submissions,
            pairs=pairs,
            clusters=clusters(candidates.links(verified), ((pair.left, pair.right) for pair in pairs)),
            groups=groups(pairs, submissions),
            skipped=tuple(skipped),
            threshold=self._settings.least,
            measure=self._settings.measure,
            scores=histogram(candidates.histogram, ranked, verified, scheme),
            omitted=candidates.reached - len(ranked) + beyond,
            compared=_compared(entries),
            long=settings.long_passage(scheme),
            identical=identical,
            text=self._text,
            findings=find(
                self._counted(traces, len(submissions)),
                self._base,
                lambda numbers: self._texts_of(numbers, submissions, entries),
            ),
            normal_forms=_normal_forms(entries) if normal else None,
            layouts=recognised,
            run=_run(named, base, archive, settings),
        )

    def _read_in_common_languages(
        self, reader: SubmissionReader, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path]
    ) -> tuple[list[ReadSubmission], list[Skipped]]:
        """Read all submissions; read them again if files with the same extension were read in languages that cannot be
        compared."""
        entries, skipped = self._read_submissions(reader, paths, base, archive)
        if reader.format is None and (languages := common_languages(entries)):
            reader = replace(reader, languages=languages, _seen=set())
            entries, skipped = self._read_submissions(reader, paths, base, archive)
        return entries, skipped

    def _read_submissions(
        self, reader: SubmissionReader, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path]
    ) -> tuple[list[ReadSubmission], list[Skipped]]:
        """Read all submissions; return them in order, and the skipped files."""
        self._buffer = SpillBuffer()
        total = None if self._progress is _ignored else count_files([*paths, *archive], base, reader.rules)
        intake = SubmissionIntake(reader, self._buffer, lambda done: self._progress("reading", done, total))
        intake.read_starter_code(base)
        self._base = intake.base
        intake.take(paths, archived=False)
        intake.take(archive, archived=True)
        return intake.entries(), intake.skipped

    def _candidates(
        self, entries: Sequence[ReadSubmission], scheme: Scheme, identical: Sequence[Sequence[int]]
    ) -> tuple[CandidatePairs, ClassWeights]:
        """Return the candidate pairs, and the weights of all fingerprints."""
        most, fresh = self._settings.most(len(entries)), sum(not entry.archived for entry in entries)
        plain, plain_weights = build_postings([entry.distinct() for entry in entries], most)
        streams = [plain]
        weights, forms = ClassWeights(plain_weights), None
        has_normal = np.array([entry.normal.forms > 0 for entry in entries], np.bool_)
        if has_normal.any():
            statements = [entry.normal.distinct_statements() for entry in entries]
            standing = [entry.normal.distinct_standing() for entry in entries]
            counts = (np.array([len(hashes) for hashes in kind], np.int64) for kind in (statements, standing))
            forms = Forms(has_normal, *counts)
            kinds = ([entry.normal.distinct() for entry in entries], statements, standing)
            postings = [build_postings(kind, most) for kind in kinds]
            streams += [each for each, _ in postings]
            weights = ClassWeights(plain_weights, NormalWeights(forms, *(weights for _, weights in postings)))
        candidates = CandidatePairs(self._settings, scheme, [entry.person for entry in entries], identical)
        done = 0
        for count, estimated in estimates(streams, range(fresh), forms):
            candidates.add(estimated)
            for number in range(done + 1, done + count + 1):
                self._progress("comparing", number, fresh)
            done += count
        return candidates, weights

    def _pairs(
        self,
        ranked: Estimates,
        if_long: NDArray[np.bool_],
        entries: Sequence[ReadSubmission],
        scheme: Scheme,
        weights: ClassWeights,
    ) -> Iterable[Pair | None]:
        """Verify the candidate pairs; yield None for a pair that needs a long run and has none."""
        sampled = (entries[number] for number in sample(len(entries)))
        sample_backgrounds = backgrounds(sampled, self._buffer, scheme)
        verifier = PairVerifier(entries, self._buffer, scheme, self._settings, sample_backgrounds, weights)
        self._text = verifier.text
        columns = ranked.left.tolist(), ranked.right.tolist(), if_long.tolist()
        for number, (left, right, needs_long) in enumerate(zip(*columns, strict=True), 1):
            yield verifier.pair(left, right, if_long=needs_long)
            self._progress("passages", number, len(ranked))

    def _texts(self, submissions: Sequence[Submission], entries: Sequence[ReadSubmission]) -> Iterable[SubmissionTexts]:
        """Return the texts of all submissions, in order. They can be read once the verification of pairs has begun."""
        return submission_texts(
            submissions,
            lambda number, file: self._text(number, file),
            lambda number, file: entries[number].unseen[file],
        )

    def _workers(self, scheme: Scheme, entries: Sequence[ReadSubmission]) -> Sandbox | None:
        """Return the workers that read traces while passages are looked for, if that saves time: those that have parsed
        the programs."""
        is_worth_it = self._settings.threads > 1 and scheme.frontend == CODE and len(entries) >= MANY
        return default_sandbox() if is_worth_it else None

    def _counted(self, items: Iterable[T], total: int) -> Iterator[T]:
        for number, item in enumerate(items, 1):
            yield item
            self._progress("traits", number, total)

    def _texts_of(
        self, numbers: Sequence[int], submissions: Sequence[Submission], entries: Sequence[ReadSubmission]
    ) -> Iterable[SubmissionTexts]:
        """Yield the texts of these submissions, in this order."""
        return submission_texts(
            [submissions[number] for number in numbers], lambda at, file: self._text(numbers[at], file)
        )


# The settings that change a result, and can be printed.
PRINTED = (
    "measure", "threshold", "long", "limit", "max_share", "cluster", "normal_form", "deep", "summaries", "anonymise",
    "format", "layout",
)  # fmt: skip


def _run(paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path], settings: Settings) -> Run:
    """Return what is needed to repeat the comparison. Paths may name people: an anonymous result has none."""
    starts, bases, archives = (() if settings.anonymise else tuple(map(str, each)) for each in (paths, base, archive))
    return Run(starts, bases, archives, {name: getattr(settings, name) for name in PRINTED})


def _normal_forms(entries: Sequence[ReadSubmission]) -> NormalForms:
    forms = sum(entry.normal.forms for entry in entries)
    files = sum(len(entry.files) for entry in entries)
    return NormalForms(forms, files - forms, sum(entry.normal.seconds for entry in entries))


def _verified(pairs: Iterable[Pair | None], traces: TraceReader) -> list[Pair]:
    """Verify pairs, and give the workers traces to read meanwhile."""
    verified: list[Pair] = []
    for pair in pairs:
        traces.begin()
        if pair is not None:
            verified.append(pair)
    return verified


def _compared(entries: Sequence[ReadSubmission]) -> int:
    """Return the number of compared pairs: archived submissions, and those of one person, are not compared with each
    other."""
    archived = Counter(entry.person for entry in entries if entry.archived)
    every = Counter(entry.person for entry in entries)
    return (
        comb(every.total(), 2)
        - comb(archived.total(), 2)
        - sum(comb(times, 2) - comb(archived[person], 2) for person, times in every.items() if person is not None)
    )


def _place(entry: ReadSubmission) -> str:
    """Return the path of a submission's only file, or that of its folder with a slash at the end."""
    source = entry.sources[0] if len(entry.sources) == 1 else entry.child
    home = entry.path if entry.path.name == source and not entry.path.is_dir() else entry.path / source
    return str(home) if [file.name for file in entry.files] == [entry.child] else f"{home}/"


def _submission(name: str, entry: ReadSubmission, record: RosterRecord, settings: Settings) -> Submission:
    return Submission(
        name=name,
        files=tuple(entry.files),
        symbols=entry.symbols,
        fingerprints=entry.fingerprints(),
        archived=entry.archived,
        person=record.person,
        assignment=record.assignment,
        label=record.label,
        date=record.date,
        place="" if settings.anonymise else _place(entry),
    )


def paths_of(paths: Path | str | Iterable[Path | str]) -> list[Path]:
    """Return one path or several as a list."""
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
