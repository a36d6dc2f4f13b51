"""A collection on a server, with the methods of an index in a folder; ``whorl search`` and ``whorl index`` use it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, local
from typing import Any, cast, get_args

from whorl.client.address import Address
from whorl.client.transport import AnswerError, FormPart, MultipartForm, ServerRefusedError, Transport
from whorl.errors import DocumentError
from whorl.index.store import Entry
from whorl.index.writer import Added, State
from whorl.model import Closing, Document, Skipped
from whorl.threads import Prefetch

_MEASURES = ("score", "resemblance", "containment", "contained", "shared", "others", "verified")
_SIDE = ("start", "end", "start_line", "end_line")


@contextmanager
def understood(server: str) -> Iterator[None]:
    """Raise AnswerError for a response that lacks an expected field."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise AnswerError(f"{server}: unexpected answer: is this a Whorl server of the same version?") from error


def entry_of(answer: dict[str, Any]) -> Entry:
    """Return a document from a server's JSON, which has no digest."""
    url, date, contact, tenant = (_text(answer.get(name)) for name in ("url", "date", "contact", "tenant"))
    return Entry(
        int(answer["id"]), str(answer["name"]), b"", str(answer["format"]), int(answer["symbols"]),
        int(answer["fingerprints"]), bool(answer["sanctioned"]), url, date, contact, tenant,
        tuple(map(str, answer["labels"])), str(answer["added"]),
    )  # fmt: skip


def page_of(answer: dict[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """Return one page of documents, and the cursor of the next page."""
    return list(answer["documents"]), _text(answer["after"])


def added_of(answer: dict[str, Any], name: str) -> Added:
    """Return the outcome of adding a document, from a server's JSON."""
    state = answer["state"]
    if state not in get_args(State):
        raise ValueError(f"unknown state {state!r}")
    symbols = int(answer["document"]["symbols"]) if state in ("added", "replaced") else None
    return Added(name, cast(State, state), symbols)


def answer_of(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the result of a search, as ``whorl search --format json`` prints it; only servers send ``foreign``."""
    return {
        "name": name,
        "hits": [_hit(hit, name) for hit in answer["hits"]],
        "cost": {str(key): int(value) for key, value in answer["cost"].items()},
        "notes": [str(note) for note in answer["notes"]],
        "foreign": [
            {key: str(value) for key, value in each.items() if value is not None} for each in answer["foreign"]
        ],
    }


def _hit(answer: dict[str, Any], name: str) -> dict[str, Any]:
    document = entry_of(answer["document"])
    passages = [
        {
            "left": _side(each["left"], name),
            "right": _side(each["right"], document.name),
            "symbols": int(each["symbols"]),
        }
        for each in answer["passages"]
    ]
    return {"document": document.as_dict(), **{key: answer[key] for key in _MEASURES}, "passages": passages}


def _side(answer: dict[str, Any], file: str) -> dict[str, Any]:
    text = {} if answer["text"] is None else {"text": str(answer["text"])}
    return {"file": file, **{key: int(answer[key]) for key in _SIDE}, **text}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


API = "/api/v1"

# What a server has against one document; whatever else it refuses concerns all of them.
_OF_ONE = (409, 413, 415, 422)

# Documents that are asked for at a time when all are listed: what a server gives at the most.
PAGE = 500

DEFAULT_COLLECTION = "main"


class Client(Closing):
    """A server that is asked under one token. Several threads may use one client: each has a connection of its own."""

    def __init__(self, url: str, token: str | None, *, collection: str = DEFAULT_COLLECTION) -> None:
        self.address, self.collection = Address.of(url), collection
        self._token = token
        self._own, self._turn = local(), Lock()
        self._opened: list[Transport] = []

    def close(self) -> None:
        """End all connections."""
        with self._turn:
            for transport in self._opened:
                transport.close()

    def add_all(
        self, documents: Iterable[Document], *, sanctioned: bool = False, threads: int = 1
    ) -> Iterator[Added | Skipped]:
        """Add many documents, on several connections; what became of each is told in order when it is durable."""
        with Prefetch(threads) as ahead:
            yield from ahead.map(lambda document: self._added(document, sanctioned), documents)

    def entry(self, name: str) -> Entry | None:
        """Return the document of this name in the collection."""
        _written(name)
        return next((entry for entry in self._page({"starts": name, "limit": 1})[0] if entry.name == name), None)

    def entries(self) -> Iterator[Entry]:
        """Yield all documents of the collection, by name."""
        entries, after = self._page({"limit": PAGE})
        yield from entries
        while after is not None:
            entries, following = self._page({"after": after, "limit": PAGE})
            if following is not None and following <= after:
                raise AnswerError(
                    f"{self.address.url}: its list does not end: is this a Whorl server of the same version?"
                )
            after = following
            yield from entries

    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; those that were there."""
        there = [entry for entry in map(self.entry, dict.fromkeys(names)) if entry is not None]
        for entry in there:
            self._json("DELETE", f"/documents/{entry.id}")
        return [entry.name for entry in there]

    def search(
        self, document: Document, *, limit: int = 10, window: int | None = None, look_ups: int | None = None,
        passages: bool = True,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the result of a search as ``whorl search --format json`` prints it, and under ``foreign`` what the
        server discloses of others' documents."""
        fields = {"format": document.format, "limit": limit, "window": window, "look_ups": look_ups}
        form = _form(document, {**fields, "passages": passages})
        answer = self._json("POST", "/search", body=form)
        with self._understood():
            return answer_of(answer, document.name)

    def stats(self) -> dict[str, Any]:
        """Return the size of the index, as far as the token may know it."""
        answer = self._json("GET", "/usage")
        with self._understood():
            return {name: value for name, value in dict(answer).items() if isinstance(value, str | int)}

    def _added(self, document: Document, sanctioned: bool) -> Added | Skipped:
        facts = {name: getattr(document, name) for name in ("url", "date", "contact", "labels", "format")}
        more = {"collection": self.collection, "tenant": document.owner, "sanctioned": sanctioned or None}
        try:
            answer = self._json("POST", "/documents", body=_form(document, {"name": document.name, **facts, **more}))
        except ServerRefusedError as error:
            if error.status not in _OF_ONE:
                raise
            return Skipped(document.name, error.detail)
        except DocumentError as error:
            return Skipped(document.name, error.reason)
        with self._understood():
            return added_of(answer, document.name)

    def _page(self, query: dict[str, Any]) -> tuple[list[Entry], str | None]:
        answer = self._json("GET", "/documents", {"collection": self.collection, **query})
        with self._understood():
            documents, after = page_of(answer)
            return [entry_of(each) for each in documents], after

    def _json(
        self, method: str, path: str, query: dict[str, Any] | None = None, body: MultipartForm | None = None
    ) -> Any:
        return self._transport().json(method, API + path, query, body)

    def _transport(self) -> Transport:
        """This thread's connection."""
        if not hasattr(self._own, "transport"):
            self._own.transport = Transport(self.address, self._token)
            with self._turn:
                self._opened.append(self._own.transport)
        transport: Transport = self._own.transport
        return transport

    @contextmanager
    def _understood(self) -> Iterator[None]:
        with understood(self.address.url):
            yield


def _form(document: Document, fields: dict[str, Any]) -> MultipartForm:
    """Return the fields of a document that are given."""
    parts = []
    for name, value in fields.items():
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        parts += [FormPart(name, _written(each)) for each in values]
    return MultipartForm([*parts, FormPart("file", _content(document), Path(document.name).name or "-")])


def _written(value: Any) -> bytes:
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DocumentError(f"{text!r} is not Unicode: rename the file") from None


def _content(document: Document) -> bytes | Path:
    if isinstance(document.content, Path) and not document.content.is_file():
        raise DocumentError("not a file that can be sent", str(document.content))
    if isinstance(document.content, str):
        return document.content.encode("utf-8", "surrogatepass")
    return document.content
