"""The same two people over several assignments."""

from collections.abc import Sequence
from math import prod

from whorl.comparison.result import Group, Pair, Submission


def groups(pairs: Sequence[Pair], submissions: Sequence[Submission]) -> tuple[Group, ...]:
    """All pairs of the same two people, in one group each, best first.

    A group's score is 1 - Π (1 - score) over its assignments, of each the best pair: what is a little suspicious three
    times is more than what is so once.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for number, pair in enumerate(pairs):
        people = sorted(submissions[side].person or "" for side in (pair.left, pair.right))
        if all(people) and people[0] != people[1]:
            members.setdefault((people[0], people[1]), []).append(number)
    found = [Group(*people, _score(pairs, submissions, numbers), tuple(numbers)) for people, numbers in members.items()]
    return tuple(sorted(found, key=lambda group: (-group.score, group.left, group.right)))


def _score(pairs: Sequence[Pair], submissions: Sequence[Submission], numbers: Sequence[int]) -> float:
    best: dict[tuple[str | None, str | None], float] = {}
    for number in numbers:
        pair = pairs[number]
        assignment = submissions[pair.left].assignment, submissions[pair.right].assignment
        best[assignment] = max(pair.score, best.get(assignment, 0.0))
    return 1 - prod(1 - score for score in best.values())
