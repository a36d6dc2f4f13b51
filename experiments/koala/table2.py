"""Table 2: selective against full fingerprinting."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import whorl
from experiments.koala.distribution import BASELINE, distribution
from experiments.koala.documents import documents
from experiments.koala.tables import data
from experiments.reproduction.record import MARKS, PLAIN, Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting, paper
from whorl.model import Hashes

FULL = whorl.Scheme(symbols=BASELINE.symbols, k=BASELINE.k, prolog=BASELINE.prolog, select="full")

# Match ratios from here on are not the accident of a substring or two; and documents of about equal length, of which
# section 3.5 says that selective fingerprinting gives what full fingerprinting does.
REAL, ALIKE = 0.10, 1.5

# "Within a factor of two, and usually much closer."
FACTOR, MUCH_CLOSER = 2.0, 1.35

# Rows that are shown: as many as the paper has, spread over all ratios.
ROWS = 15

# Pairs without a match, of which full fingerprinting is asked as well.
UNMATCHED = 5


@dataclass(frozen=True)
class Pair:
    """How much of a document is in another, by both ways. ``lengths`` is how many times as long the longer is."""

    selective: float
    shared: int
    total: int
    lengths: float

    @property
    def full(self) -> float:
        """The match ratio of full fingerprinting."""
        return self.shared / self.total


@lru_cache(maxsize=1)
def measure(setting: Setting) -> list[Pair]:
    """Return all pairs that selective fingerprinting finds, the highest first, and some that it does not."""
    full = [np.unique(whorl.fingerprint(entry.text, FULL).hashes) for entry in documents(setting)]
    matches = {(one.asked, one.found): one.ratio for one in distribution(setting).matches if one.asked != one.found}
    ordered = sorted(matches, key=lambda pair: (-matches[pair], pair))
    # Most matches are accidents of 1%: a few stand for all.
    kept = [pair for pair in ordered if matches[pair] > 0.02] + [pair for pair in ordered if matches[pair] <= 0.02][
        :200
    ]
    without = [(0, other) for other in range(1, len(full)) if (0, other) not in matches][:UNMATCHED]
    return [_pair(full[asked], full[found], matches.get((asked, found), 0.0)) for asked, found in kept + without]


def _pair(asked: Hashes, found: Hashes, selective: float) -> Pair:
    """Return a pair with both shares of the stored document."""
    shared = len(np.intersect1d(asked, found, assume_unique=True))
    return Pair(selective, shared, len(found), max(len(asked), len(found)) / min(len(asked), len(found)))


def comparable(pairs: list[Pair]) -> list[Pair]:
    """Those that section 3.5 speaks of: lengths about equal, and more than an accident."""
    return [pair for pair in pairs if pair.lengths <= ALIKE and max(pair.selective, pair.full) >= REAL]


def factors(pairs: list[Pair]) -> list[float]:
    """Return how far apart both ways are, as a factor."""
    return [max(pair.selective, pair.full) / max(min(pair.selective, pair.full), 1e-9) for pair in pairs]


def section(setting: Setting) -> Section:
    """Return the paper's rows, ours, and all pairs as a plot."""
    pairs = measure(setting)
    near, unmatched = comparable(pairs), [pair for pair in pairs if not pair.selective]
    apart = factors(near)
    shown = [pairs[round(at * (len(pairs) - 1) / (ROWS - 1))] for at in range(ROWS)]
    figure = Figure(
        "Match ratio by selective and by full fingerprinting",
        Axis("full fingerprinting", low=0, high=1), Axis("selective fingerprinting", low=0, high=1),
        [
            Series(f"lengths within a factor of {ALIKE}", _points(pairs, 0, ALIKE), MARKS),
            Series("lengths farther apart", _points(pairs, ALIKE, 1e9), MARKS),
            Series("equal", [(0, 0), (1, 1)], PLAIN),
        ],
    )  # fmt: skip
    findings = [
        Finding("match ratios are within a factor of two of full fingerprinting's", "all of a small collection",
                f"{sum(factor <= FACTOR for factor in apart)} of {len(apart)} pairs of about equal length",
                sum(factor <= FACTOR for factor in apart) >= 0.95 * len(apart)),
        Finding("and usually much closer", "usually", f"median factor {np.median(apart):.2f}",
                float(np.median(apart)) <= MUCH_CLOSER),
        Finding("what does not match selectively has next to nothing in common", "0.3% at the most",
                f"{max(pair.full for pair in unmatched):.2%} at the most", max(pair.full for pair in unmatched) < 0.02),
    ]  # fmt: skip
    return Section(
        "Table 2: selective against full fingerprinting",
        "For a small collection, the match ratios of 100 stored substrings are within a factor of two of those of "
        "all substrings, and usually much closer. Where lengths differ much they need not be (section 3.5).",
        data(setting),
        [_paper_table(), Table("Ours: pairs spread over all ratios", _HEAD, list(map(_row, shown)))],
        [figure], findings,
    )  # fmt: skip


_HEAD = ("selective (%)", "full (%)", "matches/total", "lengths")


def _row(pair: Pair) -> tuple[str, ...]:
    return (
        f"{100 * pair.selective:.0f}",
        f"{100 * pair.full:.2g}",
        f"{pair.shared}/{pair.total}",
        f"{pair.lengths:.1f}×",
    )


def _paper_table() -> Table:
    rows = [(str(a), str(b), f"{shared}/{total}") for a, b, shared, total in paper("koala")["table2"]["rows"]]
    return Table("The paper's", _HEAD[:3], rows)


def _points(pairs: list[Pair], low: float, high: float) -> list[tuple[float, float]]:
    return [(pair.full, pair.selective) for pair in pairs if low < pair.lengths <= high]
