"""Documents on their way into the index. A commit waits for the disk, so those that come meanwhile share the next."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock, Semaphore

from whorl.errors import WhorlError
from whorl.index.entry import Entry
from whorl.index.prepare import Prepared
from whorl.index.writer import State
from whorl.service.problems import Problem, missing
from whorl.service.reader import Reader
from whorl.service.receipts import Receipts

# Who may wait for the writer. A purge can hold it up for long, and each who waits holds a thread: some must be left.
WAITING = 16


@dataclass(slots=True, eq=False)
class _Ticket:
    """A document that waits, and what became of it."""

    prepared: Prepared
    entry: Entry | None = None
    state: State = "unchanged"
    error: WhorlError | None = None
    is_done: bool = field(default=False)


class Intake:
    """The only way in which the service changes the index. ``within`` is the time until a text that was replaced or
    deleted is purged."""

    def __init__(self, index: Reader, receipts: Receipts, within: timedelta) -> None:
        self._index, self._receipts, self._within = index, receipts, within
        self._turn, self._pending, self._room = Lock(), Lock(), Semaphore(WAITING)
        self._tickets: list[_Ticket] = []

    def put(self, prepared: Prepared) -> tuple[Entry, State]:
        """Add a document; it is durable when this returns. Whose turn it is commits all that wait."""
        ticket = _Ticket(prepared)
        with self._waiting():
            with self._pending:
                self._tickets.append(ticket)
            with self._turn:
                if not ticket.is_done:
                    self._commit(self._next())
        if ticket.error is not None:
            raise ticket.error
        if ticket.entry is None:
            raise Problem(409, "The document was removed again before it could be told. Add it again if you want it.")
        return ticket.entry, ticket.state

    def remove(self, entry: Entry) -> None:
        """Remove a document. That it is to be purged is noted first: whatever crashes then, the purge removes it."""
        with self._waiting(), self._turn:
            current = self._index.entry(entry.name)
            if current is None or current.id != entry.id:
                raise missing(f"Document {entry.id}")
            self._receipts.requested(entry.id, entry.name, entry.owner, self._within)
            self._index.remove(entry.name)

    def close(self) -> None:
        """Let the index go."""
        with self._turn:
            self._index.close()

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """One of those who may wait; a problem if there are enough of them."""
        if not self._room.acquire(blocking=False):
            raise Problem(429, "Too many changes wait to be written. Try again in a moment.")
        try:
            yield
        finally:
            self._room.release()

    def _next(self) -> list[_Ticket]:
        """All that wait: no more than there is room for."""
        with self._pending:
            batch, self._tickets = self._tickets, []
            return batch

    def _commit(self, batch: Sequence[_Ticket]) -> None:
        try:
            old = {ticket.prepared.document.name: self._index.entry(ticket.prepared.document.name) for ticket in batch}
            mine = [ticket for ticket in batch if self._is_allowed(ticket, old[ticket.prepared.document.name])]
            for ticket, added in zip(mine, self._index.put([each.prepared for each in mine]), strict=True):
                ticket.entry, ticket.state = self._index.entry(added.name), added.state
            for ticket in mine:
                before = old[ticket.prepared.document.name]
                if before is not None and ticket.entry is not None and before.id != ticket.entry.id:
                    self._receipts.requested(before.id, before.name, before.owner, self._within)
        except BaseException as error:
            told = error if isinstance(error, WhorlError) else Problem(500, "The document could not be written.")
            for ticket in batch:
                ticket.error = ticket.error or told
            if told is not error:
                raise
        finally:
            for ticket in batch:
                ticket.is_done = True

    def _is_allowed(self, ticket: _Ticket, old: Entry | None) -> bool:
        """Whether a document may stand where another one does: only the owner's."""
        if old is not None and old.owner != ticket.prepared.document.owner:
            ticket.error = Problem(409, "A document that came by another way has this name. Choose another name.")
            return False
        return True
