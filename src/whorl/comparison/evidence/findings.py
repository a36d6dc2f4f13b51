"""``findings``: find rare shared traces and oddities in the texts of a class, without starter code."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from whorl.comparison.evidence.finding import Finding, Findings, Place, SubmissionTexts, Text
from whorl.comparison.evidence.oddities import Oddities, OwnOddities, own_oddities
from whorl.comparison.evidence.traits import (
    BLANKS,
    COMMENT,
    LITERAL,
    MISSPELLING,
    Holders,
    Lexeme,
    Spelling,
    Trait,
    blanks,
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


class Traces(NamedTuple):
    """The traits and oddities of a submission, as values that JSON can hold.

    ``traits`` are distinct: kind, key, quoted text, number of the file and line of each.
    """

    traits: list[tuple[str, str, str, int, int]]
    oddities: OwnOddities


def traces(texts: SubmissionTexts) -> Traces:
    """Return the traits and oddities of a submission."""
    by_file = _lexemes(texts.files)
    first: dict[tuple[str, str], tuple[int, Trait]] = {}
    for file, trait in _traits(texts.files, by_file):
        first.setdefault((trait.kind, trait.key), (file, trait))
    lines = [Lines(file.text) for file in texts.files]
    traits = [
        (trait.kind, trait.key, trait.shown, file, lines[file].line(trait.start)) for file, trait in first.values()
    ]
    return Traces(traits, own_oddities(texts, by_file))


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
        self._starter_traits = {tuple(trait[:2]) for texts in base for trait in traces(texts).traits}
        self._holders, self._spelling, self._oddities = Holders(), Spelling(), Oddities()

    def run(self, submissions: Iterable[SubmissionTexts]) -> Findings:
        count = 0
        for number, texts in enumerate(submissions):
            of_submission = self._traces(texts)
            self._add(number, texts, of_submission)
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
            return Traces(entry.facts["traits"], OwnOddities(*entry.facts["oddities"]))
        made = traces(texts)
        self._cache.put(path, CacheEntry(made._asdict(), []))
        return made

    def _add(self, number: int, texts: SubmissionTexts, of_submission: Traces) -> None:
        self._spelling.add(key for kind, key, *_ in of_submission.traits if kind == MISSPELLING)
        for kind, key, shown, file, line in of_submission.traits:
            if (kind, key) not in self._starter_traits:
                self._holders.add(kind, key, shown, number, texts.files[file].name, line)

    def _pairs(self, count: int) -> Mapping[tuple[int, int], tuple[Finding, ...]]:
        rare = list(self._holders.rare(count))
        meant = self._spelling.meant(trait.key for trait, _ in rare if trait.kind == MISSPELLING)
        by_pair: dict[tuple[int, int], list[tuple[Trait, Mapping[int, Place]]]] = defaultdict(list)
        for trait, places in rare:
            if trait.kind != MISSPELLING or trait.key in meant:
                numbers = sorted(places)
                for at, left in enumerate(numbers):
                    for right in numbers[at + 1 :]:
                        by_pair[left, right].append((trait, places))
        return {pair: tuple(_findings(pair, shared, meant, count)) for pair, shared in sorted(by_pair.items())}


def _lexemes(files: Sequence[Text]) -> list[list[Lexeme]]:
    """Return the lexemes of each file; none for files that are not programs."""
    return [list(lexemes(file.format, file.text)) if is_program(file.format) else [] for file in files]


def _traits(files: Sequence[Text], by_file: Sequence[Sequence[Lexeme]]) -> Iterator[tuple[int, Trait]]:
    """Yield all traits, each with the number of its file."""
    for number, (file, of_file) in enumerate(zip(files, by_file, strict=True)):
        yield from ((number, trait) for trait in words(file.text))
        if is_program(file.format):
            yield from ((number, trait) for lexeme in of_file for trait in literals(lexeme))
            yield from ((number, trait) for trait in blanks(file.text, file.starter_code))


def _findings(
    pair: tuple[int, int],
    shared: Sequence[tuple[Trait, Mapping[int, Place]]],
    meant: Mapping[str, str],
    count: int,
) -> Iterator[Finding]:
    for kind in KINDS:
        of_kind = sorted(
            ((trait, places) for trait, places in shared if trait.kind == kind),
            key=lambda each: (len(each[1]), each[1][pair[0]].file, each[1][pair[0]].line, each[0].key),
        )
        for number, (trait, places) in enumerate(of_kind[:MOST_FINDINGS], 1):
            more = f" And {len(of_kind) - MOST_FINDINGS:,} more." if number == MOST_FINDINGS < len(of_kind) else ""
            sentence = WORDS[kind].format(trait.shown, meant.get(trait.key, ""))
            yield Finding(kind, f"{sentence}; {_others(len(places), count)}.{more}", (places[pair[0]], places[pair[1]]))


def _others(holders: int, count: int) -> str:
    if holders == 2:
        return f"none of the other {count - 2:,} submissions does"
    return f"{holders:,} of all {count:,} submissions do"
