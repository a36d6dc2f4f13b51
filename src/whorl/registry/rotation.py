"""Rotate documents from their texts, the oldest fingerprints first, and no more documents than a limit.

Which documents are due is in ``registry``; new fingerprints are drawn and written in ``writer``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from pathlib import Path
from typing import Literal, TypeAlias

from whorl.formats.corpora.records import DEFAULT as NAMES
from whorl.formats.corpora.records import Columns
from whorl.model import Document, Skipped
from whorl.registry.reading import NOT_FOUND, Reading, texts
from whorl.registry.store import RegistryEntry
from whorl.registry.writer import Changed, State
from whorl.threads import Prefetch

# What came of a document: a state, the reason why its text cannot be read, or "waiting" if it may yet be rotated.
Outcome: TypeAlias = State | Skipped | Literal["waiting"]

# States that count towards the limit, and all states of a rotation.
DONE: tuple[State, ...] = ("rotated", "whole")
STATES: tuple[State, ...] = (*DONE, "changed", "unknown")


def by_age(entry: RegistryEntry) -> tuple[int, bool, int]:
    """Return the sort key of a document: the oldest fingerprint first.

    Of those drawn on one day, the one drawn first comes first, because a draw gives a new number. Those that are stored
    completely come last: there is nothing to draw.
    """
    return entry.drawn, entry.stored == entry.searched, entry.number


@dataclass(frozen=True, slots=True)
class MissingText:
    """A document that was not rotated because no source has its text, and why."""

    document: RegistryEntry
    reason: str


@dataclass(frozen=True, slots=True)
class RotationResult:
    """The number of documents in each state (see ``Changed``), and the documents that were passed over: those whose
    text has changed, those without a text, and those whose text cannot be read. All are in order of age."""

    states: dict[str, int]
    changed: tuple[RegistryEntry, ...]
    missing: tuple[MissingText, ...]
    skipped: tuple[Skipped, ...]


class Rotation:
    """Rotates the oldest documents whose texts are in the sources, at most ``limit``.

    Documents whose text is missing or has changed do not count, so they do not block the others. Each source is read at
    most once. A text of the ``limit`` oldest documents is rotated when it comes. A younger document may have to replace
    one of these, which is known at the end only: until then its fingerprint is held without its text, 8 kB.
    """

    def __init__(
        self,
        entries: Iterable[RegistryEntry],
        limit: int | None,
        read: Callable[[Document], Reading | Skipped],
        write: Callable[[Sequence[Reading]], list[Changed]],
        batch: int,
    ) -> None:
        """``read`` reads a document, ``write`` rotates documents in one commit, at most ``batch``."""
        self._entries = sorted(entries, key=by_age)
        self._ranks = {entry.name: rank for rank, entry in enumerate(self._entries)}
        self._limit = len(self._entries) if limit is None else min(limit, len(self._entries))
        self._read, self._write, self._batch = read, write, batch
        self._outcomes: dict[int, Outcome] = {}
        self._final: set[int] = set()  # the ranks that the last source has
        self._ready: list[Reading] = []
        self._held: list[tuple[int, Reading]] = []  # a heap of negative ranks: the youngest document is the first
        self._rotated = 0
        self._settled = 0  # no rank below is open

    def run(
        self, sources: Sequence[Path], threads: int, progress: Callable[[str, int, int | None], object] | None = None,
        columns: Columns = NAMES,
    ) -> RotationResult:  # fmt: skip
        """Rotate the documents from their texts in the sources: indexes, folders, archives, tables and files. A source
        that has no usable text of a document is followed by the next one. ``columns`` are those of tables."""
        faults: dict[str, str] = {}
        read = 0
        for number, source in enumerate(sources, 1):
            if self._is_complete():
                break
            left = [entry.name for rank, entry in enumerate(self._entries) if self._is_open(rank)]
            with Prefetch(threads) as ahead:
                for reading in ahead.map(self._read, self._needed(texts(source, left, faults, columns))):
                    self._take(reading, is_last=number == len(sources))
                    read += 1
                    if progress is not None:
                        progress("rotating", read, None)
            self._rotate(self._ready)
        end = self._rotate_held()
        return self._result(end, faults)

    def _needed(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents that may have to be rotated, until it is known which these are."""
        for document in documents:
            if self._is_complete():
                return
            rank, room = self._ranks[document.name], self._limit - self._rotated
            if rank < self._limit or len(self._held) < room or (self._held and rank < -self._held[0][0]):
                yield document

    def _take(self, reading: Reading | Skipped, is_last: bool) -> None:
        """Take a document that was read: rotate or hold it, or note why not."""
        rank = self._ranks[reading.name if isinstance(reading, Skipped) else reading.document.name]
        if is_last:
            self._final.add(rank)
        if isinstance(reading, Skipped):
            self._outcomes[rank] = reading
        elif reading.digest != self._entries[rank].digest:
            self._outcomes[rank] = "changed"
        elif rank < self._limit:
            self._outcomes[rank] = "waiting"
            self._ready.append(reading)
        else:
            self._outcomes[rank] = "waiting"
            heappush(self._held, (-rank, replace(reading, document=replace(reading.document, content=""))))
            self._trim()
        while self._settled < len(self._entries) and not self._is_open(self._settled):
            self._settled += 1
        if len(self._ready) >= self._batch or self._settled >= self._limit:
            self._rotate(self._ready)

    def _is_open(self, rank: int) -> bool:
        """Return whether a text of this document may still be of use. If its text has changed or cannot be read, the
        next source may have another one."""
        outcome = self._outcomes.get(rank)
        has_failed = outcome == "changed" or isinstance(outcome, Skipped)
        return outcome is None or (has_failed and rank not in self._final)

    def _is_complete(self) -> bool:
        """Return whether no further text can change which documents are rotated."""
        youngest = -self._held[0][0] if self._held else self._limit - 1
        return self._rotated + len(self._held) >= self._limit and self._settled > youngest

    def _trim(self) -> None:
        """Drop the youngest documents that cannot be needed."""
        while len(self._held) > self._limit - self._rotated:
            heappop(self._held)

    def _rotate(self, readings: list[Reading]) -> None:
        """Rotate documents, in commits of a batch, and clear the list."""
        while readings:
            for change in self._write(readings[: self._batch]):
                self._outcomes[self._ranks[change.name]] = change.state
                self._rotated += change.state in DONE
            del readings[: self._batch]
        self._trim()

    def _rotate_held(self) -> int:
        """Rotate as many held documents as the limit allows. Return the rank up to which all were tried."""
        chosen = sorted(self._held, reverse=True)[: self._limit - self._rotated]
        ranks = [-rank for rank, _ in chosen] + [rank for rank, outcome in self._outcomes.items() if outcome in DONE]
        self._held = []
        self._rotate([reading for _, reading in chosen])
        return max(ranks, default=-1) + 1 if len(ranks) == self._limit else len(self._entries)

    def _result(self, end: int, faults: dict[str, str]) -> RotationResult:
        outcomes = [(entry, self._outcomes.get(rank)) for rank, entry in enumerate(self._entries[:end])]
        counts = Counter(outcome for _, outcome in outcomes if isinstance(outcome, str))
        return RotationResult(
            {state: counts[state] for state in STATES if counts[state]},
            tuple(entry for entry, outcome in outcomes if outcome == "changed"),
            tuple(MissingText(entry, faults.get(entry.name, NOT_FOUND)) for entry, outcome in outcomes if not outcome),
            tuple(outcome for _, outcome in outcomes if isinstance(outcome, Skipped)),
        )
