"""``whorl.compare_all``: a class in, ranked pairs with their passages out.

The steps are those of the winnowing paper, section 5.2, in its order: fingerprint all documents, index the fingerprints
with their positions, look each document's up, sort what is found by document, rank the pairs, and show the best.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from whorl.comparison.anonymity import anonymise, without_names
from whorl.comparison.clusters import Links
from whorl.comparison.details import Details, backgrounds
from whorl.comparison.evidence.finding import Written
from whorl.comparison.evidence.findings import findings
from whorl.comparison.evidence.submissions import written
from whorl.comparison.groups import groups
from whorl.comparison.intake import Entry, Intake, Reader
from whorl.comparison.kind import scheme_for
from whorl.comparison.postings import sort
from whorl.comparison.result import Comparison, NormalForms, Pair, Submission
from whorl.comparison.roster import Record, read_roster, records_of
from whorl.comparison.scores import Best, Forms, Scores, fuse, score
from whorl.comparison.settings import LATE, Settings
from whorl.comparison.shelf import Shelf
from whorl.errors import InputError
from whorl.frontends.reading import CODE
from whorl.hashing.key import Key
from whorl.matching.calibration import sample
from whorl.matching.deep.likeness import check_prose
from whorl.model import Skipped
from whorl.scheme import Scheme, resolve

# Told what is being done, how much of it is done, and how much there is, if that is known.
Progress = Callable[[str, int, int | None], object]


def compare_all(
    paths: Path | str | Iterable[Path | str],
    scheme: Scheme | str | None = None,
    *,
    base: Path | str | Iterable[Path | str] = (),
    archive: Path | str | Iterable[Path | str] = (),
    roster: Path | str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Comparison:
    """Compare all submissions with each other: every child of the paths is one, a file, a folder or an archive.

    Without a scheme it is ``code`` if there is a program among the files, else ``text``. What stands in ``base`` is no
    evidence. Submissions in ``archive`` are compared with the new ones, never with each other. ``roster`` is a CSV file
    with names, people, labels and dates. The other settings are those of ``Settings``.
    """
    return Comparing(scheme, Settings(**settings), progress).run(
        paths_of(paths), paths_of(base), paths_of(archive), {} if roster is None else read_roster(Path(roster))
    )


class Comparing:
    """The steps of a comparison. Where it runs on many machines, three of them are others."""

    def __init__(self, scheme: Scheme | str | None, settings: Settings, progress: Progress | None = None) -> None:
        self._scheme, self._settings = scheme, settings
        self._progress: Progress = progress or (lambda _stage, _done, _total: None)
        self._text: Callable[[int, int], str]
        self._base: list[Written] = []

    def run(
        self, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path], roster: Mapping[str, Record]
    ) -> Comparison:
        """All steps."""
        if not paths:
            raise InputError("nothing to compare: give a folder, an archive or files")
        scheme = scheme_for(paths, self._settings) if self._scheme is None else resolve(self._scheme)
        if self._settings.deep:
            check_prose(scheme)
        settings, normal = self._settings, self._settings.normal_form and scheme.frontend == CODE
        reader = Reader(scheme, Key.PUBLIC, settings.rules, settings.threads, settings.format, normal)
        entries, skipped = self._taken(reader, paths, base, archive)
        records, strangers = records_of(entries, roster)
        skipped = skipped + strangers
        if self._settings.anonymise:
            records, skipped = anonymise(entries, records), without_names(skipped)
        best, links = self._ranked(entries)
        ranked = best.ranked()
        pairs = self._chosen(self._pairs(ranked, entries, scheme))
        submissions = tuple(_submission(entry, records.get(entry.name, Record())) for entry in entries)
        return Comparison(
            scheme=scheme,
            submissions=submissions,
            pairs=pairs,
            clusters=links.clusters((pair.left, pair.right) for pair in pairs),
            groups=groups(pairs, submissions),
            skipped=tuple(skipped),
            threshold=self._settings.least,
            measure=self._settings.measure,
            scores=tuple(best.histogram.tolist()),
            omitted=best.reached - len(ranked),
            text=self._text,
            findings=findings(self._written(submissions, entries), self._base),
            normal_forms=_normal_forms(entries) if normal else None,
        )

    def _taken(
        self, reader: Reader, paths: Sequence[Path], base: Sequence[Path], archive: Sequence[Path]
    ) -> tuple[list[Entry], list[Skipped]]:
        """All submissions, in order, and what was left out."""
        self._shelf = Shelf()
        intake = Intake(reader, self._shelf, lambda done: self._progress("reading", done, None))
        intake.sanction(base)
        self._base = intake.base
        intake.take(paths, archived=False)
        intake.take(archive, archived=True)
        return intake.entries(), intake.skipped

    def _ranked(self, entries: Sequence[Entry]) -> tuple[Best, Links]:
        """The best pairs, and who is linked."""
        postings = sort([entry.distinct() for entry in entries], self._settings.most(len(entries)))
        fresh = sum(not entry.archived for entry in entries)
        looked = Looked(self._settings, len(entries))
        for number, found in enumerate(self._scored(entries, score(postings, range(fresh)), fresh), 1):
            looked.at(found)
            self._progress("comparing", number, fresh)
        return looked.best, looked.links

    def _scored(self, entries: Sequence[Entry], plain: Iterable[Scores], fresh: int) -> Iterable[Scores]:
        """The scores of the plain stream, fused with those of the normal forms if there are any."""
        has_normal = np.array([entry.normal.forms > 0 for entry in entries], np.bool_)
        if not has_normal.any():
            return plain
        most = self._settings.most(len(entries))
        grams = sort([entry.normal.distinct() for entry in entries], most)
        statements = [entry.normal.distinct_statements() for entry in entries]
        standing = [entry.normal.distinct_standing() for entry in entries]
        counts = (np.array([len(own) for own in each], np.int64) for each in (statements, standing))
        told = (score(sort(each, most), range(fresh)) for each in (statements, standing))
        return map(fuse, plain, score(grams, range(fresh)), *told, repeat(Forms(has_normal, *counts)))

    def _pairs(self, ranked: Scores, entries: Sequence[Entry], scheme: Scheme) -> Iterable[Pair]:
        """The pairs of the ranking, looked at closely."""
        looked = (entries[number] for number in sample(len(entries)))
        details = Details(entries, self._shelf, scheme, self._settings, backgrounds(looked, self._shelf, scheme))
        self._text = details.text
        for number in range(len(ranked)):
            yield details.pair(ranked, number)
            self._progress("passages", number + 1, len(ranked))

    def _written(self, submissions: Sequence[Submission], entries: Sequence[Entry]) -> Iterable[Written]:
        """The texts of all submissions, in order."""
        return written(submissions, self._text, lambda number, file: entries[number].unseen[file])

    def _chosen(self, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
        """Ranked by what their passages tell, if that was asked for."""
        measure = self._settings.measure
        if measure not in LATE:
            return tuple(pairs)
        enough = [pair for pair in pairs if getattr(pair, measure) >= self._settings.least]
        return tuple(sorted(enough, key=lambda pair: -getattr(pair, measure)))


class Looked:
    """What is kept of scores: the best, and who is linked."""

    def __init__(self, settings: Settings, submissions: int) -> None:
        is_late = settings.measure in LATE
        least, measure = (0.0, "score") if is_late else (settings.least, settings.measure)
        self.best, self.links = Best(least, measure, settings.limit), Links(submissions)
        self._cluster = settings.cluster

    def at(self, found: Scores) -> None:
        """Look at some pairs."""
        self.best.add(found)
        linked = found.chosen(found.measure("score") >= self._cluster)
        self.links.add(linked.left, linked.right)


def _normal_forms(entries: Sequence[Entry]) -> NormalForms:
    forms = sum(entry.normal.forms for entry in entries)
    files = sum(len(entry.files) for entry in entries)
    return NormalForms(forms, files - forms, sum(entry.normal.seconds for entry in entries))


def _submission(entry: Entry, record: Record) -> Submission:
    return Submission(
        name=record.name or entry.name,
        files=tuple(entry.files),
        symbols=entry.symbols,
        fingerprints=entry.fingerprints(),
        archived=entry.archived,
        person=record.person,
        assignment=record.assignment,
        label=record.label,
        date=record.date,
    )


def paths_of(paths: Path | str | Iterable[Path | str]) -> list[Path]:
    """One path or several."""
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
