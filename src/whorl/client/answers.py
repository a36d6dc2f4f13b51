"""Answers of a server as the records that an index gives: so that both are shown in the same way."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast, get_args

from whorl.client.faults import AnswerError
from whorl.index.entry import Entry
from whorl.index.writer import Added, State

_MEASURES = ("score", "resemblance", "containment", "contained", "shared", "others", "verified")
_SIDE = ("start", "end", "start_line", "end_line")


@contextmanager
def understood(server: str) -> Iterator[None]:
    """An answer that lacks what it should have is told as such."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise AnswerError(
            f"{server}: the answer is not understood: is a Whorl server of this version there?"
        ) from error


def entry_of(told: dict[str, Any]) -> Entry:
    """A document as a server tells it. Its digest stays there."""
    url, date, contact, tenant = (_text(told.get(name)) for name in ("url", "date", "contact", "tenant"))
    return Entry(
        int(told["id"]), str(told["name"]), b"", str(told["format"]), int(told["symbols"]), int(told["fingerprints"]),
        bool(told["sanctioned"]), url, date, contact, tenant, tuple(map(str, told["labels"])), str(told["added"]),
    )  # fmt: skip


def page_of(told: dict[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """Some documents of a list, and what to ask for the next ones with."""
    return list(told["documents"]), _text(told["after"])


def added_of(told: dict[str, Any], name: str) -> Added:
    """What became of a document."""
    state = told["state"]
    if state not in get_args(State):
        raise ValueError(f"unknown state {state!r}")
    return Added(name, cast(State, state))


def answer_of(told: dict[str, Any], name: str) -> dict[str, Any]:
    """What a search told, as ``whorl search --format json`` prints it; ``foreign`` is the server's alone."""
    return {
        "name": name,
        "hits": [_hit(hit, name) for hit in told["hits"]],
        "cost": {str(key): int(value) for key, value in told["cost"].items()},
        "notes": [str(note) for note in told["notes"]],
        "foreign": [{key: str(value) for key, value in each.items() if value is not None} for each in told["foreign"]],
    }


def _hit(told: dict[str, Any], name: str) -> dict[str, Any]:
    document = entry_of(told["document"])
    passages = [
        {
            "left": _side(each["left"], name),
            "right": _side(each["right"], document.name),
            "symbols": int(each["symbols"]),
        }
        for each in told["passages"]
    ]
    return {"document": document.as_dict(), **{key: told[key] for key in _MEASURES}, "passages": passages}


def _side(told: dict[str, Any], file: str) -> dict[str, Any]:
    text = {} if told["text"] is None else {"text": str(told["text"])}
    return {"file": file, **{key: int(told[key]) for key in _SIDE}, **text}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
