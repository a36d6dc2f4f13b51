"""What can go wrong between a client and a server.

WhorlError
├── UnreachableError    no answer: the address, the network or the certificate
├── AnswerError         an answer that no Whorl server gives
└── RefusedError        the server said no: ``status`` and ``detail``
"""

from whorl.errors import WhorlError

# What to do about a refusal, where the server's own words leave it open.
_REMEDIES = {
    401: "set WHORL_TOKEN to a token of this server, or name a file that has one with --token-file",
    403: "ask whoever runs the server for a token that may do this",
    413: "give less at a time, or ask whoever runs the server to allow more",
    429: "the server is busy: try again later",
}


class UnreachableError(WhorlError):
    """No answer came."""


class AnswerError(WhorlError):
    """What came is not what a Whorl server of this version says."""


class RefusedError(WhorlError):
    """The server refused a request. ``retry_after`` is in seconds, if it said when to come again."""

    def __init__(self, server: str, status: int, detail: str, retry_after: float | None = None) -> None:
        self.server, self.status, self.detail, self.retry_after = server, status, detail, retry_after
        remedy = _REMEDIES.get(status)
        super().__init__(f"{server}: {detail} ({status})" + (f": {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[type["RefusedError"], tuple[str, int, str, float | None]]:
        return type(self), (self.server, self.status, self.detail, self.retry_after)
