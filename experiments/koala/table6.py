"""Table 6: the size of the search fingerprint."""

from dataclasses import replace

from experiments.koala.distribution import BASELINE, Distribution, distribution
from experiments.koala.table5 import INSENSITIVE
from experiments.koala.tables import data, figure, high, shown, table
from experiments.reproduction.record import Axis, Finding, Section
from experiments.reproduction.setting import Setting

SIZES = (100, 200, 500, 1000, 2000, 5000)

ACROSS = Axis("searched substrings", logarithmic=True)


def measure(setting: Setting) -> dict[str, Distribution]:
    """By size."""
    return {str(size): distribution(setting, replace(BASELINE, n=size)) for size in SIZES}


def section(setting: Setting) -> Section:
    """Measure all sizes."""
    found = measure(setting)
    highs = [high(one) for one in found.values()]
    low, large = found["100"].low, found["5000"].low
    findings = [
        Finding("a larger search fingerprint makes more accidental matches", "418 → 1,165 (100 → 5,000)",
                f"{low:,} → {large:,}", large > 1.5 * low),
        Finding("high matches are surprisingly insensitive to the size: above 20%", "392 to 395",
                f"{min(highs)} to {max(highs)}", max(highs) - min(highs) <= INSENSITIVE * max(highs)),
    ]  # fmt: skip
    return Section(
        "Table 6: search 100…5,000",
        "The search fingerprint has 100 to 5,000 substrings, the stored fingerprint 100 of them.",
        data(setting) + " The stored fingerprint is drawn from the search fingerprint."
        f" Matches at 1% and 2%: {shown(found)}.",
        [table("Matches", "table6", found, "search")],
        [figure("Matches by size of the search fingerprint", ACROSS, found, "table6")], findings,
    )  # fmt: skip
