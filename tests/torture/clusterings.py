"""A clustering's folder as a store that is tortured: whatever happened to it, a command gives the same result."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from pyarrow import parquet

from tests.index.corpus import prose
from tests.torture.stores import Kind
from whorl.cli import main
from whorl.clustering.output import check

THRESHOLDS = (0.3, 0.6, 0.9)


class Clusterings(Kind):
    """A change is a run with another threshold. ``base`` is where the corpus is, beside what is tortured."""

    name = "clustering"
    life = 4  # each way to begin again once

    def __init__(self, base: Path) -> None:
        self._corpus = base / "corpus"
        self._corpus.mkdir(parents=True)
        for number in range(24):
            (self._corpus / f"{number:02}.txt").write_text(prose(number // 3, 60) + prose(100 + number, 10))
        self._right = cache(self._fresh)
        self._base = base

    def create(self, folder: Path) -> None:
        folder.mkdir()

    def change(self, who: int, number: int) -> tuple[str, str]:
        return "none", ""

    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        for number in numbers:
            threshold, common = THRESHOLDS[number % len(THRESHOLDS)], 1000 if number % 2 else 900
            boilerplate, more = 2 if number % 3 else 0, ["--fresh"] if number % 4 == 3 else []
            self._run(folder / "out", threshold, common, boilerplate, more)
            acknowledge(number)

    def names(self, folder: Path) -> set[str]:
        check(folder / "out")
        for threshold in THRESHOLDS[:2]:
            self._run(folder / "out", threshold)
            assert _answers(folder / "out") == self._right(threshold)
        return set()

    def _fresh(self, threshold: float) -> object:
        out = self._base / f"right-{threshold}"
        if not out.exists():
            self._run(out, threshold)
        return _answers(out)

    def prepare(self) -> None:
        """Find out what is right, while nothing is tortured."""
        for threshold in THRESHOLDS[:2]:
            self._right(threshold)

    def _run(
        self, out: Path, threshold: float, common: int = 1000, boilerplate: int = 2, more: Sequence[str] = ()
    ) -> None:
        numbers = {"threshold": threshold, "common": common, "boilerplate": boilerplate, "workers": 1}
        given = [text for name, value in numbers.items() for text in (f"--{name}", str(value))] + ["--format", "json"]
        main.main(["cluster", str(self._corpus), "-o", str(out), *given, *more], standalone_mode=False)


def _answers(out: Path) -> object:
    check(out)
    tables = [parquet.read_table(out / f"{name}.parquet").to_pylist() for name in ("documents", "pairs")]
    return tables, (out / "keep.txt").read_bytes()
