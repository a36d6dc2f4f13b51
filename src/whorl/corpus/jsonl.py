"""JSONL: an object a line, as it is or compressed by gzip or zstd."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from whorl.collection.faults import DAMAGE, reason
from whorl.collection.folder import opened
from whorl.collection.rules import Rules
from whorl.corpus.chunks import chunks
from whorl.corpus.lines import Line, lines
from whorl.corpus.records import BadRowError, Columns, Fault, Place, Record
from whorl.corpus.rows import record

# Lines whose names are taken for those of the columns. A column may be absent where it has no value.
_LOOKED_AT = 100

_MARK = b"\xef\xbb\xbf"  # a byte order mark, which some editors write


def names(path: Path, rules: Rules) -> list[str] | None:
    """The columns of the first lines, in their order; None if no line there is an object."""
    found: dict[str, None] = {}
    objects = 0
    with opened(path, follow=True) as file:
        try:
            for line in islice(lines(chunks(file, path.name), rules.member), _LOOKED_AT):
                try:
                    found.update(dict.fromkeys(_object(line, rules.member) or ()))
                    objects += 1
                except BadRowError:
                    continue  # reading reports it
        except DAMAGE:
            pass  # reading reports it
    return list(found) if objects and found else None


def rows(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Record | Fault]:
    """Every line as a record or a fault. Empty lines are none."""
    row = 0
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        try:
            for line in lines(source, rules.member):
                row = line.number
                try:
                    values = _object(line, rules.member)
                    if values is not None:
                        yield record(values, columns, Place(name, row), source.offset, prefix)
                except BadRowError as error:
                    yield Fault(name, row, str(error))
        except DAMAGE as error:
            yield Fault(name, row + 1, f"damaged: {reason(error)}; the rest of the file is not read")


def _object(line: Line, most: int) -> dict[str, Any] | None:
    """The object of a line; None if the line is empty."""
    content = line.content
    if content is None:
        raise BadRowError(f"a line of more than {most:,} bytes")
    if line.number == 1:
        content = content.removeprefix(_MARK)
    if not content or content.isspace():
        return None
    value = _parsed(content)
    if not isinstance(value, dict):
        raise BadRowError("not a JSON object")
    return value


def _parsed(content: bytes) -> Any:
    try:
        value = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadRowError(f"not UTF-8: byte {error.start + 1} of the line") from error
    except json.JSONDecodeError as error:
        raise BadRowError(f"not JSON, from character {error.pos + 1} on: {error.msg.removesuffix(' at')}") from error
    except RecursionError as error:
        raise BadRowError("not read: brackets nested too deep") from error
    except ValueError as error:  # an integer of thousands of digits
        raise BadRowError("not read: a number of too many digits") from error
    if b"\\ud" in content or b"\\uD" in content:
        _check_pairs(value)
    return value


def _check_pairs(value: Any) -> None:
    r"""Refuses half a surrogate pair in a string of the object (``\ud83d`` alone), which is no character."""
    if isinstance(value, dict):
        for name, part in value.items():
            for text in (name, *(part if isinstance(part, list) else (part,))):
                if isinstance(text, str) and not _encodable(text):
                    raise BadRowError("not Unicode: half of a surrogate pair")


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
