"""Oddities of blanks as traits: what an editor keeps, nobody sees, and people copy.

A line is taken with its words' shape and not with its words, so that renaming does not hide it: blanks at its end, tabs
and spaces mixed before it, blanks before a comma or several between two signs.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from whorl.comparison.evidence.trait import Trait
from whorl.model import Span

BLANKS = "blanks"

# Signs of the shortest line, blanks aside, whose oddity two people do not share by chance.
SHORTEST = 8

# The longest line that is looked at: longer ones are data, or no one's typing.
LONGEST = 400

_WORD = re.compile(r"[^\W\d]\w*+|\d[\w.]*+")
_BEFORE = re.compile(r"\S +[,;)]")
_WIDE = re.compile(r"[^\s/#] {2,}[^\s/#*-]")


def blanks(text: str, given: Sequence[Span] = ()) -> Iterator[Trait]:
    """The lines of a program with odd blanks. Lines with something of ``given``, spans in order, do not count: who was
    given a line did not type its blanks."""
    begins = [span.start for span in given]
    start = 0
    for line in text.split("\n"):
        may_be = len(line) <= LONGEST and _may_be_odd(line.rstrip("\r"))
        if may_be and (oddities := list(_oddities(line.rstrip("\r")))):
            shape = _WORD.sub(lambda found: "0" if found[0][0].isdigit() else "n", "".join(line.split(" ")).strip())
            before = bisect_right(begins, start + len(line))
            is_given = before > 0 and given[before - 1].end > start
            if len("".join(line.split())) >= SHORTEST and not is_given:
                yield Trait(BLANKS, f"{'+'.join(oddities)} {shape}", " and ".join(oddities), start)
        start += len(line) + 1


def _may_be_odd(line: str) -> bool:
    """Whether a line needs a closer look: most do not."""
    body = line.lstrip(" \t")
    is_wide = "  " in body or " ," in body or " ;" in body or " )" in body
    return is_wide or body[-1:] in (" ", "\t") or " \t" in line


def _oddities(line: str) -> Iterator[str]:
    body = line.strip(" \t")
    if not body:
        return
    after, before = line[len(line.rstrip(" \t")) :], line[: len(line) - len(line.lstrip(" \t"))]
    if after:
        yield f"{len(after)} blank{'s' if len(after) > 1 else ''} at the end of a line"
    if " \t" in before:
        yield "tabs after spaces in an indentation"
    if _BEFORE.search(body):
        yield "blanks before a comma, a semicolon or a bracket"
    if _WIDE.search(body):
        yield "several blanks between two words"
