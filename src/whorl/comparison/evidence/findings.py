"""``findings``: find rare shared traces and oddities in the texts of a class, without starter code."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from whorl.comparison.evidence.finding import Finding, Findings, SubmissionTexts, Text
from whorl.comparison.evidence.oddities import Oddities, OwnOddities, own_oddities
from whorl.comparison.evidence.traits import (
    BLANKS,
    COMMENT,
    LITERAL,
    MISSPELLING,
    Holders,
    Lexeme,
    RareTrait,
    Spelling,
    Trait,
    blanks,
    comments,
    is_program,
    lexemes,
    literals,
    words,
)
from whorl.comparison.result import Submission
from whorl.engine.cache import CacheEntry, ReadCache
from whorl.matching.passage import Lines
from whorl.model import Span


def submission_texts(
    submissions: Sequence[Submission],
    text: Callable[[int, int], str],
    unseen: Callable[[int, int], tuple[str, ...]] = lambda _submission, _file: (),
) -> Iterator[SubmissionTexts]:
    """Yield the texts of each submission lazily. ``text`` and ``unseen`` take the numbers of a submission and a
    file."""
    for number, submission in enumerate(submissions):
        files = [
            Text(file.name, file.format, blank_out(text(number, at), spans), unseen(number, at), spans)
            for at, file in enumerate(submission.files)
            for spans in [tuple(sorted(file.sanctioned))]
        ]
        yield SubmissionTexts(submission.name, tuple(files))


def blank_out(text: str, spans: Sequence[Span]) -> str:
    """Replace these spans of a text by blanks, and keep its line breaks."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            hidden = text[max(at, start) : end]
            parts += (text[at:start], "".join("\n" if letter == "\n" else " " for letter in hidden))
            at = end
    return "".join((*parts, text[at:]))


# Maximum number of findings of one kind of a pair, rarest first. The last one states how many more there are.
MOST_FINDINGS = 10

# The kinds, in display order.
KINDS = (MISSPELLING, COMMENT, LITERAL, BLANKS)

WORDS = {
    COMMENT: "Both have the comment “{}”",
    LITERAL: "Both have the literal {}",
    BLANKS: "Both have {}, in lines of the same shape",
    MISSPELLING: "Both write “{}”, where others write “{}”",
}


class TraitColumns(NamedTuple):
    """Distinct traits of one kind: the key, the quoted text, and the number of the file and the line of each."""

    keys: list[str]
    shown: list[str]
    files: list[int]
    lines: list[int]


class Traces(NamedTuple):
    """The traits of a submission by kind, and its oddities, as values that JSON can hold."""

    traits: dict[str, TraitColumns]
    oddities: OwnOddities


def traces(texts: SubmissionTexts) -> Traces:
    """Return the traits and oddities of a submission."""
    lexemes = _lexemes(texts.files)
    columns = {kind: TraitColumns([], [], [], []) for kind in KINDS}
    known: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for number, (file, of_file) in enumerate(zip(texts.files, lexemes, strict=True)):
        lines = Lines(file.text)
        for kind, traits in _traits(file, of_file):
            first: dict[str, tuple[str, int]] = {}
            for key, shown, start in traits:
                if key not in first:
                    first[key] = shown, start
            fresh = [key for key in first if key not in known[kind]]
            known[kind].update(fresh)
            columns[kind].keys.extend(fresh)
            columns[kind].shown.extend([first[key][0] for key in fresh])
            columns[kind].files.extend([number] * len(fresh))
            columns[kind].lines.extend(lines.lines([first[key][1] for key in fresh]))
    return Traces(columns, own_oddities(texts, lexemes))


def findings(
    submissions: Iterable[SubmissionTexts], base: Iterable[SubmissionTexts] = (), cache: ReadCache | None = None
) -> Findings:
    """Return the rare traces that the submissions of a class share, and the oddities of each.

    Read one submission at a time, unless it is in the cache. Ignore traits that are in ``base``, the starter code.
    Number submissions in the order of iteration.
    """
    return _FindingSearch(base, cache).run(submissions)


class _FindingSearch:
    def __init__(self, base: Iterable[SubmissionTexts], cache: ReadCache | None) -> None:
        self._cache = cache
        given = [traces(texts).traits for texts in base]
        self._holders = {kind: Holders(key for each in given for key in each[kind].keys) for kind in KINDS}
        self._spelling, self._oddities = Spelling(), Oddities()

    def run(self, submissions: Iterable[SubmissionTexts]) -> Findings:
        count = 0
        for number, texts in enumerate(submissions):
            of_submission = self._traces(texts)
            names = [file.name for file in texts.files]
            for kind, traits in of_submission.traits.items():
                self._holders[kind].add(number, names, zip(*traits, strict=True))
            self._spelling.add(of_submission.traits[MISSPELLING].keys)
            self._oddities.add(number, texts, of_submission.oddities)
            count = number + 1
        return Findings(self._oddities.findings(), self._pairs(count))

    def _traces(self, texts: SubmissionTexts) -> Traces:
        if self._cache is None:
            return traces(texts)
        files = [(file.name, file.format, file.text, file.unseen, file.starter_code) for file in texts.files]
        path = self._cache.path(json.dumps(files), "traces")
        entry = self._cache.get(path)
        if entry is not None:
            traits = {kind: TraitColumns(*columns) for kind, columns in entry.facts["traits"].items()}
            return Traces(traits, OwnOddities(*entry.facts["oddities"]))
        made = traces(texts)
        self._cache.put(path, CacheEntry(made._asdict(), []))
        return made

    def _pairs(self, count: int) -> Mapping[tuple[int, int], tuple[Finding, ...]]:
        rare = {kind: list(holders.rare(count)) for kind, holders in self._holders.items()}
        meant = self._spelling.meant(trait.key for trait in rare[MISSPELLING])
        rare[MISSPELLING] = [trait for trait in rare[MISSPELLING] if trait.key in meant]
        by_pair: dict[tuple[int, int], dict[str, list[RareTrait]]] = defaultdict(lambda: defaultdict(list))
        for kind, traits in rare.items():
            for trait in traits:
                for pair in combinations(sorted(trait.places), 2):
                    by_pair[pair][kind].append(trait)
        return {pair: tuple(_findings(pair, shared, meant, count)) for pair, shared in sorted(by_pair.items())}


def _lexemes(files: Sequence[Text]) -> list[list[Lexeme]]:
    """Return the lexemes of each file; none for files that are not programs."""
    return [list(lexemes(file.format, file.text)) if is_program(file.format) else [] for file in files]


def _traits(file: Text, lexemes: Sequence[Lexeme]) -> Iterator[tuple[str, Iterable[Trait]]]:
    """Yield the traits of a file by kind."""
    yield MISSPELLING, words(file.text)
    if is_program(file.format):
        yield COMMENT, comments(lexemes)
        yield LITERAL, literals(lexemes)
        yield BLANKS, blanks(file.text, file.starter_code)


def _findings(
    pair: tuple[int, int], shared: Mapping[str, Sequence[RareTrait]], meant: Mapping[str, str], count: int
) -> Iterator[Finding]:
    left, right = pair
    for kind in KINDS:
        of_kind = sorted(
            shared.get(kind, ()),
            key=lambda trait: (len(trait.places), trait.places[left].file, trait.places[left].line, trait.key),
        )
        for number, (key, shown, places) in enumerate(of_kind[:MOST_FINDINGS], 1):
            more = f" And {len(of_kind) - MOST_FINDINGS:,} more." if number == MOST_FINDINGS < len(of_kind) else ""
            sentence = WORDS[kind].format(shown, meant.get(key, ""))
            yield Finding(kind, f"{sentence}; {_others(len(places), count)}.{more}", (places[left], places[right]))


def _others(holders: int, count: int) -> str:
    if holders == 2:
        return f"none of the other {count - 2:,} submissions does"
    return f"{holders:,} of all {count:,} submissions do"
