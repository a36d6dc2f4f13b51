"""Figure 3: winnowing and 0 mod 50 on HTML pages."""

from dataclasses import dataclass

import whorl
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper
from experiments.reproduction.webpages import WebPages, web_pages
from experiments.winnowing.random_text import near
from experiments.winnowing.scheme import EXPECTED, MOD, WINNOW, P, W, longest_run

NUMBERS = paper("winnowing")["figure3"]

# Pages of a run: as many as the paper's Figure 4 has, so that both read the same ones.
PAGES, QUICK = 20_000, 1_500

# Text is not random: the paper's densities are off by 0.3%, and ours may be by so much.
CLOSE = 0.05

# A run without a fingerprint that would not come by chance in a terabyte: the paper's own argument, at a tenth of its
# length ((1 - 1/50)^3000 is 10^-26).
LONG = 3000


@dataclass(frozen=True)
class Measured:
    """What Figure 3 lists."""

    pages: int
    total_bytes: int
    text_symbols: int
    hashes: int
    winnowing: int
    mod: int
    winnowing_run: int
    mod_run: int

    @property
    def winnowing_density(self) -> float:
        """Of all hashes."""
        return self.winnowing / self.hashes

    @property
    def mod_density(self) -> float:
        """Of all hashes."""
        return self.mod / self.hashes


def joined(pages: WebPages) -> str:
    """Return all pages as one text: the paper computes 49 hashes less than it has bytes of text, so it did the same."""
    return "\n".join(pages.texts)


def measure(pages: WebPages) -> Measured:
    """Winnow all pages, and select 0 mod 50 from them."""
    text = joined(pages)
    winnowed, divided = whorl.fingerprint(text, WINNOW), whorl.fingerprint(text, MOD)
    return Measured(
        len(pages), pages.bytes, winnowed.symbols, winnowed.grams, len(winnowed), len(divided),
        longest_run(winnowed), longest_run(divided),
    )  # fmt: skip


def section(setting: Setting) -> Section:
    """Return the paper's rows, and ours."""
    found = measure(web_pages(setting, setting.many(PAGES, QUICK)))
    rows = [
        ("pages", f"{NUMBERS['pages']:,}", f"{found.pages:,}"),
        ("total bytes", f"{NUMBERS['total_bytes']:,}", f"{found.total_bytes:,}"),
        ("text bytes", f"{NUMBERS['text_bytes']:,}", f"{found.text_symbols:,}"),
        ("hashes computed", f"{NUMBERS['hashes']:,}", f"{found.hashes:,}"),
        ("winnowing fingerprints", f"{NUMBERS['winnowing_fingerprints']:,}", f"{found.winnowing:,}"),
        ("measured density", f"{NUMBERS['winnowing_density']:.6f}", f"{found.winnowing_density:.6f}"),
        ("expected density", f"{NUMBERS['winnowing_expected']:.6f}", f"{EXPECTED:.6f}"),
        ("longest run with no fingerprint", "below w", f"{found.winnowing_run:,}"),
        ("fingerprints for 0 mod 50", f"{NUMBERS['mod_fingerprints']:,}", f"{found.mod:,}"),
        ("measured density", f"{NUMBERS['mod_density']:.6f}", f"{found.mod_density:.6f}"),
        ("expected density", f"{NUMBERS['mod_expected']:.6f}", f"{1 / P:.6f}"),
        ("longest run with no fingerprint", f"{NUMBERS['longest_run']:,}", f"{found.mod_run:,}"),
    ]
    findings = [
        Finding("winnowing comes close to its expected density on web pages",
                f"{NUMBERS['winnowing_density']:.6f} of {EXPECTED:.6f}", f"{found.winnowing_density:.6f}",
                near(found.winnowing_density, EXPECTED, CLOSE)),
        Finding("so does 0 mod 50", f"{NUMBERS['mod_density']:.6f} of {1 / P:.6f}", f"{found.mod_density:.6f}",
                near(found.mod_density, 1 / P, CLOSE)),
        Finding("0 mod 50 leaves long runs without a fingerprint", f"{NUMBERS['longest_run']:,} characters",
                f"{found.mod_run:,}", found.mod_run >= LONG),
        Finding("winnowing leaves none as long as its window", f"below w = {W}", f"{found.winnowing_run}",
                found.winnowing_run < W),
    ]  # fmt: skip
    share, theirs = found.text_symbols / found.total_bytes, NUMBERS["text_bytes"] / NUMBERS["total_bytes"]
    return Section(
        "Figure 3: results on HTML pages",
        "500,000 pages of the Stanford WebBase, k = 50, w = 100: both algorithms come close to the expected density, "
        "but for 29,983 characters in a row no hash is 0 mod 50.",
        f"{found.pages:,} pages {'of the built-in crawl' if setting.corpus is None else 'of the corpus'}; {share:.0%} "
        f"of the bytes are text (the paper's: {theirs:.0%}). The paper keeps all characters but white space and tags; "
        "Whorl keeps letters and digits. As in the paper all pages are one sequence of hashes.",
        [Table("Figure 3", ("", "paper", "ours"), rows)],
        findings=findings,
    )
