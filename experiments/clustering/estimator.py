"""The theorem: estimates of resemblance and containment are unbiased, and their error falls with the sketch's size."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

import whorl
from experiments.reproduction.record import DASHED, MARKS, Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting
from experiments.supers.pairs import edited, grown

# Words of a document, resemblances, sizes of MIN_s and moduli of MOD_m.
WORDS = 4000
RESEMBLANCES = (0.5, 0.9)
SIZES = (16, 32, 64, 128, 256, 512, 1024)
MODULI = (256, 128, 64, 25, 16, 8, 4)

# Standard errors that a mean, or a root of a mean square, may be off.
ERRORS = 4.0


@dataclass(frozen=True)
class Errors:
    """Estimates of one kind and size: mean sample, mean error, root of the mean square, what theory says of it."""

    kind: str
    size: int
    resemblance: float
    sample: float
    bias: float
    error: float
    theory: float
    pairs: int

    @property
    def is_unbiased(self) -> bool:
        """But for chance."""
        return abs(self.bias) <= ERRORS * self.theory / sqrt(self.pairs)

    @property
    def is_right(self) -> bool:
        """Whether the error is what theory says."""
        return abs(self.error / self.theory - 1) <= ERRORS / sqrt(2 * self.pairs)


def measure(kind: str, size: int, resemblance: float, pairs: int, seed: int, contained: bool = False) -> Errors:
    """Errors over pairs of documents with a known resemblance; ``contained``: of containment, in a larger document."""
    rng = np.random.default_rng([seed, size, round(100 * resemblance)])
    rows = []
    for _ in range(pairs):
        # The larger comes second: what is asked is how much of it is in the smaller, which is no more than a part.
        one, other = grown(WORDS // 4, resemblance, rng)[::-1] if contained else edited(WORDS, resemblance, rng)
        exact = (whorl.containment if contained else whorl.resemblance)(one, other, "web")
        made = [whorl.sketch(side, kind, size, "web") for side in (one, other)]
        estimate = whorl.estimate_containment if contained else whorl.estimate_resemblance
        result = estimate(made[0], made[1])
        union = len(one) + (0 if contained else len(other) * (1 - exact) / (1 + exact))
        # A sample without replacement, of which there is no more than the union.
        spread = exact * (1 - exact) / max(1, result.sample) * max(0.0, 1 - result.sample / union)
        rows.append((result.sample, result.value - exact, spread))
    sample, errors, spreads = np.array(rows).T
    return Errors(kind, size, resemblance, float(sample.mean()), float(errors.mean()),
                  float(np.sqrt(np.mean(errors**2))), float(np.sqrt(spreads.mean())), pairs)  # fmt: skip


def section(setting: Setting) -> Section:
    """Both kinds of sketches, two resemblances, all sizes; and containment."""
    pairs = setting.many(200, 60)
    sizes, moduli = (SIZES[1::2], MODULI[1::2]) if setting.quick else (SIZES, MODULI)
    found = [
        measure(kind, size, resemblance, pairs, setting.seed)
        for kind, those in (("min", sizes), ("mod", moduli))
        for resemblance in RESEMBLANCES
        for size in those
    ]
    held = [measure("mod", size, 0.5, pairs, setting.seed, contained=True) for size in moduli]
    return Section(
        "The theorem: error of the estimates",
        "MIN_s and MOD_m give unbiased estimates of resemblance, and MOD_m of containment. The analysis is left to "
        "another paper.",
        f"{pairs} pairs of documents of {WORDS:,} random words for each size, with a planted resemblance; the exact "
        "resemblance is computed from all shingles. Theory: r(1 - r) divided by the sample, drawn without replacement.",
        [Table("Resemblance", _HEAD, list(map(_row, found))),
         Table("Containment, about a half", _HEAD, list(map(_row, held)))],
        [_figure(found)], _findings(found, held),
    )  # fmt: skip


_HEAD = ("sketch", "resemblance", "mean sample", "mean error", "root mean square", "theory")


def _row(one: Errors) -> tuple[str, ...]:
    name = f"{one.kind.upper()}_{one.size}"
    return (
        name,
        f"{one.resemblance}",
        f"{one.sample:.0f}",
        f"{one.bias:+.4f}",
        f"{one.error:.4f}",
        f"{one.theory:.4f}",
    )


def _figure(found: list[Errors]) -> Figure:
    series = [
        Series(f"{kind.upper()}, resemblance {resemblance}", [(one.sample, one.error) for one in found
               if (one.kind, one.resemblance) == (kind, resemblance)], MARKS)
        for kind in ("min", "mod") for resemblance in RESEMBLANCES
    ]  # fmt: skip
    theory = [
        Series(f"theory, resemblance {resemblance}",
               sorted((one.sample, one.theory) for one in found if one.resemblance == resemblance), DASHED)
        for resemblance in RESEMBLANCES
    ]  # fmt: skip
    return Figure(
        "Error of the estimate by the size of the sample", Axis("hashes in the sample", logarithmic=True),
        Axis("root of the mean square error", logarithmic=True), [*series, *theory],
    )  # fmt: skip


def _findings(found: list[Errors], held: list[Errors]) -> list[Finding]:
    worst = max(found, key=lambda one: abs(one.error / one.theory - 1))
    first, last = found[0], next(one for one in reversed(found) if one.kind == "min" and one.resemblance == 0.5)
    return [
        Finding("the estimate of resemblance is unbiased", "proved",
                f"mean error {max(found, key=lambda one: abs(one.bias)).bias:+.4f} at the most",
                all(one.is_unbiased for one in found)),
        Finding("the estimate of containment from MOD_m is unbiased", "proved",
                f"mean error {max(held, key=lambda one: abs(one.bias)).bias:+.4f} at the most",
                all(one.is_unbiased for one in held)),
        Finding("its error is that of a sample", "implied",
                f"within {abs(worst.error / worst.theory - 1):.0%} of theory", all(one.is_right for one in found)),
        Finding("larger sketches tell more", "implied",
                f"{first.error:.3f} → {last.error:.3f} (MIN_{first.size} → MIN_{last.size})",
                last.error < first.error / 2),
    ]  # fmt: skip
