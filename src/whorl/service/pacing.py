"""How large a body may be, and how slow a client: checked while the bytes come, before anything is parsed."""

import asyncio

from whorl.service.guard import App, Message, Receive, Scope, Send, answer
from whorl.service.problems import Problem
from whorl.service.settings import MEGABYTE, Settings

# The last part of the paths that take a whole class.
LARGE = ("comparisons", "compare")

# Bytes of a form beside its file.
FORM = MEGABYTE

# What cannot have a body takes none: 64 kB are let through so that a confused client hears what is wrong.
SMALL = 1 << 16


class _RefusedError(Exception):
    """The body is refused; what reads it must end."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class Pacing:
    """Counts and times what comes in."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most, begun = self._most(scope), False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            _check_length(scope, most)
            await self._app(scope, self._counted(receive, most), noted)
        except _RefusedError as refused:
            if begun:
                raise
            await answer(refused.problem, scope, send, close=True)

    def _most(self, scope: Scope) -> int:
        if scope["method"] in ("GET", "HEAD", "DELETE", "OPTIONS"):
            return SMALL
        is_large = scope["path"].rstrip("/").rpartition("/")[2] in LARGE
        return (self._settings.max_batch if is_large else self._settings.max_upload) + FORM

    def _counted(self, receive: Receive, most: int) -> Receive:
        came, done = 0, False
        until = asyncio.get_running_loop().time() + self._settings.body_seconds

        async def counted() -> Message:
            nonlocal came, done
            if done:  # only the end of the connection can come now, and that may take as long as the answer
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                told = f"The body did not come within {self._settings.body_seconds:g} seconds. Send less, or faster."
                raise _RefusedError(Problem(408, told)) from None
            came += len(message.get("body", b""))
            if came > most:
                raise _RefusedError(_too_large(most))
            done = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        return counted


def _check_length(scope: Scope, most: int) -> None:
    """Refuse a body by its announced length, without reading any of it."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and (len(value) > 18 or int(value) > most):
            raise _RefusedError(_too_large(most))


def _too_large(most: int) -> Problem:
    told = f"The body has more than {most // MEGABYTE:,} MB. Send less at a time, or ask for a larger limit."
    return Problem(413, told if most >= MEGABYTE else "This takes no body. Send the request without one.")
