"""``findings``: find rare shared traces and oddities in the texts of a class, without starter code."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
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
    Misspelling,
    RareTrait,
    Spelling,
    Trait,
    blanks,
    comments,
    first_written,
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

# The kinds whose places are noted in every submission. Those of a word are looked up if it is misspelled: few are.
PLACED = (COMMENT, LITERAL, BLANKS)

# The kinds, in display order.
KINDS = (MISSPELLING, *PLACED)

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
    """The words of a submission, its other traits by kind, and its oddities, as values that JSON can hold."""

    words: list[str]
    traits: dict[str, TraitColumns]
    oddities: OwnOddities


def traces(texts: SubmissionTexts) -> Traces:
    """Return the traits and oddities of a submission."""
    lexemes = _lexemes(texts.files)
    columns = {kind: TraitColumns([], [], [], []) for kind in PLACED}
    known: dict[str, set[str]] = {kind: set() for kind in PLACED}
    for number, (file, of_file) in enumerate(zip(texts.files, lexemes, strict=True)):
        if not is_program(file.format):
            continue
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
    all_words = set().union(*[words(file.text) for file in texts.files])
    return Traces(list(all_words), columns, own_oddities(texts, lexemes))


# Return the texts of submissions, by their numbers, in this order.
TextsOf = Callable[[Sequence[int]], Iterable[SubmissionTexts]]


def findings(
    submissions: Iterable[SubmissionTexts],
    base: Iterable[SubmissionTexts] = (),
    cache: ReadCache | None = None,
    texts_of: TextsOf | None = None,
) -> Findings:
    """Return the rare traces that the submissions of a class share, and the oddities of each.

    Read one submission at a time, unless it is in the cache, and by ``texts_of`` again those with misspellings. Without
    it, hold all texts. Ignore traits that are in ``base``, the starter code. Number submissions in the order of
    iteration.
    """
    if texts_of is None:
        every = submissions = list(submissions)
        return findings(submissions, base, cache, lambda numbers: [every[number] for number in numbers])
    return _FindingSearch(base, cache, texts_of).run(submissions)


class _FindingSearch:
    def __init__(self, base: Iterable[SubmissionTexts], cache: ReadCache | None, texts_of: TextsOf) -> None:
        self._cache, self._texts_of = cache, texts_of
        given = [traces(texts) for texts in base]
        self._holders = {kind: Holders(key for each in given for key in each.traits[kind].keys) for kind in PLACED}
        self._spelling, self._oddities = Spelling(word for each in given for word in each.words), Oddities()

    def run(self, submissions: Iterable[SubmissionTexts]) -> Findings:
        count = 0
        for number, texts in enumerate(submissions):
            of_submission = self._traces(texts)
            names = [file.name for file in texts.files]
            for kind, traits in of_submission.traits.items():
                self._holders[kind].add(number, names, zip(*traits, strict=True))
            self._spelling.add(number, of_submission.words)
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
            return Traces(entry.facts["words"], traits, OwnOddities(*entry.facts["oddities"]))
        made = traces(texts)
        self._cache.put(path, CacheEntry(made._asdict(), []))
        return made

    def _pairs(self, count: int) -> Mapping[tuple[int, int], tuple[Finding, ...]]:
        misspellings = self._spelling.misspellings(count)
        meant = {each.word: each.meant for each in misspellings}
        rare = {MISSPELLING: self._written(misspellings)}
        rare |= {kind: list(holders.rare(count)) for kind, holders in self._holders.items()}
        by_pair: dict[tuple[int, int], dict[str, list[RareTrait]]] = defaultdict(lambda: defaultdict(list))
        for kind, traits in rare.items():
            for trait in traits:
                for pair in combinations(sorted(trait.places), 2):
                    by_pair[pair][kind].append(trait)
        return {pair: tuple(_findings(pair, shared, meant, count)) for pair, shared in sorted(by_pair.items())}

    def _written(self, misspellings: Sequence[Misspelling]) -> list[RareTrait]:
        """Return the misspellings with their first places, each quoted as its first holder writes it."""
        by_holder: dict[int, set[str]] = defaultdict(set)
        for each in misspellings:
            for number in each.holders:
                by_holder[number].add(each.word)
        shown: dict[str, str] = {}
        places: dict[str, dict[int, Place]] = defaultdict(dict)
        numbers = sorted(by_holder)
        for number, texts in zip(numbers, self._texts_of(numbers) if numbers else (), strict=True):
            wanted = by_holder[number]
            for file in texts.files:
                first = first_written(file.text, wanted)
                lines = Lines(file.text)
                for word, (spelling, start) in first.items():
                    shown.setdefault(word, spelling)
                    places[word][number] = Place(number, file.name, lines.line(start))
                wanted = wanted - first.keys()
        return [RareTrait(each.word, shown[each.word], places[each.word]) for each in misspellings]


def _lexemes(files: Sequence[Text]) -> list[list[Lexeme]]:
    """Return the lexemes of each file; none for files that are not programs."""
    return [list(lexemes(file.format, file.text)) if is_program(file.format) else [] for file in files]


def _traits(file: Text, lexemes: Sequence[Lexeme]) -> Iterator[tuple[str, Iterable[Trait]]]:
    """Yield the traits of a program by kind."""
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
