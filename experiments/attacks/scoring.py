"""Scores of a class, as ``whorl compare`` gives them."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import whorl

# What a submission is given as: its files by name.
Files = Sequence[tuple[str, str]]


class Scores:
    """The scores of all pairs of a class, by the names of both. A pair that shares nothing has 0."""

    def __init__(self, found: Mapping[frozenset[str], float]) -> None:
        self._found = found

    def of(self, one: str, two: str) -> float:
        """Return the score of a pair."""
        return self._found.get(frozenset((one, two)), 0.0)


def scores(submissions: Mapping[str, Files], scheme: str, *, normal_form: bool = True) -> Scores:
    """Compare submissions with each other."""
    with tempfile.TemporaryDirectory(prefix="whorl-attacks-") as folder:
        for name, files in submissions.items():
            for file, text in files:
                path = Path(folder, name, file)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, "utf-8")
        # Every pair counts here, however little it shares.
        most = len(submissions) ** 2
        found = whorl.compare_all(folder, scheme, normal_form=normal_form, threshold=0.0, limit=most)
    names = [submission.name for submission in found.submissions]
    return Scores({frozenset((names[pair.left], names[pair.right])): pair.score for pair in found.pairs})
