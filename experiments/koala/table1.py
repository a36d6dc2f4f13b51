"""Table 1: the distribution of matches when each document is searched against all."""

from experiments.koala.distribution import distribution
from experiments.koala.documents import documents
from experiments.koala.tables import data, table
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper

# The classes of section 2 that must be found every time; a passage of some hundred words may be missed.
SURE = ("small edits", "reorganised", "revised", "condensed", "expanded")


def recovered(setting: Setting) -> dict[str, tuple[int, int, float]]:
    """For each class of versions: how many find what they were derived from, how many there are, the mean ratio."""
    found, by_version = distribution(setting), {}
    ratios: dict[str, list[float]] = {}
    for number, entry in enumerate(documents(setting)):
        if entry.of is not None:
            ratios.setdefault(entry.how, []).append(found.ratio(number, entry.of))
    for how, those in ratios.items():
        by_version[how] = (sum(ratio > 0 for ratio in those), len(those), sum(those) / len(those))
    return by_version


def section(setting: Setting) -> Section:
    """Return the distribution, and what became of the versions."""
    found, versions = distribution(setting), recovered(setting)
    pairs, theirs = found.documents * (found.documents - 1), 366 * 365
    rows = [(how, f"{hits} of {count}", f"{mean:.0%}") for how, (hits, count, mean) in versions.items()]
    sure = [versions[how] for how in SURE if how in versions]
    numbers = paper("koala")["table1"]["baseline"]
    findings = [
        Finding("every document matches itself", "366 of 366", f"{found.themselves} of {found.documents}",
                found.themselves == found.documents),
        Finding("few pairs match by accident: at 1% and 2%", f"{sum(numbers[:2]) / theirs:.2%} of pairs",
                f"{found.low / pairs:.2%} of pairs", found.low / pairs < 0.03),
        Finding("versions are found with very high probability", "required of classes 1 to 5",
                f"{sum(hits for hits, _, _ in sure)} of {sum(count for _, count, _ in sure)}",
                all(hits == count for hits, count, _ in sure)),
    ]  # fmt: skip
    return Section(
        "Table 1: match distribution",
        "366 technical reports of the Carnegie Mellon School of Computer Science: 763 matches at 1%, two a document, "
        "because one school shares addresses, sponsors and citations; above, only related documents match.",
        data(setting),
        [
            table("Matches by match ratio", "table1", {"baseline": found}),
            Table("Versions that find what they were derived from", ("class", "found", "mean match ratio"), rows),
        ],
        findings=findings,
    )  # fmt: skip
