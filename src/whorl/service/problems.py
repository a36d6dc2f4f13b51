"""What is told to a client whose request cannot be done: RFC 9457, a title and what to do about it."""

from typing import Any

from whorl.errors import InputError, WhorlError
from whorl.index.faults import IndexIOError
from whorl.service.database import ServiceDatabaseError

MEDIA = "application/problem+json"

# Seconds after which a client may try again where nothing better is known.
SOON = 2

# Status → its title. Those that an endpoint may answer with beside its own are documented from here.
TITLES = {
    400: "The request cannot be understood",
    401: "A token is needed",
    403: "The token does not allow this",
    404: "There is no such thing",
    405: "This cannot be done here",
    408: "The request came too slowly",
    409: "This cannot be done now",
    411: "The length of the body is needed",
    413: "The body is too large",
    415: "The body has the wrong type",
    421: "The service does not go by this name",
    422: "The values cannot be used",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "The service cannot do this now",
}


class Problem(WhorlError):  # noqa: N818 - RFC 9457's own word
    """A request that cannot be done. ``detail`` says what to do; ``retry_after`` is in seconds."""

    def __init__(self, status: int, detail: str, *, title: str | None = None, retry_after: int | None = None) -> None:
        self.status, self.detail = status, detail
        self.title = title or TITLES.get(status, "The request failed")
        self.retry_after = SOON if retry_after is None and status in (429, 503) else retry_after
        super().__init__(detail)

    def as_dict(self) -> dict[str, Any]:
        """The document that the client gets."""
        return {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail}

    def headers(self) -> dict[str, str]:
        """The headers that belong to it."""
        told = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return {**told, **({"WWW-Authenticate": 'Bearer realm="whorl"'} if self.status == 401 else {})}


def missing(what: str) -> Problem:
    """404: it is not there, or belongs to somebody else, which is told in the same words."""
    return Problem(404, f"{what}: it is not there, or not yours to see. Look at the list for what is.")


def problem_of(error: WhorlError) -> Problem:
    """What Whorl raised on purpose, as a client should hear it. What stands in paths of this machine is not told."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, IndexIOError) and error.action == "write":
        return Problem(503, "Another process is writing to the index. Try again in a moment.", retry_after=5)
    if isinstance(error, IndexIOError | ServiceDatabaseError):
        return Problem(503, "The disk or another process is in the way. Try again; the service's log has more.")
    if isinstance(error, InputError):
        return Problem(422, str(error))
    return Problem(500, "The index has a fault. Whoever runs the service finds it in the log.")
