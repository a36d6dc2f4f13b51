"""``findings``: find rare shared traces and oddities in the texts of a class, without starter code."""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median_low
from typing import Any, NamedTuple

from whorl.comparison.evidence.finding import Finding, Findings, Place, SubmissionTexts, Text
from whorl.comparison.evidence.oddities import (
    MEDIANS,
    MIN_PADDING,
    PADDING,
    PLACED,
    Deception,
    OwnOddities,
    Padding,
    Traces,
    TraitColumns,
    outliers,
    plain_text,
    plain_traces,
    traces,
)
from whorl.comparison.evidence.traits import (
    BLANKS,
    COMMENT,
    LITERAL,
    MISSPELLING,
    SMALLEST_CLASS,
    Holders,
    Misspelling,
    RareTrait,
    Spelling,
    first_written,
)
from whorl.comparison.result import Submission
from whorl.engine.cache import CacheEntry, ReadCache
from whorl.matching.passage import Lines
from whorl.model import Span
from whorl.sandbox import Outcome, Sandbox
from whorl.threads import Answer


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


# Descriptions of padding.
IDLE, REPEATED = "set values that nothing reads", "repeat within the file"
BOTH = f"{REPEATED}, or {IDLE}"


class Oddities:
    """Collect oddities, one submission at a time."""

    def __init__(self) -> None:
        self._paddings: dict[int, tuple[Padding, Place]] = {}
        self._deceptions: dict[int, list[Deception]] = {}
        self._submissions = 0

    def add(self, number: int, files: Sequence[str], own: OwnOddities) -> None:
        """Add a submission with the names of its files."""
        if own.padding is not None:
            self._paddings[number] = Padding(*own.padding), Place(number, files[0], 1)
        self._deceptions[number] = [Deception(*each) for each in own.deceptions]
        self._submissions += 1

    def findings(self) -> Mapping[int, tuple[Finding, ...]]:
        """Return the oddities, by the number of the submission."""
        by_submission: dict[int, list[Finding]] = defaultdict(list)
        for number, finding in (*self._deceived(), *self._padded()):
            by_submission[number].append(finding)
        return {number: tuple(findings) for number, findings in sorted(by_submission.items())}

    def _deceived(self) -> Iterator[tuple[int, Finding]]:
        totals: dict[str, Counter[int]] = defaultdict(Counter)
        for number, deceptions in self._deceptions.items():
            for each in deceptions:
                totals[each.kind][number] += each.amount
        medians = {kind: median_low([counts[number] for number in self._deceptions]) for kind, counts in totals.items()}
        for number, deceptions in self._deceptions.items():
            for each in deceptions:
                middle = medians[each.kind] if self._submissions >= SMALLEST_CLASS else None
                if each.amount > MEDIANS * (middle or 0):
                    place = Place(number, each.file, each.line)
                    yield number, Finding(each.kind, f"{each.words}{_class_median(middle)}", (place,))

    def _padded(self) -> Iterator[tuple[int, Finding]]:
        """Yield the outliers by all padding, then by unread values alone, which ordinary programs hardly have."""
        if len(self._paddings) < SMALLEST_CLASS:
            return
        flagged: set[int] = set()
        for is_whole in (True, False):
            counts = {
                number: padded.idle + (padded.repeated if is_whole else 0)
                for number, (padded, _) in self._paddings.items()
            }
            numbers, middle = list(counts), median_low(counts.values())
            for at in outliers([padded.share(counts[number]) for number, (padded, _) in self._paddings.items()]):
                number = numbers[at]
                if counts[number] >= MIN_PADDING and number not in flagged:
                    flagged.add(number)
                    padded, place = self._paddings[number]
                    words = IDLE if counts[number] == padded.idle else BOTH if padded.idle else REPEATED
                    sentence = f"{counts[number]:,} of {padded.statements:,} statements {words}{_class_median(middle)}"
                    yield number, Finding(PADDING, sentence, (place,))


def _class_median(middle: int | None) -> str:
    """Return the class median in words, if the class is large enough."""
    return "" if middle is None else f" (class median: {middle:,})"


# Maximum number of findings of one kind of a pair, rarest first. The last one states how many more there are.
MOST_FINDINGS = 10

# The kinds, in display order.
KINDS = (MISSPELLING, *PLACED)

WORDS = {
    COMMENT: "Both have the comment “{}”",
    LITERAL: "Both have the literal {}",
    BLANKS: "Both have {}, in lines of the same shape",
    MISSPELLING: "Both write “{}”, where others write “{}”",
}


# Return the texts of submissions, by their numbers, in this order.
TextsOf = Callable[[Sequence[int]], Iterable[SubmissionTexts]]


# The function that workers run.
TRACES = f"{plain_traces.__module__}:{plain_traces.__name__}"

# Letters of the submissions in one task, at least; of a submission that is no task, since a worker's time is limited;
# and of all that workers are given before their traces are asked for.
TASK, LARGE, ROOM = 1 << 15, 1 << 20, 1 << 24

# Tasks of each worker that wait or run.
AHEAD = 4


class _Batch(NamedTuple):
    """Submissions with the names of their files: traces from the cache, or else texts; and what a worker makes of
    these."""

    names: list[list[str]]
    known: list[Traces | SubmissionTexts]
    letters: int
    made: Answer[Outcome] | None


class TraceReader:
    """The traces of submissions in order, each with the names of the files. With a sandbox, workers read them;
    ``begin`` gives them something to do before the traces are asked for."""

    def __init__(
        self, submissions: Iterable[SubmissionTexts], cache: ReadCache | None = None, sandbox: Sandbox | None = None
    ) -> None:
        self._rest, self._cache, self._sandbox = iter(submissions), cache, sandbox
        self._batches: deque[_Batch] = deque()
        self._working: deque[Answer[Outcome]] = deque()
        self._letters = 0

    def begin(self) -> None:
        """Give workers more to do if they have little left. Do not wait for them."""
        while self._sandbox is not None and self._letters < ROOM:
            while self._working and self._working[0].is_given():
                self._working.popleft()
            if len(self._working) >= AHEAD * self._sandbox.workers or not self._send(self._sandbox):
                break

    def __iter__(self) -> Iterator[tuple[list[str], Traces]]:
        if self._sandbox is None:
            yield from (
                (_names(texts), self._recalled(texts) or self._kept(texts, traces(texts))) for texts in self._rest
            )
            return
        while self._batches or self._send(self._sandbox):
            self.begin()
            batch = self._batches.popleft()
            self._letters -= batch.letters
            yield from zip(batch.names, self._taken(batch), strict=True)

    def _send(self, sandbox: Sandbox) -> bool:
        """Begin to read some more submissions. Return whether there were any."""
        names, known, letters = list[list[str]](), list[Traces | SubmissionTexts](), 0
        for texts in self._rest:
            names.append(_names(texts))
            known.append(self._recalled(texts) or texts)
            letters += sum(len(file.text) for file in texts.files)
            if letters >= TASK:
                break
        unknown = [each for each in known if isinstance(each, SubmissionTexts)]
        made = None
        if unknown and letters < LARGE:
            made = sandbox.begin(TRACES, [(each.name, [plain_text(file) for file in each.files]) for each in unknown])
            self._working.append(made)
        if known:
            self._batches.append(_Batch(names, known, letters, made))
            self._letters += letters
        return bool(known)

    def _taken(self, batch: _Batch) -> Iterator[Traces]:
        texts = [each for each in batch.known if isinstance(each, SubmissionTexts)]
        made = iter(_made(batch.made, len(texts)) or map(traces, texts))
        return (self._kept(each, next(made)) if isinstance(each, SubmissionTexts) else each for each in batch.known)

    def _recalled(self, texts: SubmissionTexts) -> Traces | None:
        entry = None if self._cache is None else self._cache.get(self._name(self._cache, texts))
        return None if entry is None else _restored(**entry.facts)

    def _kept(self, texts: SubmissionTexts, made: Traces) -> Traces:
        if self._cache is not None:
            self._cache.put(self._name(self._cache, texts), CacheEntry(made._asdict(), []))
        return made

    @staticmethod
    def _name(cache: ReadCache, texts: SubmissionTexts) -> bytes:
        facts = [(file.name, file.format, len(file.text), file.unseen, file.starter_code) for file in texts.files]
        return cache.name("".join(file.text for file in texts.files), "traces", facts)


def _names(texts: SubmissionTexts) -> list[str]:
    return [file.name for file in texts.files]


def _restored(words: str, traits: Mapping[str, Sequence[Any]], oddities: Sequence[Any]) -> Traces:
    return Traces(words, {kind: TraitColumns(*traits[kind]) for kind in PLACED}, OwnOddities(*oddities))


def _made(answer: Answer[Outcome] | None, count: int) -> list[Traces] | None:
    """Return the traces that a worker found in so many submissions. None if it was stopped, or if its answer is wrong:
    a program that it parsed before may have damaged it."""
    outcome = None if answer is None else answer.take()
    if outcome is None or outcome.fault is not None:
        return None
    try:
        made = [_restored(*each) for each in json.loads(outcome.value)]
    except (TypeError, ValueError, KeyError, RecursionError):
        return None
    return made if len(made) == count and all(map(_is_whole, made)) else None


def _is_whole(made: Traces) -> bool:
    """Return whether traces have the types that they are said to have."""
    columns = made.traits.values()
    texts = [column for each in columns for column in each[:2]]
    numbers = [column for each in columns for column in each[2:]]
    padding, deceptions = made.oddities
    return (
        isinstance(made.words, str)
        and all(isinstance(column, list) for column in (*texts, *numbers, deceptions))
        and all(len({len(column) for column in each}) == 1 for each in columns)
        and all(type(text) is str for column in texts for text in column)
        and all(type(number) is int for column in numbers for number in column)
        and (padding is None or _is_row(padding, (int, int, int)))
        and all(_is_row(each, (str, int, str, str, int)) for each in deceptions)
    )


def _is_row(values: Any, types: tuple[type, ...]) -> bool:
    return isinstance(values, list) and tuple(map(type, values)) == types


def findings(
    submissions: Iterable[SubmissionTexts], base: Iterable[SubmissionTexts] = (), cache: ReadCache | None = None
) -> Findings:
    """Return the rare traces that the submissions of a class share, and the oddities of each. Ignore traits that are in
    ``base``, the starter code. Number submissions in the order of iteration."""
    every = list(submissions)
    return find(TraceReader(every, cache), base, lambda numbers: [every[number] for number in numbers])


def find(
    submissions: Iterable[tuple[list[str], Traces]], base: Iterable[SubmissionTexts], texts_of: TextsOf
) -> Findings:
    """Do the same for a large class, given the names of files and the traces of each submission. ``texts_of`` reads
    texts with misspellings."""
    return _FindingSearch(base, texts_of).run(submissions)


class _FindingSearch:
    def __init__(self, base: Iterable[SubmissionTexts], texts_of: TextsOf) -> None:
        self._texts_of = texts_of
        given = [traces(texts) for texts in base]
        self._holders = {kind: Holders(key for each in given for key in each.traits[kind].keys) for kind in PLACED}
        self._spelling, self._oddities = Spelling(word for each in given for word in each.words.split()), Oddities()

    def run(self, submissions: Iterable[tuple[list[str], Traces]]) -> Findings:
        count = 0
        for number, (names, of_submission) in enumerate(submissions):
            for kind, traits in of_submission.traits.items():
                self._holders[kind].add(number, names, zip(*traits, strict=True))
            self._spelling.add(number, of_submission.words.split())
            self._oddities.add(number, names, of_submission.oddities)
            count = number + 1
        return Findings(self._oddities.findings(), self._pairs(count))

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
