"""HTML to the text that a reader sees: tags and what is hidden dropped, entities resolved.

Block elements part words and inline ones do not: ``<b>w</b>ord`` is one word. What a tag is, is the matter of
``tags``; what a word is, that of the text front-end.
"""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import chain, compress, count

from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.hidden import MARK, mark_hidden
from whorl.frontends.documents.tags import Range, Tokens, closings
from whorl.frontends.encoding import decode

# Elements that stand on lines of their own, or in cells: by the standard's style sheet (section 15.3), and ``br``.
_BLOCKS = """
    address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link listing
    main menu meta nav ol optgroup option p plaintext pre search section select summary table tbody td template
    textarea tfoot th thead title tr ul xmp
"""
BLOCKS = frozenset(_BLOCKS.split())
# What stands beside the main content.
BESIDE = frozenset({"aside", "dialog", "footer", "form", "header", "menu", "nav", "search"})

# The entities that pages are full of; what they stand for begins no other entity, so the order does not matter.
_COMMON = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", "\xa0"), ("&#39;", "'"))
# A number that is no character's; Python refuses to read thousands of digits.
_ENDLESS = re.compile(r"&#(?:[xX]0*+[0-9a-fA-F]{7,}+|0*+[0-9]{8,}+|[0-9]{64,}+);?+")
_BLANK_LINES = re.compile(r"\n\s*\n")


def extract(data: bytes | str, main_only: bool = False) -> Extracted:
    """The visible text of a page; with ``main_only``, without what stands beside the main content."""
    text = data if isinstance(data, str) else decode(data).text
    return Extracted(_BLANK_LINES.sub("\n\n", resolve(visible(text, main_only))).strip())


def visible(text: str, main_only: bool = False) -> str:
    """The text between the tags, entities as they stand."""
    tokens = Tokens(mark_hidden(text))
    distinct = {name: _plain(name) for name in set(tokens.names) if name is not None}
    between: dict[str | None, str] = {None: ""}
    between |= {name: "\n" if plain.removeprefix("/") in BLOCKS else "" for name, plain in distinct.items()}
    return tokens.text(between.__getitem__, _unseen(tokens.names, distinct, main_only))


def resolve(text: str) -> str:
    """The text with its entities replaced by what they stand for."""
    if "&" not in text:
        return text
    for entity, character in _COMMON:
        text = text.replace(entity, character)
    return unescape(_ENDLESS.sub("\ufffd", text))


def _plain(name: str) -> str:
    return name.lower().removesuffix(MARK)


def _unseen(names: Sequence[str | None], distinct: Mapping[str, str], main_only: bool) -> list[Range]:
    """What is dropped with all that it holds, in order and apart from each other. ``distinct`` gives each name's
    plain form."""
    dropping = {name for name, plain in distinct.items() if name.endswith(MARK) or plain == "template"}
    wanted = {distinct[name] for name in dropping} | (BESIDE | {"main"} if main_only else set())
    if not wanted:
        return []
    relevant = {name for name, plain in distinct.items() if plain.removeprefix("/") in wanted}
    tags = [(number, names[number] or "") for number in compress(count(), map(relevant.__contains__, names))]
    ends = closings((number, distinct[name]) for number, name in tags)
    closed = [(name, (number, ends[number])) for number, name in tags if number in ends]
    ranges = [place for name, place in closed if name in dropping]
    if main_only:
        ranges += _beside([(distinct[name], place) for name, place in closed], len(names))
    return _apart(ranges)


def _beside(elements: list[tuple[str, Range]], last: int) -> list[Range]:
    """All outside the main elements; if there are none, the elements that are beside the content by their name."""
    mains = _apart([place for name, place in elements if name == "main"])
    if not mains:
        return [place for name, place in elements if name in BESIDE]
    edges = [-1, *chain.from_iterable(mains), last]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _apart(ranges: list[Range]) -> list[Range]:
    """The same in ranges that do not overlap."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
