"""Past the paper: mod-minimizers, whose density goes below what the paper thought any local algorithm needs.

The paper's bound and conjecture are of algorithms that look at hashes alone. The mod-minimizers (Groot Koerkamp and
Pibiri 2024; open-closed with Liu 2025) look into the k-grams, give the same guarantee, and come near the bound that
Kille, Groot Koerkamp and others proved in 2024 for every forward scheme: ⌈(w + k) / w⌉ / (w + k).
"""

from collections.abc import Callable
from dataclasses import dataclass

import whorl
from experiments.reproduction.record import DASHED, MARKED, MARKS, PLAIN, Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting
from experiments.winnowing.random_text import near
from experiments.winnowing.scheme import random_text

SELECTORS = ("winnow", "mod-minimizer", "open-closed-mod-minimizer")
NAMES = ("winnowing", "mod-minimizer", "open-closed mod-minimizer")

# A window, and lengths of k-grams up to five windows. Fewer than four letters tie too often to be random hashes.
W = 24
LENGTHS = (4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 72, 80, 96, 112, 128)

# A length, and windows from a twelfth to four times it.
K = 100
WINDOWS = (8, 12, 16, 24, 32, 50, 64, 100, 128, 200, 256, 400)

# Chance alone takes a measured density below a bound that is met by so much, at 400,000 letters.
SLACK = 0.02


@dataclass(frozen=True)
class Point:
    """Densities at one k and w, by selector."""

    k: int
    w: int
    densities: tuple[float, ...]


def lower_bound(k: int, w: int) -> float:
    """No forward scheme is below this: the bound at k, or at the next k that is 1 modulo w if that is more, for a
    scheme for k is one for every larger k."""
    after = k + (1 - k) % w
    return max(-(-(w + length) // w) / (w + length) for length in (k, after))


def measure(shapes: list[tuple[int, int]], letters: int, seed: int) -> list[Point]:
    """Run all selectors on the same random letters."""
    text = random_text(letters, seed)
    return [
        Point(k, w, tuple(
            whorl.fingerprint(text, whorl.Scheme(k=k, w=w, select=select)).density for select in SELECTORS
        ))
        for k, w in shapes
    ]  # fmt: skip


def section(setting: Setting) -> Section:
    """Over k at one w, and over w at one k."""
    letters = setting.many(2_000_000, 400_000)
    by_k = measure([(k, W) for k in LENGTHS], letters, setting.seed)
    by_w = measure([(K, w) for w in WINDOWS], letters, setting.seed)
    head = ("k", "w", *NAMES, "2/(w+1)", "1.5/(w+1)", "lower bound")
    figures = [
        Figure(f"Density by length of a k-gram, w = {W}", Axis("k", low=0, high=130),
               Axis("density", low=0.03, high=0.09), _series(by_k, scaled=False)),
        Figure(f"Density × w by window, k = {K}", Axis("w", logarithmic=True, low=8, high=400),
               Axis("density × w", low=0.9, high=2.1), _series(by_w, scaled=True),
               "1 is one fingerprint a window, the least that any selector with the guarantee can have."),
    ]  # fmt: skip
    return Section(
        "Past the paper: mod-minimizers",
        "Winnowing's 2/(w+1) is within 33% of the bound of 1.5/(w+1), which is proved for local algorithms on "
        "independent hashes; the paper conjectures that nothing goes below 2/(w+1).",
        f"{letters:,} random letters. The lower bound drawn is that of Kille and others (2024) for all forward "
        "schemes, ⌈(w+k)/w⌉/(w+k); its steps are part of the formula. Where k is below w, neighbouring k-grams add "
        "little information to the hashes.",
        [Table("Densities", head, [_row(point) for point in (*by_k, *by_w)])],
        figures, _findings([*by_k, *by_w]),
    )  # fmt: skip


def _series(points: list[Point], scaled: bool) -> list[Series]:
    """Return the measured, by w if ``scaled``, else by k; and what theory says, at every k or w between."""

    def place(k: int, w: int) -> int:
        return w if scaled else k

    def value(density: float, w: int) -> float:
        return density * w if scaled else density

    measured = [
        Series(name, [(place(one.k, one.w), value(one.densities[n], one.w)) for one in points], MARKED if n else MARKS)
        for n, name in enumerate(NAMES)
    ]
    first, last = points[0], points[-1]
    shapes = [(k, w) for k in range(first.k, last.k + 1) for w in range(first.w, last.w + 1)]
    result: dict[str, Callable[[int, int], float]] = {
        "2/(w+1)": lambda k, w: 2 / (w + 1), "1.5/(w+1)": lambda k, w: 1.5 / (w + 1), "lower bound": lower_bound,
    }  # fmt: skip
    lines = [
        Series(
            name, [(place(k, w), value(bound(k, w), w)) for k, w in shapes], PLAIN if bound is lower_bound else DASHED
        )
        for name, bound in result.items()
    ]
    return [*measured, *lines]


def _row(point: Point) -> tuple[str, ...]:
    result = (2 / (point.w + 1), 1.5 / (point.w + 1), lower_bound(point.k, point.w))
    return (str(point.k), str(point.w), *(f"{value:.4f}" for value in (*point.densities, *result)))


def _findings(points: list[Point]) -> list[Finding]:
    long = [point for point in points if point.k >= 2 * point.w]
    best = min(long, key=lambda point: point.densities[2] * (point.w + 1))
    least = min(min(point.densities) / lower_bound(point.k, point.w) for point in points)
    return [
        Finding("winnowing has density 2/(w+1), whatever k", "derived",
                f"within {max(abs(point.densities[0] * (point.w + 1) / 2 - 1) for point in long):.1%}, k from 2w on",
                all(near(point.densities[0], 2 / (point.w + 1)) for point in long)),
        Finding("no local algorithm on hashes goes below 1.5/(w+1): winnowing does not", "proved",
                f"{min(point.densities[0] * (point.w + 1) for point in points):.3f}/(w+1) at the least",
                all(point.densities[0] * (point.w + 1) > 1.5 for point in points)),
        Finding("2/(w+1) is a lower bound of any local algorithm (conjectured)", "conjectured",
                f"{best.densities[2] * (best.w + 1):.3f}/(w+1) at k = {best.k}, w = {best.w}",
                all(min(point.densities) * (point.w + 1) > 2 * (1 - SLACK) for point in points)),
        Finding("nothing goes below the bound of 2024", "⌈(w+k)/w⌉/(w+k)", f"{least:.3f} of it at the least",
                least > 1 - SLACK),
    ]  # fmt: skip
