"""The texts of a report: numbers with units, the method, and the view functions of a passage."""

from collections.abc import Sequence
from itertools import pairwise
from math import floor

from whorl.matching.passage import Match, Passage, Side
from whorl.scheme import Scheme

# Differences that do not count, by kind of symbol.
UNCOUNTED = {
    "tokens": "names, layout and comments do not count",
    "characters": "case, punctuation and spacing do not count",
    "words": "case, punctuation and spacing do not count",
    "consonants": "vowels, case, punctuation and spacing do not count",
}

SELECTIONS = {
    "full": "all of them are kept as fingerprints",
    "mod": "about 1 in {p} of them is kept as a fingerprint",
    "safe-mod": "about 1 in {p} of them is kept as a fingerprint, and at least one in every {w} neighbours",
    "minima": "the {n} smallest hashes of a document are kept as fingerprints",
}
WINDOWED = "at least one in every {w} neighbours is kept as a fingerprint"

MEASURES = (
    (
        "Score",
        "mean of similarity and containment, lowered if little is shared. Only code or text inside passages counts.",
    ),
    (
        "Similarity",
        "share of their combined code or text found in both, inside passages. Rare pieces weigh more. High if two"
        " submissions are similar as a whole.",
    ),
    (
        "Containment",
        "share of the smaller submission found in both, inside passages. High if one contains the other, even with much"
        " added.",
    ),
    ("Coverage", "share of a submission inside passages, without starter code."),
    ("Longest", "length of the longest passage."),
    ("Common", "number of tokens, words or letters inside matches, on the side that has fewer."),
    ("Shared fingerprints", "number of sampled pieces that both have inside passages."),
)


def sentence(clause: str) -> str:
    """Return a clause as a sentence with a blank after it; nothing for an empty clause."""
    return f"{clause[0].upper()}{clause[1:]}. " if clause else ""


def percent(share: float) -> str:
    """Format a share in whole percent; only 1 is 100% and only 0 is 0%."""
    return "<1%" if 0 < share < 0.01 else f"{rounded_percent(share)}%"


def rounded_percent(share: float) -> int:
    """Return a share in whole percent, halves rounded up as the scripts of the pages do; only 1 is 100."""
    return 100 if share >= 1 else min(99, floor(100 * max(0, share) + 0.5))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun, singular or plural."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """Format a time in its two largest units."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def size(number: float) -> str:
    """Format bytes with one to three digits before the point."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 999.5:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 9.95 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"


def symbols(number: int, scheme: Scheme) -> str:
    """Format a number of the scheme's symbols: tokens, words, characters."""
    kind = scheme.symbols or "symbols"
    return counted(number, kind.removesuffix("s"), kind)


def recipe(scheme: Scheme) -> str:
    """Explain the fingerprinting of submissions in two sentences."""
    selection = SELECTIONS.get(scheme.select, WINDOWED if scheme.w else "some are kept as fingerprints")
    chosen = selection.format(p=scheme.p, w=scheme.w, n=scheme.n)
    uncounted = UNCOUNTED.get(scheme.symbols or "")
    reading = f"Submissions are read as {scheme.symbols}" + (f" ({uncounted})" if uncounted else "")
    return (
        f"{reading}. Every {symbols(scheme.k, scheme)} in a row (k = {scheme.k}) are hashed; {chosen}{_window(scheme)}."
    )


def _window(scheme: Scheme) -> str:
    return f" (w = {scheme.w})" if scheme.w else ""


def guarantee(scheme: Scheme) -> str:
    """State the guarantee of a scheme, and the minimum length of a match."""
    never = f"Nothing shorter than {symbols(scheme.k, scheme)} is ever reported."
    if scheme.guarantee is None:
        return f"This scheme has no guarantee: it may miss shared pieces of any length. {never}"
    return f"Every shared piece of at least {symbols(scheme.guarantee, scheme)} is found. {never}"


def span_of_lines(side: Side) -> str:
    """Format the lines of a side: line 3, or lines 3–7."""
    if side.start_line == side.end_line:
        return f"line {side.start_line:,}"
    return f"lines {side.start_line:,}–{side.end_line:,}"


def reason(passage: Passage, scheme: Scheme) -> str:
    """Describe a passage: its lines, the number of equal symbols, its exact runs and the gaps between them."""
    left, right = (f"{span_of_lines(side)} of {side.file}" for side in (passage.left, passage.right))
    uncounted = UNCOUNTED.get(scheme.symbols or "")
    if passage.stream == "normal":
        return f"{left[0].upper()}{left[1:]} and {right}: {_normal(passage)}"
    return (
        f"{left[0].upper()}{left[1:]} and {right}: {symbols(passage.symbols, scheme)} are equal, {_pieces(passage)}"
        + (f"; {uncounted}." if uncounted else ".")
    )


def _normal(passage: Passage) -> str:
    """Describe a passage of the normal form."""
    parts = counted(len(passage.matches), "piece")
    rewrites = f"; rewrites undone: {', '.join(passage.rewrites)}" if passage.rewrites else ""
    return f"{counted(passage.symbols, 'token')} are equal after undoing rewrites, in {parts}{rewrites}."


def _pieces(passage: Passage) -> str:
    matches = passage.matches
    if len(matches) == 1:
        return "in one piece, without a gap"
    longest = max((match.symbols for match in matches), default=0)
    left, right = _gap([match.left for match in matches]), _gap([match.right for match in matches])
    gaps = f"between them are {left:,} characters in the first and {right:,} in the second"
    return f"in {len(matches):,} pieces, the longest of {longest:,}; {gaps}"


def _gap(spans: Sequence[tuple[int, int]]) -> int:
    """Return the number of characters between neighbouring spans."""
    ordered = sorted(spans)
    return sum(max(0, after[0] - before[1]) for before, after in pairwise(ordered))


def pieces(matches: Sequence[Match]) -> str:
    """Format the number of exact pieces of a passage."""
    return counted(len(matches), "piece")
