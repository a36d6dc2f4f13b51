"""Makes the drawings in docs/images that explain fingerprinting, from what Whorl really selects.

    python tools/make_docs_pictures.py

Each is an SVG that is light or dark as the page is. A test makes them again: a picture that no longer shows what the
program does cannot stay.
"""

import itertools
from collections.abc import Iterable
from html import escape
from pathlib import Path

import numpy as np

import whorl
from whorl.engine.hashing import Grams, Hasher

IMAGES = Path(__file__).parents[1] / "docs" / "images"

# The colours are the site's where there is one, and otherwise follow the reader's system.
STYLE = """<style>
.fg { --ink: var(--figure-ink, #1c2024); --soft: var(--figure-soft, #5b6570); --edge: var(--figure-edge, #d5dade);
--mark: var(--figure-mark, #0b6e99); --wash: var(--figure-wash, #e3f1f7); }
@media (prefers-color-scheme: dark) { .fg { --ink: var(--figure-ink, #e6e9ec); --soft: var(--figure-soft, #a3adb7);
--edge: var(--figure-edge, #3a434c); --mark: var(--figure-mark, #6cc5e8); --wash: var(--figure-wash, #16384a); } }
.fg text { fill: var(--ink); font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
.fg .say { fill: var(--soft); font-family: system-ui, "Noto Sans", sans-serif; font-size: 13px; }
.fg .bold { fill: var(--mark); font-weight: 700; }
.fg .box { fill: none; stroke: var(--edge); }
.fg .chosen { fill: var(--wash); stroke: var(--mark); stroke-width: 1.5; }
.fg .wash { fill: var(--wash); }
.fg .line { stroke: var(--edge); stroke-width: 2; fill: none; }
.fg .tick { stroke: var(--mark); stroke-width: 2; }
.fg .faint { stroke: var(--soft); stroke-width: 1; }
</style>"""

WIDTH = 860
TEXT = "The sea gave. The sea took."
SMALL = whorl.Scheme(k=5, w=4, select="robust")

PASSAGE = "every link is looked at twice a day, which is more attention than any bridge has ever had"
LEFT = f"Ferrymen know their chain: {PASSAGE}, and they say so to anybody who waits."
RIGHT = f"A bridge is cheaper, of course. And yet {PASSAGE}."


def svg(height: int, parts: Iterable[str]) -> str:
    """Return a drawing of the site's width."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="fg" viewBox="0 0 {WIDTH} {height}">'
    return "\n".join((head, STYLE, *parts, "</svg>")) + "\n"


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "start") -> str:
    """Return a line of text."""
    marked = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{marked} text-anchor="{anchor}">{escape(said)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Return a rectangle."""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line."""
    return f'<path class="{kind}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def letters(said: str) -> str:
    """Return the stream of a text, as letters."""
    stream = whorl.fingerprint(said, whorl.Scheme(k=1, select="full"))
    return "".join(said[span.start].lower() for span in stream.spans)


def ranks(said: str, scheme: whorl.Scheme) -> list[int]:
    """Return the rank of each k-gram's order hash among all of the text, the smallest being 1."""
    symbols = np.frombuffer(letters(said).encode("ascii"), np.uint8)
    order = Grams(symbols, Hasher(whorl.Key.PUBLIC, scheme.k)).order
    return [int(rank) + 1 for rank in np.unique(order, return_inverse=True)[1]]


def windows() -> str:
    """The winnowing paper's Figure 2 with a text of our own: from the text to the fingerprints, a window at a time."""
    stream, k, w = letters(TEXT), SMALL.k, int(SMALL.w or 1)
    order, chosen = ranks(TEXT, SMALL), set(whorl.fingerprint(TEXT, SMALL).positions.tolist())
    step, left = 48.0, 12.0
    parts = [text(left, 24, "the text", "say"), text(110, 24, TEXT), text(left, 50, "its letters", "say")]
    parts += [text(110 + 14 * place, 50, letter) for place, letter in enumerate(stream)]
    parts.append(text(left, 84, f"its {k}-grams, and the rank of each one's hash; chosen are those in colour", "say"))
    for place, rank in enumerate(order):
        x, kind = left + step * place, "chosen" if place in chosen else "box"
        parts += [box(x, 94, step - 4, 42, kind), text(x + 22, 111, stream[place : place + k], anchor="middle")]
        parts.append(text(x + 22, 129, str(rank), "bold" if place in chosen else "", "middle"))
    return svg(172 + 26 * (len(order) - w + 1), [*parts, *_windows(order, chosen, left, step, w)])


def _windows(order: list[int], chosen: set[int], left: float, step: float, w: int) -> Iterable[str]:
    """Yield every window below the k-grams that it covers, with the one that it keeps."""
    yield text(
        left,
        164,
        f"every window of {w}, and the smallest rank in it: robust winnowing keeps it while it is there",
        "say",
    )
    kept, all_kept = -1, set()
    for start in range(len(order) - w + 1):
        inside = range(start, start + w)
        least = min(order[place] for place in inside)
        if kept not in inside or order[kept] > least:
            kept = max(place for place in inside if order[place] == least)
        all_kept.add(kept)
        y = 174 + 26 * start
        yield box(left + step * start, y, step * w - 4, 22, "box")
        for place in inside:
            kind = "bold" if place == kept else ""
            yield text(left + step * place + 22, y + 16, str(order[place]), kind, "middle")
    assert all_kept == chosen, "the windows drawn are not those that Whorl looks at"


def guarantee() -> str:
    """Two texts that share a passage, and the fingerprints that both have of it."""
    scheme = whorl.PRESETS["text"]
    rows = [(said, whorl.fingerprint(said, scheme)) for said in (LEFT, RIGHT)]
    common = set(rows[0][1].hashes.tolist()) & set(rows[1][1].hashes.tolist())
    scale = (WIDTH - 40) / max(found.symbols for _, found in rows)
    parts = [text(20, 22, "Two texts, drawn to the letter. The coloured part is the passage that they share.", "say")]
    places: list[dict[int, float]] = []
    for y, (said, found) in zip((60, 150), rows, strict=True):
        start = len(letters(said[: said.index(PASSAGE)]))
        parts += [box(20 + scale * start, y - 12, scale * len(letters(PASSAGE)), 24, "wash")]
        parts += [line(20, y, 20 + scale * found.symbols, y, "line")]
        at = {int(one): 20 + scale * int(place) for one, place in zip(found.hashes, found.positions, strict=True)}
        parts += [line(x, y - 9, x, y + 9, "tick" if one in common else "faint") for one, x in at.items()]
        places.append(at)
    parts += [line(places[0][one], 74, places[1][one], 136, "tick") for one in sorted(common)]
    data = f"{len(common)} fingerprints (thick) are shared, all inside the passage; the thin ones are each text's own."
    return svg(206, [*parts, text(20, 194, data, "say")])


def gaps() -> str:
    """Return which k-grams of one text two rules select: chance leaves gaps, windows do not."""
    said = (IMAGES.parents[1] / "examples" / "lighthouse.txt").read_text("utf-8")
    rules = {
        "0 mod 10": whorl.Scheme(k=20, select="mod", p=10),
        "robust, w = 19": whorl.Scheme(k=20, w=19, select="robust"),
    }
    parts, y, most = [], 34, 700
    for name, scheme in rules.items():
        found = whorl.fingerprint(said, scheme)
        positions = [place for place in found.positions.tolist() if place < most]
        gap, after = max((late - early, early) for early, late in itertools.pairwise(positions))
        scale = (WIDTH - 40) / most
        parts += [text(20, y - 10, f"{name}: the largest gap here is {gap}", "say")]
        parts += [box(20 + scale * after, y, scale * gap, 26, "wash"), line(20, y + 26, WIDTH - 20, y + 26, "line")]
        parts += [line(20 + scale * place, y + 2, 20 + scale * place, y + 24, "tick") for place in positions]
        y += 74
    return svg(y - 10, [*parts, text(20, y - 22, f"the first {most} k-grams of examples/lighthouse.txt", "say")])


PICTURES = {"windows.svg": windows, "guarantee.svg": guarantee, "gaps.svg": gaps}


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (IMAGES / name).write_text(draw(), "utf-8")
