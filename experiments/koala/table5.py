"""Table 5: the size of the stored fingerprint."""

from dataclasses import replace

from experiments.koala.distribution import BASELINE, Distribution, distribution
from experiments.koala.tables import data, figure, high, shown, table
from experiments.reproduction.record import Axis, Finding, Section
from experiments.reproduction.setting import Setting

SIZES = (10, 20, 50, 100, 200, 500)

# High matches may differ by so much over a factor of 50 in size: "surprisingly insensitive".
INSENSITIVE = 0.15

ACROSS = Axis("stored substrings", logarithmic=True)


def measure(setting: Setting) -> dict[str, Distribution]:
    """By size."""
    return {str(size): distribution(setting, replace(BASELINE, stored=size)) for size in SIZES}


def others(found: Distribution) -> int:
    """Return all matches of a document with another."""
    return sum(match.asked != match.found for match in found.matches)


def section(setting: Setting) -> Section:
    """Measure all sizes."""
    found = measure(setting)
    highs = [high(one) for one in found.values()]
    counts = [others(one) for one in found.values()]
    findings = [
        Finding("more stored substrings make more accidental matches", "163 → 2,289 (10 → 500, all but the highest)",
                f"{counts[0]:,} → {counts[-1]:,}", counts == sorted(counts) and counts[-1] > 3 * counts[0]),
        Finding("high matches are surprisingly insensitive to the size: above 20%", "387 to 395",
                f"{min(highs)} to {max(highs)}", max(highs) - min(highs) <= INSENSITIVE * max(highs)),
    ]  # fmt: skip
    return Section(
        "Table 5: stored 10…500",
        "The stored fingerprint has 10 to 500 substrings, the search fingerprint 1,000.",
        data(setting) + f" Matches at 1% and 2%: {shown(found)}.",
        [table("Matches", "table5", found, "stored")],
        [figure("Matches by size of the stored fingerprint", ACROSS, found, "table5")], findings,
    )  # fmt: skip
