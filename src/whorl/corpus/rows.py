"""A row of a table becomes a record. What is wrong with it is said in words; nothing is guessed."""

from collections.abc import Mapping
from typing import Any

from whorl.corpus.records import BadRowError, Columns, Feature, Place, Record
from whorl.frontends.detection import TEXT
from whorl.model import Document

# Features become 64-bit hashes or are 64-bit numbers; what does not fit is a slip.
_LEAST, _MOST = -(1 << 63), (1 << 64) - 1


def record(values: Mapping[str, Any], columns: Columns, place: Place, offset: int, prefix: str = "") -> Record:
    """The record of a row; ``BadRowError`` says why there is none.

    A text is text, whatever its id looks like: an id such as ``notes.c`` must not make it a program.
    """
    identity = _identity(values.get(columns.id), columns.id) or f"{prefix}{place.file}:{place.row}"
    features = None if columns.features is None else _features(values.get(columns.features), columns.features)
    content = "" if features is not None else _text(values.get(columns.text), columns.text)
    url = _word(values.get(columns.url), columns.url)
    date = _word(values.get(columns.date), columns.date)
    contact = None if columns.contact is None else _word(values.get(columns.contact), columns.contact)
    return Record(identity, Document(identity, content, url, date, contact, format=TEXT), *place, features, offset)


def _identity(value: Any, column: str) -> str:
    """Integers are common; no id is the same as an empty one."""
    return _word(value, column) or ""


def _word(value: Any, column: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise BadRowError(f"{column!r} is {_kind(value)}, neither a string nor a whole number")


def _text(value: Any, column: str) -> str | bytes:
    if value is None:
        raise BadRowError(f"no {column!r}")
    if not isinstance(value, str | bytes):
        raise BadRowError(f"{column!r} is {_kind(value)}, not a text")
    if not value or value.isspace():
        raise BadRowError(f"{column!r} is empty")
    return value


def _features(value: Any, column: str) -> tuple[Feature, ...]:
    if value is None:
        raise BadRowError(f"no {column!r}")
    if not isinstance(value, list):
        raise BadRowError(f"{column!r} is {_kind(value)}, not a list of integers or strings")
    if not value:
        raise BadRowError(f"{column!r} is empty")
    kinds = set(map(type, value))
    if kinds == {int}:
        if min(value) < _LEAST or max(value) > _MOST:
            raise BadRowError(f"{column!r} has a number that does not fit 64 bits")
    elif kinds != {str}:
        raise BadRowError(f"{column!r} is a list of other things than integers, or strings, alone")
    return tuple(value)


_KINDS = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object", str: "a text"}


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), type(value).__name__)
