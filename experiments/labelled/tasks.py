"""A labelled task: submissions that are compared in one run, and the pairs of them whose order is judged.

Where tasks come from is said in ``sets``, how a ranking is judged in ``measures``.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Two submissions by their names.
Pair = frozenset[str]


class LabelsError(Exception):
    """The labels of a set do not fit its files."""


@dataclass(frozen=True)
class Ranking:
    """Pairs to be ranked together, and for each whether it is labelled as a copy."""

    pairs: tuple[Pair, ...]
    is_copy: NDArray[np.bool_]

    def judged(self, scores: Mapping[Pair, float]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return what the measures take. A pair that a tool does not list scores 0."""
        return self.is_copy, np.array([scores.get(pair, 0.0) for pair in self.pairs])


@dataclass(frozen=True)
class Task:
    """Submissions, each a child of ``folder`` or of ``archive``; those of an archive are compared with the others only.

    ``base`` holds what everybody was given, ``include`` the patterns of file names that are read (all if empty).
    """

    name: str
    folder: Path
    rankings: tuple[Ranking, ...]
    archive: Path | None = None
    base: Path | None = None
    include: tuple[str, ...] = ()

    def files(self) -> dict[str, list[Path]]:
        """Return the files of each submission."""
        homes = [home for home in (self.folder, self.archive) if home is not None]
        return {child.name: list(self.read(child)) for home in homes for child in sorted(home.iterdir())}

    def read(self, child: Path) -> Iterator[Path]:
        """Yield the files of a submission, or of the base, that the patterns choose."""
        for path in sorted(child.rglob("*")) if child.is_dir() else [child]:
            if path.is_file() and (not self.include or any(fnmatch(path.name, each) for each in self.include)):
                yield path


def ranking_of(pairs: Iterable[Pair], copies: Collection[Pair]) -> Ranking:
    """Return a ranking of these pairs, which must hold all that are labelled."""
    pairs = tuple(pairs)
    if missing := set(copies) - set(pairs):
        raise LabelsError(f"labelled, but not among the pairs: {', '.join(sorted(min(missing, key=sorted)))}")
    return Ranking(pairs, np.array([pair in copies for pair in pairs], bool))


def all_pairs(names: Sequence[str]) -> tuple[Pair, ...]:
    """Return every pair of these names."""
    return tuple(frozenset(pair) for pair in combinations(sorted(names), 2))
