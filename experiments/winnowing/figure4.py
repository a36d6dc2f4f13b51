"""Figure 4: frequency by rank, of all hashes and of the fingerprints, on logarithmic scales."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import whorl
from experiments.crawl.statistics import plateaus, slope
from experiments.reproduction.record import DASHED, PLAIN, Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting, paper
from experiments.reproduction.webpages import WebPages, web_pages
from experiments.winnowing.figure3 import PAGES, QUICK
from experiments.winnowing.scheme import FULL, WINNOW
from whorl.model import Hashes

NUMBERS = paper("winnowing")["figure4"]

# Hashes are counted a quarter of their range at a time: sorting all at once would take twice the memory.
PARTS = 4

# The fitted slope may be off by so much: the paper's is "about -0.7", and a few common passages move it.
SLOPE_CLOSE = 0.15

# The paper gives shares in whole percents; a crawl 25 times smaller has other large families.
SHARE_CLOSE = 0.05

Frequencies = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Curve:
    """Frequencies, the highest first. In the cleaned ones a hash counts once a page, so that a page that repeats
    itself makes no plateau."""

    all: Frequencies
    cleaned: Frequencies

    @property
    def slope(self) -> float:
        """Of the line through the ends of the cleaned plateaus."""
        return slope(self.cleaned)

    def share(self, times: int) -> float:
        """Of different hashes, those that occur so often."""
        return float(np.mean(self.all == times))


def measure(pages: WebPages, scheme: whorl.Scheme) -> Curve:
    """Return the frequencies of what a scheme selects, page by page."""
    found = [whorl.fingerprint(text, scheme).hashes for text in pages.texts]
    return Curve(_frequencies(found), _frequencies(map(np.unique, found)))


def _frequencies(found: Iterable[Hashes]) -> Frequencies:
    kept = list(found)
    counted = []
    for part in range(PARTS):
        mask = np.uint64(PARTS - 1)
        some = np.sort(np.concatenate([hashes[hashes & mask == np.uint64(part)] for hashes in kept]))
        firsts = np.flatnonzero(np.concatenate([[True], some[1:] != some[:-1]]))
        counted.append(np.diff(firsts, append=len(some)))
    return -np.sort(-np.concatenate(counted))


def section(setting: Setting) -> Section:
    """Two curves, fitted."""
    pages = web_pages(setting, setting.many(PAGES, QUICK))
    every, selected = measure(pages, FULL), measure(pages, WINNOW)
    rows = [
        ("different hashes", "over 20 million that occur once", f"{len(every.all):,}", f"{len(selected.all):,}"),
        *(
            (f"occur {word}", f"{NUMBERS[key]:.0%}", f"{every.share(times):.1%}", f"{selected.share(times):.1%}")
            for times, (word, key) in enumerate((("once", "once"), ("twice", "twice"), ("three times", "thrice")), 1)
        ),
        ("fitted slope", f"about {NUMBERS['slope']}", f"{every.slope:.2f}", f"{selected.slope:.2f}"),
        ("most frequent", f"{NUMBERS['most_frequent']:,}", f"{every.all[0]:,}", f"{selected.all[0]:,}"),
    ]
    return Section(
        "Figure 4: frequency by rank",
        "20,000 pages: on logarithmic scales frequency by rank is a line of slope -0.7, for all hashes and for "
        "fingerprints alike; 82% occur once, 14% twice, 2% three times. An aberrant plateau, of a repeating pattern "
        "or a file that occurs many times, is removed before the line is fitted.",
        f"{len(pages):,} pages "
        + ("of the built-in crawl, whose passages and families are drawn by the paper's power law: the test is "
           "that fingerprinting does not distort the curve. " if setting.corpus is None else "of the corpus. ")
        + "Here, cleaned means that a hash counts once a page, which removes repetitions within a page.",
        [Table("Figure 4 in numbers", ("", "paper, both alike", "ours, all hashes", "ours, fingerprints"), rows)],
        [_figure(every, selected)], _findings(every, selected),
    )  # fmt: skip


def _figure(every: Curve, selected: Curve) -> Figure:
    series = []
    for name, curve in (("all hashes", every), ("fingerprints", selected)):
        series += [
            Series(f"{name}, all", plateaus(curve.all), PLAIN),
            Series(f"{name}, cleaned", plateaus(curve.cleaned), PLAIN),
            Series(f"{name}, fitted: slope {curve.slope:.2f}", fitted(curve.cleaned), DASHED),
        ]
    return Figure(
        "Frequency by rank", Axis("rank", logarithmic=True, low=1), Axis("frequency", logarithmic=True, low=1), series,
        "Only the ends of each plateau are drawn, and the line goes through those of the cleaned curve, as in the "
        "paper.",
    )  # fmt: skip


def fitted(frequencies: Frequencies) -> list[tuple[float, float]]:
    """Return the fitted line, from the first rank until it reaches frequency 1 or the last rank."""
    ends = np.array(plateaus(frequencies))
    gradient, height = np.polyfit(np.log(ends[:, 0]), np.log(ends[:, 1]), 1)
    last = min(float(len(frequencies)), float(np.exp(-height / gradient)))
    return [(rank, float(np.exp(height + gradient * np.log(rank)))) for rank in (1.0, last)]


def _findings(every: Curve, selected: Curve) -> list[Finding]:
    shares = [(curve.share(1), curve.share(2), curve.share(3)) for curve in (every, selected)]
    result = ["/".join(f"{share:.0%}" for share in one) for one in shares]
    wanted = (NUMBERS["once"], NUMBERS["twice"], NUMBERS["thrice"])
    return [
        Finding("frequency falls with rank by a power law of slope about -0.7", f"{NUMBERS['slope']}",
                f"{every.slope:.2f}, {selected.slope:.2f}",
                all(abs(curve.slope - NUMBERS["slope"]) <= SLOPE_CLOSE for curve in (every, selected))),
        Finding("shares that occur once, twice, three times", "82%/14%/2%", f"{result[0]}; {result[1]}",
                all(abs(a - b) <= SHARE_CLOSE for each in shares for a, b in zip(each, wanted, strict=True))),
        Finding("fingerprints are distributed as all hashes are", "nearly identical",
                f"shares differ by {max(abs(a - b) for a, b in zip(*shares, strict=True)):.1%} at the most",
                all(abs(a - b) < 0.02 for a, b in zip(*shares, strict=True))),
    ]  # fmt: skip
