"""Super shingles: how surely one in common tells resemblance, and when it does not."""

from dataclasses import dataclass
from functools import partial

import numpy as np

import whorl
from experiments.clustering.crawled import clustered
from experiments.reproduction.record import DASHED, Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting
from experiments.supers.detection import drawn, rate, sampled
from experiments.supers.ways import PAPER, of_modulus
from whorl.engine.super_shingles import detection_probability

# Shingles of a super shingle. The paper says only that the number must be chosen correctly: of six, long documents that
# do not resemble each other share none.
SIZE = 6

# Words of documents, short and long, and what resemblances are planted.
LENGTHS = (200, 800, 5000)
RESEMBLANCES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

# A document of so many words, all of which is in one that is so many times as long.
WORDS, PARTS = 1600, (0.5, 0.33, 0.2, 0.1)

# Measured and told agree within so much; and what is a high probability and a low one.
CLOSE, HIGH, LOW = 0.15, 0.9, 0.1


@dataclass(frozen=True)
class Rate:
    """Pairs of one length and resemblance: how many share a super shingle, and what the formula tells."""

    words: int
    resemblance: float
    found: float
    theory: float


def measure(words: int, resemblance: float, pairs: int, seed: int) -> Rate:
    """Pairs edited all over, by the paper's sketch of one shingle in 25."""
    made = drawn(words, resemblance, pairs, seed, ("edited",))
    sample = sampled(made, PAPER)
    result = [detection_probability(pair.resemblance, SIZE, round(sample)) for pair in made]
    exact = float(np.mean([pair.resemblance for pair in made]))
    return Rate(words, exact, rate(partial(of_modulus, size=SIZE, modulus=PAPER), made), float(np.mean(result)))


def contained(part: float, pairs: int, seed: int) -> float:
    """Return the share of pairs that share one, when one document is a part of the other."""
    made = drawn(WORDS, part, pairs, seed, ("grown",))
    return rate(partial(of_modulus, size=SIZE, modulus=PAPER), made)


def agreement(plain: whorl.Clustering, supers: whorl.Clustering) -> float:
    """Of the pairs of one clustering, the share that the other has too."""
    left, right = (set(zip(one.pairs.left.tolist(), one.pairs.right.tolist(), strict=True)) for one in (plain, supers))
    return len(left & right) / max(1, len(left))


def section(setting: Setting) -> Section:
    """Detection by resemblance and length; containment; and a whole clustering by super shingles."""
    pairs = setting.many(200, 60)
    found = {words: [measure(words, r, pairs, setting.seed) for r in RESEMBLANCES] for words in LENGTHS}
    parts = {part: contained(part, pairs, setting.seed) for part in PARTS}
    plain, supers = clustered(setting, guarded=True), clustered(setting, guarded=True, supers=True)
    rows = [
        (f"{RESEMBLANCES[at]}", *(f"{found[words][at].found:.2f} ({found[words][at].theory:.2f})" for words in LENGTHS))
        for at in range(len(RESEMBLANCES))
    ]
    candidates = [next(phase.items for phase in one.phases if phase.name == "count pairs") for one in (plain, supers)]
    cluster_rows = [
        ("every shingle of the sketch", f"{candidates[0]:,}", f"{len(plain.pairs):,}", f"{len(plain.clusters()):,}"),
        ("super shingles", f"{candidates[1]:,}", f"{len(supers.pairs):,}", f"{len(supers.clusters()):,}"),
    ]
    return Section(
        "Super shingles",
        "Runs of neighbours of the sorted sketch. If their size is chosen correctly, similar documents share one "
        "with high probability, and one in common makes resemblance likely. They do not work well for short "
        "documents, and cannot detect containment.",
        f"{pairs} pairs for each length and resemblance, edited all over; sketches of one shingle in 25, super "
        f"shingles of {SIZE}. Whorl's clustering makes them of binned minima, so that short documents are found as "
        "well.",
        [
            Table("Pairs that share a super shingle: measured (predicted)",
                  ("resemblance", *(f"{words} words" for words in LENGTHS)), rows),
            Table(f"Containment: a document of {WORDS:,} words that is a part of another",
                  ("part of the larger", "share a super shingle"),
                  [(f"{part:.0%}", f"{one:.2f}") for part, one in parts.items()]),
            Table("A clustering of all documents",
                  ("candidates by", "candidate pairs", "pairs", "clusters"), cluster_rows),
        ],
        [_figure(found)], _findings(found, parts, agreement(plain, supers), candidates),
    )  # fmt: skip


def _figure(found: dict[int, list[Rate]]) -> Figure:
    series = [Series(f"{words:,} words", [(one.resemblance, one.found) for one in found[words]]) for words in LENGTHS]
    result = [Series(f"predicted, {words:,} words", [(one.resemblance, one.theory) for one in found[words]], DASHED)
            for words in LENGTHS]  # fmt: skip
    return Figure(
        "Pairs that share a super shingle, by resemblance and length",
        Axis("resemblance", low=0, high=1), Axis("share of pairs", low=0, high=1.02), [*series, *result],
    )  # fmt: skip


def _findings(
    found: dict[int, list[Rate]], parts: dict[float, float], agreed: float, candidates: list[int]
) -> list[Finding]:
    short, long = found[LENGTHS[0]], found[LENGTHS[-1]]
    at = {r: place for place, r in enumerate(RESEMBLANCES)}
    worst = max((one for rates in found.values() for one in rates), key=lambda one: abs(one.found - one.theory))
    return [
        Finding("similar documents share a super shingle with high probability", "highly probable",
                f"{long[at[0.8]].found:.0%} at a resemblance of 0.8", long[at[0.8]].found >= HIGH),
        Finding("one in common makes resemblance likely", "likely",
                f"{long[at[0.2]].found:.0%} share one at 0.2", long[at[0.2]].found <= LOW),
        Finding("they do not work well for short documents", "lower probability",
                f"{short[at[0.8]].found:.0%} of {LENGTHS[0]} words, {long[at[0.8]].found:.0%} of {LENGTHS[-1]:,}, at "
                "0.8",
                short[at[0.8]].found < long[at[0.8]].found - 0.2),
        Finding("they cannot detect containment", "cannot", f"{parts[0.1]:.0%} of parts of a tenth", parts[0.1] <= LOW),
        Finding("as often as the formula of runs tells", "not in the paper",
                f"off by {abs(worst.found - worst.theory):.2f} at the most", abs(worst.found - worst.theory) <= CLOSE),
        Finding("they are simpler and more efficient: fewer candidates, the same clusters", "claimed",
                f"{candidates[1] / max(1, candidates[0]):.1%} of the candidates, {agreed:.1%} of the pairs",
                candidates[1] < 0.5 * candidates[0] and agreed >= 0.95),
    ]  # fmt: skip
