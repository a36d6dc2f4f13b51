"""The attack on what is told of others: find a number in somebody else's letter by asking again and again.

The attacker knows all of the letter but the number. A query has a part of the letter, placed just below the bound, and
guesses: if one of them is right, one more fingerprint is shared, and the answer changes.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.service.harness import prose, settings_in
from tests.service.stage import Clock
from whorl.service.audit import AuditLog
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.database import ServiceDatabase
from whorl.service.disclosure import ANSWERS, DAYS, LETTERS, SHARED, Disclosure, Level, Overlap, levels
from whorl.service.documents import NewDocument, add_document
from whorl.service.search import SearchQuery, search
from whorl.service.settings import Others

NUMBERS = 10_000
# Fingerprints of the letter that the attacker knows, and those of a query without the guesses.
KNOWN, FILLER = 60, 30
SPY = Principal("spy", "spy", frozenset({TokenScope.SEARCH}))

Oracle = Callable[[int, frozenset[int]], bool]


@dataclass
class World:
    """A letter of 61 fingerprints, one of which the number decides, and what is told of it."""

    number: int
    chance: random.Random
    tell: Callable[[Overlap], list[tuple[int, Level]]]
    asked: int = field(default=0)

    def ask(self, known: int, guesses: frozenset[int]) -> bool:
        """Whether anything is told of the letter, to a query that no other query is like."""
        self.asked += 1
        shared = known + (self.number in guesses)
        filler = np.array([self.chance.getrandbits(64) for _ in range(FILLER)], np.uint64)
        numbers, sizes = np.array([7], np.uint32), np.array([KNOWN + 1])
        return bool(self.tell(Overlap(numbers, np.array([shared]), sizes, FILLER + known, np.sort(filler))))


def recovered(world: World, queries: int) -> int:
    """The number that an attacker ends up with: looks for the bound, then halves the guesses, until both are clear; and
    begins again, as the bound may have moved, until the queries are used up."""
    votes = np.zeros(NUMBERS)
    while world.asked < queries:
        below = next((known for known in range(SHARED, KNOWN) if world.ask(known, frozenset())), KNOWN) - 1
        low, high = 0, NUMBERS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if world.ask(below, frozenset(range(low, middle))) else (middle, high)
        votes[low] += 1
    return int(votes.argmax())


def guarded(folder: Path, others: Others, clock: Clock) -> Iterator[Disclosure]:
    with ServiceDatabase(folder / "service.sqlite") as database:
        yield Disclosure(database, AuditLog(database), b"x" * 32, 100, clock)


def test_the_attack_works_on_answers_that_nothing_guards() -> None:
    """Else it would prove nothing that it fails below."""
    world = World(4711, random.Random(1), lambda overlap: levels(overlap, LETTERS, Others.EXISTS))
    assert recovered(world, 1) == 4711
    assert world.asked < 30


@pytest.mark.parametrize("others", [Others.EXISTS, Others.CONTACT])
@pytest.mark.parametrize("pace", [timedelta(), timedelta(minutes=20)], ids=["in a moment", "over days"])
def test_the_attack_recovers_nothing(tmp_path, others, pace) -> None:
    chance, clock, right = random.Random(2), Clock(), 0
    for round_ in range(3):
        folder = tmp_path / str(round_)
        folder.mkdir()
        number = chance.randrange(1, NUMBERS)
        for discretion in guarded(folder, others, clock):

            def tell(overlap: Overlap, guard: Disclosure = discretion) -> list[tuple[int, Level]]:
                clock.time += pace
                return guard.disclose(SPY, overlap, LETTERS, others)[0]

            right += recovered(World(number, chance, tell), 300) == number
    assert right == 0


@pytest.mark.slow
@pytest.mark.parametrize("others", list(Others))
def test_the_attack_recovers_nothing_in_a_hundred_thousand_queries(tmp_path, others) -> None:
    number = random.Random(3).randrange(1, NUMBERS - 1)  # an attacker who learns nothing ends up with the last one
    for discretion in guarded(tmp_path, others, Clock()):

        def tell(overlap: Overlap, guard: Disclosure = discretion) -> list[tuple[int, Level]]:
            return guard.disclose(SPY, overlap, LETTERS, others)[0]

        world = World(number, random.Random(4), tell)
        assert recovered(world, 100_000) != number
        assert world.asked >= 100_000


def test_nearly_the_same_queries_get_the_first_answer(tmp_path) -> None:
    clock = Clock()
    for discretion in guarded(tmp_path, Others.EXISTS, clock):
        hashes = np.arange(1, 101, dtype=np.uint64)

        def said(
            shared: int, hashes: NDArray[np.uint64] = hashes, discretion: Disclosure = discretion
        ) -> list[tuple[int, Level]]:
            overlap = Overlap(np.array([7], np.uint32), np.array([shared]), np.array([60]), 100, np.sort(hashes))
            return discretion.disclose(SPY, overlap, LETTERS, Others.EXISTS)[0]

        assert said(5) == []
        assert said(60) == []  # the same text: the same answer, whatever was added meanwhile
        changed = np.append(hashes[:80], np.arange(1000, 1020, dtype=np.uint64))
        assert said(60, changed) == []
        assert said(60, hashes + 5000) == [(7, "most")]
        clock.forward(days=DAYS + 1)
        assert said(60) == [(7, "most")]


def test_answers_about_a_document_and_of_a_day_are_counted_and_alarms_raised(tmp_path) -> None:
    clock = Clock()
    with ServiceDatabase(tmp_path / "service.sqlite") as database:
        audit = AuditLog(database, clock=clock)

        def said(query: int, document: int, who: Principal = SPY) -> tuple[list[tuple[int, Level]], str]:
            discretion = Disclosure(database, audit, b"x" * 32, 5, clock)  # as after a restart
            hashes = np.arange(1000 * query, 1000 * query + 100, dtype=np.uint64)
            overlap = Overlap(np.array([document], np.uint32), np.array([60]), np.array([60]), 60, hashes)
            return discretion.disclose(who, overlap, LETTERS, Others.EXISTS)

        assert [said(query, 7)[0] for query in range(1, ANSWERS + 2)] == [[(7, "most")]] * ANSWERS + [[]]
        assert [(line.subject, line.outcome) for line in audit.listed("spy")] == [("7", "alarm")]
        assert said(50, 8)[0] == [(8, "most")]
        answer, note = said(51, 9)
        assert answer == []
        assert "limit" in note
        assert audit.listed("spy")[0].detail == "5 answers are used up"
        assert said(52, 9, Principal("b", "bolt", frozenset()))[0] == [(9, "most")]
        clock.forward(days=1)
        assert said(53, 9)[0] == [(9, "most")]


def test_a_letter_is_not_guessed_through_the_service(tmp_path) -> None:
    """The same end to end: the letter is in the index, and guesses are texts."""
    start, end = prose(71, 60), prose(72, 60)
    context = Context(settings_in(tmp_path, others=Others.EXISTS, foreign_answers=100))
    try:
        owner = Principal("bolt", "bolt", frozenset({TokenScope.ADD}))
        add_document(
            context, owner, NewDocument(name="letter", content=f"{start} the number is four seven one one {end}")
        )

        def said(text: str) -> tuple[str, ...]:
            answer = search(context, SPY, SearchQuery(content=text, passages=False))
            return tuple(match.level for match in answer.foreign)

        answers = [
            said(" ".join((prose(73 + number, 100), *start.split()[-number:], f"the number is {number}", prose(9, 40))))
            for number in range(60)
        ]
        changes = sum(one != other for one, other in pairwise(answers))
        assert changes <= 2 * ANSWERS
        assert any(line.outcome == "alarm" for line in context.audit.listed("spy", limit=500))
    finally:
        context.close()
