"""The passages of a hit as a page shows them: both sides, equal text marked, with some context.

Only pieces of the texts are shown, so that a page stays small whatever was searched for. Each piece is escaped as it is
cut, by the report's rules for characters that a page would hide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from whorl.report.markup import Look, Mark, colour, segments
from whorl.report.visible import coarse, code, has_many
from whorl.service.searching import CONTEXT, FoundPassage, Shown, Stretch

# Passages of one hit that are shown: more than a person compares at once. The longest come first.
SHOWN = 12
# Characters of one passage that are shown on a side: some screens of text. How much is left out is told.
LONGEST = 6_000
# A context begins and ends between words where one does within so many characters.
WORD = 24
# Between the dots and the text: they stay on its line.
GLUE = "\N{NO-BREAK SPACE}"
# From so many characters on a side scrolls, and must be reachable by keyboard.
SCROLLS = 500


@dataclass(frozen=True, slots=True)
class SideView:
    """A passage in one of the two texts: where, as markup, and whether it is long enough to scroll."""

    lines: str
    excerpt: Markup
    scrolls: bool


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage with its number, from 1, its colour, its length in symbols, and both sides."""

    number: int
    colour: int
    symbols: int
    left: SideView
    right: SideView


def passage_views(passages: Sequence[FoundPassage]) -> tuple[PassageView, ...]:
    """The passages that are shown."""
    return tuple(_view(number, passage) for number, passage in enumerate(passages[:SHOWN], start=1))


def _view(number: int, passage: FoundPassage) -> PassageView:
    shade = colour(number)
    left = _side(passage.left, [match.left for match in passage.matches], shade)
    right = _side(passage.right, [match.right for match in passage.matches], shade)
    return PassageView(number, shade, passage.symbols, left, right)


def _side(side: Shown, runs: Sequence[Stretch], shade: int) -> SideView:
    if side.text is None:
        return SideView(_lines(side), Markup(), scrolls=False)
    excerpt = Markup("".join(_pieces(side, side.text, runs, shade)))
    return SideView(_lines(side), excerpt, scrolls=len(side.text) > SCROLLS)


def _lines(side: Shown) -> str:
    """Where a passage stands; an index that keeps no texts does not know its lines."""
    if side.start_line < 1:
        return ""
    first, last = side.start_line, side.end_line
    return f"line {first:,}" if first == last else f"lines {first:,}–{last:,}"


def _pieces(side: Shown, text: str, runs: Sequence[Stretch], shade: int) -> Iterator[str]:
    before = side.before if side.start == len(side.before) else f"…{GLUE}{_later_words(side.before)}"
    if before:
        yield f'<span class="context">{_escaped(before)}</span>'
    yield from _marked(text[:LONGEST], side.start, runs, shade)
    if len(text) > LONGEST:
        yield f' <span class="left-out">… {len(text) - LONGEST:,} characters more</span>'
    elif side.after:
        after = side.after if len(side.after) < CONTEXT else f"{_earlier_words(side.after)}{GLUE}…"
        yield f'<span class="context">{_escaped(after)}</span>'


def _marked(text: str, start: int, runs: Sequence[Stretch], shade: int) -> Iterator[str]:
    """The passage: what is equal is strong, and what differs between is faint. Both sides have as many exact runs, so
    that the number of one leads to its counterpart."""
    marks = [Mark(0, len(text), Look.GAP)]
    marks += [Mark(max(0, run.start - start), run.end - start, Look.MATCH, n) for n, run in enumerate(runs, 1)]
    for segment in segments(len(text), marks):
        look = f'p{shade}" data-m="{segment.passage}' if segment.look is Look.MATCH else f"p{shade} g"
        yield f'<mark class="{look}">{_escaped(text[segment.start : segment.end])}</mark>'


def _later_words(piece: str) -> str:
    """Without the word that was cut at the beginning."""
    cut = next((place for place, letter in enumerate(piece[:WORD]) if letter.isspace()), 0)
    return piece[cut:].lstrip()


def _earlier_words(piece: str) -> str:
    """Without the word that was cut at the end."""
    tail = piece[-WORD:]
    cut = next((place for place, letter in enumerate(reversed(tail)) if letter.isspace()), 0)
    return piece[: len(piece) - cut].rstrip()


def _escaped(piece: str) -> str:
    return (coarse if has_many(piece) else code)(piece.replace("\r\n", "\n"))
