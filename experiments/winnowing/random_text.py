"""Section 5.1, the first experiment: densities on 8 MB of random text."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

import whorl
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper
from experiments.winnowing.scheme import EXPECTED, MOD, WINNOW, K, P, W, random_text
from whorl.engine.hashing import karp_rabin_improved
from whorl.engine.selectors import Mod
from whorl.engine.winnowing import Winnow

NUMBERS = paper("winnowing")["random_text"]

# A density is as expected within one part in fifty: at 8 MB, four standard errors are a third of that.
CLOSE = 0.02

# Hash values are sorted into so many equal parts of their range; of uniform ones the fullest is so many standard errors
# above the mean once in a thousand texts.
BINS, UNEVEN = 64, 4.5


@dataclass(frozen=True)
class Densities:
    """Of winnowing and of 0 mod p, by Whorl's keyed hash and by the paper's own; and how uneven the hashes are: by how
    many standard errors the fullest bin of their range is above the mean."""

    winnowing: float
    mod: float
    own_winnowing: float
    own_mod: float
    fullest: float


def measure(size: int, seed: int) -> Densities:
    """On so many random letters."""
    text = random_text(size, seed)
    hashes = karp_rabin_improved(text, K)
    # The low bits of a polynomial hash are poor: 0 mod p takes its remainder from the upper half.
    upper = hashes >> np.uint64(32)
    counts = np.bincount((hashes >> np.uint64(58)).astype(np.int64), minlength=BINS)
    return Densities(
        whorl.fingerprint(text, WINNOW).density,
        whorl.fingerprint(text, MOD).density,
        len(Winnow(W).select(hashes)) / len(hashes),
        len(Mod(P).select(upper)) / len(hashes),
        float((counts.max() - counts.mean()) / sqrt(counts.mean())),
    )


def section(setting: Setting) -> Section:
    """Return the paper's two densities, under two hash functions."""
    size = setting.many(NUMBERS["bytes"], 500_000)
    found = measure(size, setting.seed)
    rows = [
        ("winnowing, w = 100", f"{NUMBERS['winnowing']:.6f}", f"{found.winnowing:.6f}", f"{found.own_winnowing:.6f}",
         f"{EXPECTED:.6f}"),
        ("0 mod 50", f"{NUMBERS['mod']:.6f}", f"{found.mod:.6f}", f"{found.own_mod:.6f}", f"{1 / P:.6f}"),
    ]  # fmt: skip
    findings = [
        Finding("winnowing selects 2/(w+1) of the hashes", rows[0][1], rows[0][2], near(found.winnowing, EXPECTED)),
        Finding("0 mod 50 selects 1/50", rows[1][1], rows[1][2], near(found.mod, 1 / P)),
        Finding("the hash values are uniform", "observed",
                f"fullest of {BINS} bins {found.fullest:.1f}σ above the mean", found.fullest < UNEVEN),
    ]  # fmt: skip
    return Section(
        "Section 5.1: densities on random text",
        "8 MB of random text, k = 50, w = 100, p = 50: the densities match the prediction, so the hash is good enough.",
        f"{size:,} random letters of our own, and a keyed hash of 32 bits that orders k-grams; the paper's rolling "
        "hash H′ modulo 2^64 is measured beside it.",
        [Table("Densities", ("selector", "paper", "Whorl's hash", "the paper's hash H′", "theory"), rows)],
        findings=findings,
    )


def near(measured: float, expected: float, close: float = CLOSE) -> bool:
    """Return whether two numbers differ by no more than a part."""
    return abs(measured / expected - 1) <= close
