"""Comparisons to report on, made without the engine: tokens by a regular expression, matches by difflib."""

import re
from collections.abc import Callable, Sequence
from difflib import Match as Block
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations
from typing import NamedTuple

from whorl.comparison.result import Cluster, Comparison, File, Group, Pair, Submission
from whorl.matching.passage import Match, Passage, Side
from whorl.matching.score import Score, ScorePart
from whorl.model import Skipped, Span
from whorl.scheme import Scheme

TOKEN = re.compile(r"//[^\n]*|#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'|[^\W\d]\w*|\d+|[^\s\w]")
KEYWORDS = frozenset(
    ["for", "while", "if", "else", "return", "def", "in", "class", "static", "void", "int", "public", "range"]
)
SHORTEST, LARGEST_GAP = 8, 12


class Source(NamedTuple):
    """A file's name and text."""

    name: str
    text: str


class Person(NamedTuple):
    """A submission to be."""

    name: str
    sources: tuple[Source, ...]
    label: str | None = None
    date: str | None = None
    archived: bool = False
    person: str | None = None
    assignment: str | None = None


class Token(NamedTuple):
    kind: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    found = []
    for token in TOKEN.finditer(text):
        first = token[0][0]
        if first in "#;(){}," or token[0].startswith("//"):
            continue
        kind = token[0] if token[0] in KEYWORDS else "n" if first.isalpha() else "0" if first.isdigit() else first
        found.append(Token(kind, token.start(), token.end()))
    return found


@cache
def blocks_of(left: tuple[str, ...], right: tuple[str, ...]) -> list[Block]:
    """Return the runs that both streams have. Many of a class are the same but for names, and difflib is slow."""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return [block for block in matcher.get_matching_blocks() if block.size >= SHORTEST]


def passages_of(left: Source, right: Source, left_tokens: list[Token], right_tokens: list[Token]) -> list[Passage]:
    blocks = blocks_of(tuple(t.kind for t in left_tokens), tuple(t.kind for t in right_tokens))
    chains: list[list[tuple[int, int, int]]] = []
    for block in blocks:
        last = chains[-1][-1] if chains else None
        near = last is not None and max(block.a - last[0], block.b - last[1]) - last[2] <= LARGEST_GAP
        if near:
            chains[-1].append((block.a, block.b, block.size))
        else:
            chains.append([(block.a, block.b, block.size)])
    return [_passage(left, right, left_tokens, right_tokens, chain) for chain in chains]


def _passage(left, right, left_tokens, right_tokens, chain) -> Passage:
    matches = tuple(
        Match(
            Span(left_tokens[a].start, left_tokens[a + size - 1].end),
            Span(right_tokens[b].start, right_tokens[b + size - 1].end),
            size,
        )
        for a, b, size in chain
    )
    return Passage(
        side(left, matches[0].left.start, matches[-1].left.end),
        side(right, matches[0].right.start, matches[-1].right.end),
        sum(match.symbols for match in matches),
        matches,
    )


def side(source: Source, start: int, end: int) -> Side:
    lines = [source.text.count("\n", 0, place) + 1 for place in (start, max(start, end - 1))]
    return Side(source.name, start, end, *lines)


def pair_of(
    people: Sequence[Person], left: int, right: int, streams: dict[tuple[int, int], list[Token]]
) -> Pair | None:
    passages = [
        passage
        for i, a in enumerate(people[left].sources)
        for j, b in enumerate(people[right].sources)
        for passage in passages_of(a, b, streams[left, i], streams[right, j])
    ]
    if not passages:
        return None
    equal = sum(passage.symbols for passage in passages)
    totals = [sum(len(streams[s, f]) for f in range(len(people[s].sources))) for s in (left, right)]
    similarity = equal / max(1, sum(totals) - equal)
    containment = min(1.0, equal / max(1, min(totals)))
    coverage = [min(1.0, equal / max(1, total)) for total in totals]
    longest = max(passage.symbols for passage in passages)
    passages.sort(key=lambda passage: -passage.symbols)
    score = Score((ScorePart("tokens", similarity, containment),), equal, 1.0)
    return Pair(left, right, score, equal // 3, coverage[0], coverage[1], longest, tuple(passages))


def compare(
    people: Sequence[Person],
    *,
    threshold: float = 0.3,
    sanctioned: Callable[[str], tuple[Span, ...]] = lambda text: (),
    skipped: tuple[Skipped, ...] = (),
    notes: tuple[str, ...] = (),
    groups: tuple[Group, ...] = (),
) -> Comparison:
    """All pairs of people."""
    streams = {(s, f): tokens(source.text) for s, of in enumerate(people) for f, source in enumerate(of.sources)}
    every = [pair_of(people, left, right, streams) for left, right in combinations(range(len(people)), 2)]
    found = sorted((pair for pair in every if pair is not None), key=lambda pair: -pair.score)
    scores = [0] * 101
    for pair in found:
        scores[int(100 * pair.score)] += 1
    pairs = tuple(pair for pair in found if pair.score >= threshold)
    submissions = tuple(_submission(s, of, streams, sanctioned, notes) for s, of in enumerate(people))
    return Comparison(
        scheme=Scheme(frontend="code", k=8, w=4), submissions=submissions, pairs=pairs, clusters=clusters(pairs),
        groups=groups, skipped=skipped, threshold=threshold, measure="score", scores=tuple(scores), omitted=0,
        compared=len(every), long=0, identical=(),
        text=lambda submission, file: people[submission].sources[file].text,
    )  # fmt: skip


def _submission(number, person, streams, sanctioned, notes) -> Submission:
    files = tuple(
        File(source.name, "java", len(streams[number, f]), sanctioned(source.text), notes if f == 0 else ())
        for f, source in enumerate(person.sources)
    )
    symbols = sum(file.symbols for file in files)
    return Submission(
        person.name, files, symbols, symbols // 3, person.archived, person.person, person.assignment, person.label,
        person.date,
    )  # fmt: skip


def clusters(pairs: Sequence[Pair]) -> tuple[Cluster, ...]:
    home: dict[int, set[int]] = {}
    for pair in pairs:
        union = home.get(pair.left, {pair.left}) | home.get(pair.right, {pair.right})
        for member in union:
            home[member] = union
    distinct = {min(members): members for members in home.values()}
    return tuple(
        Cluster(tuple(sorted(members)), tuple(n for n, pair in enumerate(pairs) if pair.left in members))
        for members in distinct.values()
    )


PROGRAMS = (
    """def mean(values):
    total = 0
    for value in values:
        total = total + value
    return total / len(values)

def spread(values):
    middle = mean(values)
    largest = 0
    for value in values:
        if value - middle > largest:
            largest = value - middle
    return largest
""",
    """def primes(limit):
    found = []
    for number in range(2, limit):
        if all(number % small for small in found):
            found.append(number)
    return found

def twins(limit):
    known = primes(limit)
    return [(a, b) for a, b in zip(known, known[1:]) if b - a == 2]
""",
    """class Queue:
    def __init__(self):
        self.items = [None] * 8
        self.first = self.count = 0

    def push(self, item):
        self.items[(self.first + self.count) % len(self.items)] = item
        self.count += 1

    def pull(self):
        item = self.items[self.first]
        self.first = (self.first + 1) % len(self.items)
        self.count -= 1
        return item
""",
)


def variant(program: int, number: int) -> str:
    """The same program with other names, a comment, and for every third a changed middle."""
    text = (
        PROGRAMS[program].replace("value", f"v{number}").replace("number", f"n{number}").replace("item", f"x{number}")
    )
    lines = text.splitlines()
    if number % 3 == 0:
        half = len(lines) // 2
        lines[half:half] = [f"    check{number} = {number} if True else [{number}, 2, 3]  # added"]
    return f"# version {number}\n" + "\n".join(lines) + "\n"


def classroom(size: int = 12, **options) -> Comparison:
    """A class with copies, two files each, labels, dates, archived ones and a group."""
    people = [
        Person(
            f"student {i:02d}",
            (Source("main.py", variant(i % 3, i)), Source("extra.py", f"print({i})\n" * (i % 4 + 1))),
            label=("copied", "own")[i % 2] if i % 5 else None,
            date=f"2024-0{1 + i % 8}-1{i % 10}",
            archived=i % 6 == 5,
            person=f"p{i}",
            assignment="stats",
        )
        for i in range(size)
    ]
    return compare(people, **options)
