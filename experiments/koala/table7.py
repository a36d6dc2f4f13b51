"""Table 7: the length of substrings."""

from dataclasses import replace

from experiments.koala.distribution import BASELINE, Distribution, distribution
from experiments.koala.tables import data, figure, high, shown, table
from experiments.reproduction.record import Axis, Finding, Section
from experiments.reproduction.setting import Setting

LENGTHS = (10, 20, 30, 40, 50)

ACROSS = Axis("consonants of a substring", low=0)


def measure(setting: Setting) -> dict[str, Distribution]:
    """By length."""
    return {str(length): distribution(setting, replace(BASELINE, k=length)) for length in LENGTHS}


def section(setting: Setting) -> Section:
    """Measure all lengths."""
    found = measure(setting)
    lows, highs = [one.low for one in found.values()], [high(one) for one in found.values()]
    findings = [
        Finding("shorter substrings make many more accidental matches: 10 against 20", "7.7×",
                f"{lows[0] / max(1, lows[1]):.1f}×", lows[0] > 2 * lows[1]),
        Finding("longer substrings make fewer", "861 → 268 (20 → 50)", f"{lows[1]:,} → {lows[-1]:,}",
                lows[-1] < lows[1]),
        Finding("and fewer high matches too: above 20%", "395 → 385 (20 → 50)", f"{highs[1]} → {highs[-1]}",
                highs[-1] < highs[1]),
    ]  # fmt: skip
    return Section(
        "Table 7: length 10…50",
        "Substrings of 10 to 50 consonants. Shorter ones make many more low matches, longer ones fewer of all.",
        data(setting) + f" Matches at 1% and 2%: {shown(found)}.",
        [table("Matches", "table7", found, "length")],
        [figure("Matches by length of substrings", ACROSS, found, "table7")], findings,
    )  # fmt: skip
