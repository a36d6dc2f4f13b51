"""Error answers as problem details (RFC 9457)."""

import errno
from collections.abc import Iterator
from typing import Any

import apsw

from whorl.errors import InputError, ReplacedError, StoreIOError, WhorlError
from whorl.service.database import ServiceDatabaseError
from whorl.storage.database import is_full

PROBLEM_MEDIA = "application/problem+json"

# Seconds after which a client may try again where nothing better is known.
SOON = 2

# The same where an administrator has to do something first.
MUCH_LATER = 600

# The errors of a disk that has no room, and of a user who has used up theirs.
_FULL = (errno.ENOSPC, errno.EDQUOT)

# Status → its title. Those that an endpoint may answer with beside its own are documented from here.
TITLES = {
    400: "The request cannot be understood",
    401: "A token is needed",
    403: "The token does not allow this",
    404: "Not found",
    405: "Method not allowed",
    408: "The request came too slowly",
    409: "Not possible in the current state",
    411: "The length of the body is needed",
    413: "The body is too large",
    415: "The body has the wrong type",
    416: "The range is not available",
    421: "Unknown host name",
    422: "Invalid values",
    429: "Too many requests",
    500: "Internal error",
    503: "Service unavailable",
}


class Problem(WhorlError):  # noqa: N818 - RFC 9457's own word
    """A request that cannot be done. ``detail`` says what to do; ``retry_after`` is in seconds."""

    def __init__(self, status: int, detail: str, *, title: str | None = None, retry_after: int | None = None) -> None:
        self.status, self.detail = status, detail
        self.title = title or TITLES.get(status, "The request failed")
        self.retry_after = SOON if retry_after is None and status in (429, 503) else retry_after
        super().__init__(detail)

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as JSON object."""
        return {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail}

    def headers(self) -> dict[str, str]:
        """Return the headers of the answer."""
        retry = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return {**retry, **({"WWW-Authenticate": 'Bearer realm="whorl"'} if self.status == 401 else {})}


def missing(what: str) -> Problem:
    """Return 404. A thing that belongs to someone else gets the same answer as a missing one."""
    return Problem(404, f"{what} does not exist, or you have no access to it.")


def nowhere() -> Problem:
    """Return 404, for a list that is to go on at a place that it does not have."""
    return Problem(404, "after: there is no such place in the list. Give what the answer before had in 'after'.")


def problem_of(error: WhorlError) -> Problem:
    """Translate an error of Whorl into a problem, without paths of this machine."""
    if isinstance(error, Problem):
        return error
    if is_disk_full(error):
        return disk_full()
    if isinstance(error, StoreIOError | ServiceDatabaseError):
        if isinstance(error.__cause__, BlockingIOError | apsw.BusyError):
            return Problem(503, "Another process is writing to the index. Try again in a moment.", retry_after=5)
        return Problem(503, "A disk or database error occurred. Try again; see the log of the service.")
    if isinstance(error, ReplacedError):
        detail = "The index was removed or replaced while the service ran. Tell its administrator."
        return Problem(503, detail, retry_after=MUCH_LATER)
    if isinstance(error, InputError):
        return Problem(422, str(error))
    return Problem(500, "The index is damaged. See the log of the service.")


def disk_full() -> Problem:
    """Return 503, for a disk that is full or has only the room that is kept for maintenance."""
    return Problem(503, "The disk of the service is full. Tell its administrator.", retry_after=MUCH_LATER)


def too_much_memory() -> Problem:
    """Return 422, for a text that a process has not enough memory for."""
    return Problem(422, "This text needs too much memory. Send a part of it.")


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error, or one of its causes, says that the disk is full."""
    return any(is_full(each) or (isinstance(each, OSError) and each.errno in _FULL) for each in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
