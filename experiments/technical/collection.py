"""A collection of technical documents and derived versions of some of them, with what each was derived from."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.koala.derived import condensed, expanded, included, paragraphs, reorganised, revised, small_edits
from experiments.technical.reports import MEAN_WORDS, School

# As many documents as the paper has.
DOCUMENTS = 366

# One document in so many is a version of another, of each class in turn.
DERIVED_IN = 8


@dataclass(frozen=True)
class Entry:
    """A document; ``of`` is the number of what it was derived from, and ``how`` the class of section 2."""

    name: str
    text: str
    of: int | None = None
    how: str = ""


def borrowed(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 6: a tenth to a third of a document, within another of about that length."""
    parts, new = paragraphs(text), paragraphs(draw.choice(others))
    count = max(1, int(len(parts) * draw.uniform(0.1, 0.35)))
    start = draw.randrange(len(parts) // 5, max(len(parts) // 5 + 1, len(parts) - count))
    return "".join([*new[: len(new) // 3], *parts[start : start + count], *new[len(new) // 3 :]])


HOW: dict[str, Callable[[str, Sequence[str], random.Random], str]] = {
    "small edits": small_edits,
    "reorganised": reorganised,
    "revised": revised,
    "condensed": condensed,
    "expanded": expanded,
    "portion": borrowed,
    "passage": included,
}


def collection(count: int, seed: int, words: int = MEAN_WORDS) -> list[Entry]:
    """So many documents of so many words on average, the originals first."""
    school = School(seed, words)
    originals = [school.report(number) for number in range(count - count // DERIVED_IN)]
    return [
        *(Entry(f"report-{number}", text) for number, text in enumerate(originals)),
        *versions(originals, count // DERIVED_IN, seed, lambda number: school.report(count + number)),
    ]


def versions(texts: Sequence[str], count: int, seed: int, other: Callable[[int], str]) -> list[Entry]:
    """Derived versions of documents drawn from some; ``other`` gives the text that is put round what was taken."""
    draw = random.Random(f"versions {seed}")
    chosen = draw.sample(range(len(texts)), count)
    found = []
    for number, source in enumerate(chosen):
        how = list(HOW)[number % len(HOW)]
        found.append(Entry(f"version-{number}", HOW[how](texts[source], [other(number)], draw), source, how))
    return found
