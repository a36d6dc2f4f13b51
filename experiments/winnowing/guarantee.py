"""Section 3.1.1: how often 0 mod p misses what winnowing, at the same density, is sure to find."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

import whorl
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper
from experiments.winnowing.scheme import LETTERS, MOD, ROBUST, WINNOW, K, P, W, random_text

MISSED: float = paper("winnowing")["guarantee"]["missed"]

# The guarantee: t = w + k - 1.
T = W + K - 1

# What theory says at p = 50: (1 - 1/p)^w. The paper's 13.5% is the limit at p = (w + 1) / 2.
THEORY = (1 - 1 / P) ** W

# Letters of a document round the passage that it shares, on either side.
AROUND = 100

# Standard errors that a share may be off.
ERRORS = 4.0


@dataclass(frozen=True)
class Missed:
    """The share of windows without a fingerprint, and of shared passages of t letters without one in common."""

    windows: float
    passages: float


def measure(scheme: whorl.Scheme, letters: int, pairs: int, seed: int) -> Missed:
    """Both shares under a scheme."""
    return Missed(_windows(scheme, letters, seed), _passages(scheme, pairs, seed))


def _windows(scheme: whorl.Scheme, letters: int, seed: int) -> float:
    """Windows that do not overlap, so that they are independent."""
    found = whorl.fingerprint(random_text(letters, seed), scheme)
    count = found.grams // W
    hit = np.unique(found.positions[found.positions < count * W] // W)
    return 1 - len(hit) / count


def _passages(scheme: whorl.Scheme, pairs: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    return sum(not _is_found(scheme, rng) for _ in range(pairs)) / pairs


def _is_found(scheme: whorl.Scheme, rng: np.random.Generator) -> bool:
    """Two documents that have t letters in common, and nothing else."""
    shared = _letters(T, rng)
    left, right = (
        np.concatenate([_letters(int(rng.integers(AROUND)), rng), shared, _letters(AROUND, rng)]) for _ in range(2)
    )
    one, other = (whorl.fingerprint(side, scheme).hashes for side in (left, right))
    return bool(np.isin(one, other).any())


def _letters(count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    return rng.integers(LETTERS, size=count, dtype=np.uint8)


def section(setting: Setting) -> Section:
    """0 mod 50 beside winnowing and its robust form."""
    letters, pairs = setting.many(8_000_000, 1_000_000), setting.many(10_000, 2_000)
    found = {
        name: measure(scheme, letters, pairs, setting.seed)
        for name, scheme in (("0 mod 50", MOD), ("winnowing", WINNOW), ("robust winnowing", ROBUST))
    }
    rows = [(name, f"{one.windows:.2%}", f"{one.passages:.2%}") for name, one in found.items()]
    mod, sure = found["0 mod 50"], (found["winnowing"], found["robust winnowing"])
    findings = [
        Finding("0 mod p selects nothing in a window of w hashes with probability (1 - d)^w", f"{MISSED:.1%}",
                f"{mod.windows:.2%}", within(mod.windows, THEORY, letters // W)),
        Finding("so it misses as many passages of t letters", f"{MISSED:.1%}", f"{mod.passages:.2%}",
                within(mod.passages, THEORY, pairs)),
        Finding("winnowing never does", "0", f"{max(one.windows + one.passages for one in sure):.0%}",
                all(one.windows == one.passages == 0 for one in sure)),
    ]  # fmt: skip
    return Section(
        "Section 3.1.1: what 0 mod p misses",
        "At the density of winnowing, no hash of a given window is 0 mod p with probability e^-2, about 13.5%. "
        "Winnowing never fails.",
        f"The paper computes; this measures, on {letters // W:,} windows of random letters that do not overlap, and "
        f"on {pairs:,} pairs of documents that share {T} letters and nothing else. p = 50 is a little denser than (w "
        f"+ 1)/2 = 50.5, so theory says {THEORY:.2%}.",
        [Table("Missed", ("selector", "windows without a fingerprint", "shared passages not found"), rows)],
        findings=findings,
    )


def within(share: float, expected: float, count: int) -> bool:
    """Return whether a share of so many is as expected, but for chance."""
    return abs(share - expected) <= ERRORS * sqrt(expected * (1 - expected) / count)
