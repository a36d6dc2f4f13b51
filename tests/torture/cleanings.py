"""Output folders of cleaned corpora, tortured as stores: whatever happened, a run that resumes gives the same files."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.index.corpus import prose
from tests.torture.stores import Kind
from whorl.cli import main

PARTS = ("--tokens", "8", "--shortest", "10")


class Cleanings(Kind):
    """A change is a run that starts over. ``base`` is where the corpus is, beside what is tortured."""

    name = "cleaning"
    life = 4  # each run once

    def __init__(self, base: Path) -> None:
        self._base, corpus = base, base / "corpus"
        corpus.mkdir(parents=True)
        for shard in range(3):
            texts = [f"{prose(number, 12)}\n\n{prose(shard * 9 + number, 12)}" for number in range(6)]
            (corpus / f"{shard}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        (base / "items.jsonl").write_text(json.dumps({"id": 1, "question": prose(2, 12)}) + "\n")
        self._runs = {
            "documents": ("dedup", corpus),
            "lines": ("dedup", corpus, "--unit", "line", "--shortest", "10"),
            "passages": ("dedup", corpus, "--unit", "passage", *PARTS),
            "leaks": ("decontaminate", corpus, "--against", base / "items.jsonl", "--shortest", "10"),
        }
        self._right: dict[str, dict[str, bytes]] = {}

    def prepare(self) -> None:
        """Find out what is right, while nothing is tortured."""
        for name in self._runs:
            self._run(self._base / name, name)
            self._right[name] = _files(self._base / name)

    def create(self, folder: Path) -> None:
        folder.mkdir()

    def change(self, who: int, number: int) -> tuple[str, str]:
        return "none", ""

    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        for number in numbers:
            name = list(self._runs)[number % len(self._runs)]
            self._run(folder / name, name, "--fresh")
            acknowledge(number)

    def names(self, folder: Path) -> set[str]:
        for name, right in self._right.items():
            self._run(folder / name, name)
            files = _files(folder / name)
            wrong = sorted(each for each in {*files, *right} if files.get(each) != right.get(each))
            assert not wrong, (name, wrong, [files.get(each, b"")[:300] for each in wrong])
        return set()

    def _run(self, out: Path, name: str, *more: str) -> None:
        given = [*map(str, self._runs[name]), "-o", str(out), "--workers", "1", "--format", "json", *more]
        main.main(given, standalone_mode=False)


def _files(out: Path) -> dict[str, bytes]:
    paths = (path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}
