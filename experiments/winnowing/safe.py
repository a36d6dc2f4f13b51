"""Section 3.1.2: what it costs to give 0 mod p a guarantee."""

from dataclasses import dataclass
from math import log

import whorl
from experiments.reproduction.record import DASHED, MARKS, Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting
from experiments.winnowing.scheme import K, random_text
from whorl.engine.selectors import SafeMod

# In a short text the few long gaps of a wide window make the density a matter of chance.
WINDOWS, QUICK = (10, 20, 50, 100, 200, 500, 1000), (10, 20, 50, 100, 200)

HEAD = ("w", "p", "safe", "P + (1 - P)^w", "(1 + ln w)/w", "winnowing", "2/(w + 1)", "ratio")

# Measured and predicted agree within so much: the best p is a whole number, and e^-wP an approximation for large w.
CLOSE = 0.06


@dataclass(frozen=True)
class Row:
    """Densities at one window."""

    w: int
    p: int
    safe: float
    winnowing: float

    @property
    def theory(self) -> float:
        """(1 + ln w) / w."""
        return (1 + log(self.w)) / self.w

    @property
    def exact(self) -> float:
        """P + (1 - P)^w at the p in use."""
        return SafeMod(self.p, self.w).density(K)


def measure(windows: tuple[int, ...], letters: int, seed: int) -> list[Row]:
    """Return the safe variant at its best p, beside winnowing."""
    text = random_text(letters, seed)
    rows = []
    for w in windows:
        p = SafeMod.best_p(w)
        safe = whorl.fingerprint(text, whorl.Scheme(k=K, select="safe-mod", p=p, w=w)).density
        rows.append(Row(w, p, safe, whorl.fingerprint(text, whorl.Scheme(k=K, w=w, select="winnow")).density))
    return rows


def section(setting: Setting) -> Section:
    """Densities by window."""
    windows = QUICK if setting.quick else WINDOWS
    found = measure(windows, setting.many(8_000_000, 1_000_000), setting.seed)
    rows = [
        (str(one.w), str(one.p), f"{one.safe:.5f}", f"{one.exact:.5f}", f"{one.theory:.5f}", f"{one.winnowing:.5f}",
         f"{2 / (one.w + 1):.5f}", f"{one.safe / one.winnowing:.2f}×")
        for one in found
    ]  # fmt: skip
    figure = Figure(
        "Density of safe 0 mod p and of winnowing, by window",
        Axis("window w", logarithmic=True), Axis("density", logarithmic=True),
        [
            Series("safe 0 mod p, measured", [(one.w, one.safe) for one in found], MARKS),
            Series("winnowing, measured", [(one.w, one.winnowing) for one in found], MARKS),
            Series("(1 + ln w) / w", [(one.w, one.theory) for one in found], DASHED),
            Series("2 / (w + 1)", [(one.w, 2 / (one.w + 1)) for one in found], DASHED),
        ],
    )  # fmt: skip
    worst = max(found, key=lambda one: abs(one.safe / one.theory - 1))
    findings = [
        Finding("at its best p the safe variant has density (1 + ln w)/w", "derived",
                f"within {abs(worst.safe / worst.theory - 1):.1%} (at w = {worst.w})", holds(found)),
        Finding("considerably more than winnowing", "derived",
                f"{min(one.safe / one.winnowing for one in found):.2f}× to "
                f"{max(one.safe / one.winnowing for one in found):.2f}×",
                all(one.safe > 1.5 * one.winnowing for one in found)),
    ]  # fmt: skip
    return Section(
        "Section 3.1.2: safe 0 mod p",
        "If all hashes are selected where a gap threatens to open, the best density is (1 + ln w)/w at P = ln w / w.",
        "The paper derives; this measures, on random letters. p is an integer, so the optimum is not quite reached.",
        [Table("Densities", HEAD, rows)],
        [figure], findings,
    )  # fmt: skip


def holds(found: list[Row]) -> bool:
    """From w = 50 on, where the paper's approximation for large w is good; below, the exact form."""
    return all(
        abs(one.safe / one.exact - 1) < CLOSE and (one.w < 50 or abs(one.safe / one.theory - 1) < CLOSE)
        for one in found
    )
