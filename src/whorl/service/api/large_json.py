"""Parse large JSON bodies in a sandboxed worker, where a body with millions of fields costs this process nothing."""

import json
import re
from typing import Any

# Strings (keys are strings, too) that a body may have beside its text, and bytes of all of them: the largest body of
# ours has a hundred labels.
MOST_STRINGS, MOST_BYTES = 1000, 1 << 18

# Bytes that are counted before other threads may run.
PIECE = 1 << 20

MANY = "the body has far more fields than this takes. Look at /api/openapi.json for what it takes"

TARGET = f"{__name__}:parted"

# A string of JSON. One that is never closed ends with the body, so that it is looked at once.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def has_many_strings(raw: bytes) -> bool:
    """Return whether a body, or its beginning, has more strings than any that is accepted, without parsing it.

    Every string has a quote without a backslash before it, and a quote inside a text has a backslash before it. Stops
    at the first piece that has too many.
    """
    quotes = 0
    for start in range(0, len(raw), PIECE):
        stop = start + PIECE
        quotes += raw.count(b'"', start, stop) - raw.count(b'\\"', max(0, start - 1), stop)
        if quotes > 2 * MOST_STRINGS:
            return True
    return False


def parted(raw: bytes, field: str) -> tuple[str | None, str]:
    """Return the text in a field of a JSON object, None if it has none, and the rest of the object as JSON."""
    if has_many_strings(raw) or len(_STRING.sub(b"", raw)) > MOST_BYTES:
        raise ValueError(MANY)  # long lists, deep ones, or blanks
    fields = _loaded(raw)
    if not isinstance(fields, dict):
        raise TypeError("body: give a JSON object")
    text = fields.pop(field) if isinstance(fields.get(field), str) else None
    rest = json.dumps(fields)
    if len(rest) > MOST_BYTES or rest.count('"') > 2 * MOST_STRINGS:
        raise ValueError(MANY)
    return text, rest


def _loaded(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8, from byte {error.start} on") from error


def is_small(raw: bytes) -> bool:
    """Return whether a body can be parsed in this process: it takes a few milliseconds, whatever it says."""
    return len(raw) <= 1 << 16 and raw.count(b'"') <= 2 * MOST_STRINGS


def joined(field: str, text: str | None, rest: str) -> dict[str, Any]:
    """Return the object that ``parted`` took apart."""
    fields: dict[str, Any] = json.loads(rest)
    return fields if text is None else {**fields, field: text}
