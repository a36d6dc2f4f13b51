"""Figure 2: winnowing the sample text; and Figure 1, its 0 mod p."""

import numpy as np

import whorl
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper
from whorl.engine.selectors import Mod
from whorl.engine.winnowing import Winnow

NUMBERS = paper("winnowing")["figure2"]
FIRST = paper("winnowing")["figure1"]


def grams() -> list[str]:
    """(c): the 5-grams of the text, by Whorl's own front-end."""
    found = whorl.fingerprint(NUMBERS["text"], whorl.Scheme(k=NUMBERS["k"], select="full"))
    texts = [NUMBERS["text"][span.start : span.end] for span in found.spans]
    return ["".join(filter(str.isalnum, text)).lower() for text in texts]


def fingerprints() -> list[list[int]]:
    """(g): the hashes that winnowing selects from the paper's, with their positions."""
    hashes = np.array(NUMBERS["hashes"], np.uint64)
    return [[int(hashes[place]), place] for place in Winnow(NUMBERS["w"]).select(hashes).tolist()]


def first_windows() -> list[int]:
    """(e): for each fingerprint the first window that selects it, each window looked at alone."""
    hashes, w = np.array(NUMBERS["hashes"], np.uint64), NUMBERS["w"]
    first: dict[int, int] = {}
    for start in range(len(hashes) - w + 1):
        (place,) = Winnow(w).select(hashes[start : start + w]).tolist()
        first.setdefault(start + place, start)
    return list(first.values())


def divisible() -> list[int]:
    """Figure 1 (e): the hashes that are 0 mod 4."""
    hashes = np.array(FIRST["hashes"], np.uint64)
    selected: list[int] = hashes[Mod(FIRST["p"]).select(hashes)].tolist()
    return selected


def section(setting: Setting) -> Section:
    """Return every line of the figure."""
    ours, selected, windows, first = grams(), fingerprints(), first_windows(), divisible()
    rows = [
        ("(c) 5-grams", NUMBERS["grams"], " ".join(ours)),
        ("(f, g) winnowing, w = 4", _written(NUMBERS["fingerprints"]), _written(selected)),
        ("(e) first windows", " ".join(map(str, NUMBERS["first_windows"])), " ".join(map(str, windows))),
        ("Figure 1 (e) 0 mod 4", " ".join(map(str, FIRST["fingerprints"])), " ".join(map(str, first))),
    ]
    findings = [
        Finding("the 5-grams of the text", "17 5-grams", "the same", ours == NUMBERS["grams"].split()),
        Finding("what winnowing selects, and where", _written(NUMBERS["fingerprints"]), _written(selected),
                selected == NUMBERS["fingerprints"]),
        Finding("which window selects it first: the rightmost of equal hashes", rows[2][1], rows[2][2],
                windows == NUMBERS["first_windows"]),
        Finding("what 0 mod 4 selects", rows[3][1], rows[3][2], first == FIRST["fingerprints"]),
    ]  # fmt: skip
    return Section(
        "Figure 2: winnowing sample text",
        "A line of a song becomes 5-grams; of their hypothetical hashes, windows of 4 select five fingerprints.",
        "Nothing: the text and the hashes are the paper's. It prints 72 for the second hash in Figure 1 and 74 in "
        "Figure 2; each figure is taken as it is.",
        [Table("Line by line", ("line", "paper", "ours"), rows)],
        findings=findings,
    )


def _written(selected: list[list[int]]) -> str:
    return " ".join(f"[{value},{place}]" for value, place in selected)
