"""Starter code and task texts: find their spans in a submission, so that matches inside them are ignored.

Align a program with the starter code: symbols of programs carry no names, so everybody's own code contains k-grams of
the template. In prose, symbols are letters, so any k-gram of the starter text comes from it. Both ways yield spans of
the text; symbols from these spans, in any stream, are no evidence.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from whorl.engine.hashing import Hasher, Key, hasher
from whorl.engine.sampling import distinct
from whorl.formats.reading import CODE
from whorl.matching.alignment import Template, template_spans
from whorl.matching.line_diff import program_lines
from whorl.model import Span, Stream
from whorl.scheme import Scheme


class StarterCode:
    """The documents of the starter code: format, text and stream of each."""

    def __init__(self, documents: Sequence[tuple[str, str, Stream]], scheme: Scheme, key: Key) -> None:
        self._is_code, self._k, self._key = scheme.frontend == CODE, scheme.k, key
        self._documents = documents

    def spans(self, language: str, text: str, stream: Stream) -> tuple[Span, ...]:
        """Return the spans of a document's text that come from the starter code, sorted and disjoint."""
        if self._is_code:
            return tuple(template_spans(program_lines(text, language), self._template))
        starts, ends = stream.spans.starts, stream.spans.ends
        bounds = np.flatnonzero(np.diff(self._covered(stream), prepend=False, append=False)).reshape(-1, 2)
        return tuple(Span(int(starts[first]), int(ends[end - 1])) for first, end in bounds.tolist())

    @cached_property
    def _template(self) -> Template:
        return Template(program_lines(text, language) for language, text, _ in self._documents)

    @cached_property
    def _hasher(self) -> Hasher:
        return hasher(self._key, self._k)

    @cached_property
    def _grams(self) -> NDArray[np.uint64]:
        """The identities of all k-grams of the starter texts, ascending and distinct."""
        identities = [self._identities(stream) for _, _, stream in self._documents]
        return distinct(np.concatenate([np.zeros(0, np.uint64), *identities]))

    def _identities(self, stream: Stream) -> NDArray[np.uint64]:
        count = max(0, len(stream) - self._k + 1)
        return self._hasher.identity(np.ascontiguousarray(stream.symbols), np.arange(count, dtype=np.int64))

    def _covered(self, stream: Stream) -> NDArray[np.bool_]:
        """Return which symbols are in k-grams of the starter texts."""
        edges = np.zeros(len(stream) + 1, np.int64)
        at = np.flatnonzero(np.isin(self._identities(stream), self._grams))
        np.add.at(edges, at, 1)
        np.add.at(edges, at + self._k, -1)
        is_covered: NDArray[np.bool_] = np.cumsum(edges[:-1]) > 0
        return is_covered

    def __getstate__(self) -> dict[str, object]:
        """Pickle the documents alone: another process rebuilds the caches, and equal objects pickle alike."""
        return {name: value for name, value in vars(self).items() if name not in ("_template", "_hasher", "_grams")}


def merge_spans(spans: Sequence[Span], text: str, stream: Stream) -> tuple[Span, ...]:
    """Widen spans by the blanks around them and merge neighbours without a symbol between them, so that a comment
    inside starter code does not split it."""
    widened: list[Span] = []
    begins = stream.spans.starts
    for start, end in spans:
        while start > 0 and text[start - 1].isspace():
            start -= 1
        while end < len(text) and text[end].isspace():
            end += 1
        if widened and np.searchsorted(begins, widened[-1].end) == np.searchsorted(begins, start):
            start = widened.pop().start
        widened.append(Span(start, end))
    return tuple(widened)
