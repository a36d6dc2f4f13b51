"""The words of a report: numbers with their units, how it was compared, what that means, why a passage is one."""

from collections.abc import Sequence
from itertools import pairwise

from whorl.matching.passage import Match, Passage, Side
from whorl.scheme import Scheme

# What two documents may differ in and still be equal, by what a symbol is.
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
    ("Score", "the mean of similarity and containment."),
    (
        "Similarity",
        "how much of all that the two have is in both. Fingerprints that few submissions have weigh more. High when two"
        " submissions are alike as wholes.",
    ),
    (
        "Containment",
        "how much of the smaller one is in the larger too. High when one was taken into the other, even if much was"
        " added to it.",
    ),
    ("Coverage", "the share of a side that is inside passages. What is sanctioned is not counted."),
    ("Longest", "the length of the longest passage."),
    ("Shared fingerprints", "how many sampled pieces the two have in common."),
)


def percent(share: float) -> str:
    """A share in whole percent; only all is 100% and only nothing is 0%."""
    if share <= 0 or share >= 1:
        return f"{100 * min(1, max(0, share)):.0f}%"
    return "<1%" if share < 0.01 else f"{min(99, round(100 * share))}%"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in one or many."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """A time in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def size(number: float) -> str:
    """Bytes in the unit that leaves one to three digits before the point."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 999.5:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 9.95 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"


def symbols(number: int, scheme: Scheme) -> str:
    """So many tokens, words, characters."""
    kind = scheme.symbols or "symbols"
    return count(number, kind.removesuffix("s"), kind)


def recipe(scheme: Scheme) -> str:
    """How submissions become fingerprints, in two sentences."""
    kept = SELECTIONS.get(scheme.select, WINDOWED if scheme.w else "some are kept as fingerprints")
    chosen = kept.format(p=scheme.p, w=scheme.w, n=scheme.n)
    uncounted = UNCOUNTED.get(scheme.symbols or "")
    reading = f"Submissions are read as {scheme.symbols}" + (f" ({uncounted})" if uncounted else "")
    return (
        f"{reading}. Every {symbols(scheme.k, scheme)} in a row (k = {scheme.k}) are hashed; {chosen}{_window(scheme)}."
    )


def _window(scheme: Scheme) -> str:
    return f" (w = {scheme.w})" if scheme.w else ""


def guarantee(scheme: Scheme) -> str:
    """What is surely found, and what never is."""
    never = f"Nothing shorter than {symbols(scheme.k, scheme)} is ever reported."
    if scheme.guarantee is None:
        return f"The sample gives no guarantee that a shared piece of a given length is found. {never}"
    return f"Every shared piece of at least {symbols(scheme.guarantee, scheme)} is found. {never}"


def span_of_lines(side: Side) -> str:
    """Line 3, or lines 3–7."""
    if side.start_line == side.end_line:
        return f"line {side.start_line:,}"
    return f"lines {side.start_line:,}–{side.end_line:,}"


def reason(passage: Passage, scheme: Scheme) -> str:
    """Why a passage is one: where, how much is equal, in how many runs, and what lies between them."""
    left, right = (f"{span_of_lines(side)} of {side.file}" for side in (passage.left, passage.right))
    uncounted = UNCOUNTED.get(scheme.symbols or "")
    if passage.stream == "normal":
        return f"{left[0].upper()}{left[1:]} and {right}: {_normal(passage)}"
    return (
        f"{left[0].upper()}{left[1:]} and {right}: {symbols(passage.symbols, scheme)} are equal, {_runs(passage)}"
        + (f"; {uncounted}." if uncounted else ".")
    )


def _normal(passage: Passage) -> str:
    """Why a passage of the normal form is one."""
    pieces = count(len(passage.matches), "piece")
    made = f"; what made them equal: {', '.join(passage.rewrites)}" if passage.rewrites else ""
    return f"{passage.symbols:,} symbols of the programs' normal form are equal, in {pieces} of text{made}."


def _runs(passage: Passage) -> str:
    matches = passage.matches
    if len(matches) == 1:
        return "in one exact run, without a gap"
    longest = max((match.symbols for match in matches), default=0)
    left, right = _gap([match.left for match in matches]), _gap([match.right for match in matches])
    between = f"between them stand {left:,} characters on the left and {right:,} on the right"
    return f"in {len(matches):,} exact runs, the longest of {longest:,}; {between}"


def _gap(spans: Sequence[tuple[int, int]]) -> int:
    """How many characters lie between neighbouring spans."""
    ordered = sorted(spans)
    return sum(max(0, after[0] - before[1]) for before, after in pairwise(ordered))


def runs(matches: Sequence[Match]) -> str:
    """In how many exact runs."""
    return count(len(matches), "run")
