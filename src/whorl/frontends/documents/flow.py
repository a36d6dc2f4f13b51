"""The text of an XML document, by what its elements mean: which hold text, which end a line, which are not read.

What stands in the middle of a paragraph without being part of it, such as a footnote, follows the paragraph.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from whorl.frontends.documents.xml import Attributes, attribute, local, parse

NOTHING: frozenset[str] = frozenset()
FALSE = frozenset({"0", "false", "off"})  # the values that switch a property off; without a value it is on


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """What the elements of a format mean, by their local names."""

    text: frozenset[str]
    after: Mapping[str, str]
    dropped: frozenset[str] = NOTHING
    aside: frozenset[str] = NOTHING
    paragraphs: frozenset[str] = NOTHING
    runs: frozenset[str] = NOTHING  # what a property that hides is a property of
    hiding: frozenset[str] = NOTHING
    known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        known = self.text | self.dropped | self.aside | self.paragraphs | self.runs | self.hiding | set(self.after)
        object.__setattr__(self, "known", known)


def text_of(blocks: Iterable[bytes], vocabulary: Vocabulary) -> str:
    """The text of one XML document."""
    flow = _Flow(vocabulary)
    parse(blocks, flow.start, flow.end, flow.data)
    return flow.text()


class _Known(dict[str, str]):
    """Names as they are written, to local names that mean something; others to nothing. Documents have few names."""

    def __init__(self, known: frozenset[str]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, name: str) -> str:
        found = self[name] = local(name) if local(name) in self._known else ""
        return found


class _Flow:
    """The text so far. Depth is counted, not recursed into."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = vocabulary
        self._known = _Known(vocabulary.known)
        self._dropped = self._holding = 0
        self._hidden = False
        self._out: list[str] = []
        self._outer: list[list[str]] = []  # what is interrupted by an aside
        self._asides: list[str] = []  # what waits for the end of the paragraph

    def text(self) -> str:
        """All of it."""
        return "".join(self._out + self._asides)

    def start(self, name: str, attributes: Attributes) -> None:
        if self._dropped:
            self._dropped += 1
        elif known := self._known[name]:
            self._begin(known, attributes)

    def _begin(self, name: str, attributes: Attributes) -> None:
        words = self._words
        if name in words.text:
            self._holding += 1
        elif name in words.dropped:
            self._dropped = 1
        elif name in words.runs:
            self._hidden = False
        elif name in words.aside:
            self._outer.append(self._out)
            self._out = []
        elif name in words.hiding:
            self._hidden = attribute(attributes, "val") not in FALSE

    def end(self, name: str) -> None:
        if self._dropped:
            self._dropped -= 1
        elif known := self._known[name]:
            self._finish(known)

    def _finish(self, name: str) -> None:
        words = self._words
        if name in words.text:
            self._holding -= 1
        if name in words.runs:
            self._hidden = False
        if name in words.after:
            self._out.append(words.after[name])
        if name in words.aside:
            self._asides += [*self._out, "\n"]
            self._out = self._outer.pop()
        if name in words.paragraphs and self._asides and not self._outer:
            self._out += self._asides
            self._asides = []

    def data(self, text: str) -> None:
        if self._holding and not self._dropped and not self._hidden:
            self._out.append(text)
