"""What a reproduction is asked for, and the numbers of its paper."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent.parent


@dataclass(frozen=True)
class Setting:
    """The seed of all that is drawn; a quick run is a small one; without a corpus the documents are drawn too."""

    seed: int = 1
    quick: bool = False
    corpus: Path | None = None

    def many(self, full: int, quick: int) -> int:
        """Return how many of something: all, or those of a quick run."""
        return quick if self.quick else full


@lru_cache
def paper(name: str) -> dict[str, Any]:
    """Return the paper's own numbers, by table or figure."""
    return tomllib.loads((HOME / name / "paper.toml").read_text("utf-8"))
