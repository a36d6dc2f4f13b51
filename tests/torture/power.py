"""Power cuts: of the calls that a process made, those that were not brought to the disk are dropped, torn or reordered.

A file has what was in it when it was last synced, and any of the sectors that were written since. A folder has the
names that it had when it was last synced; of what was done to names since, a beginning is there, as a journal keeps it.
"""

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SECTOR = 512


class Call(NamedTuple):
    """A call that was recorded."""

    what: str
    path: str
    other: str
    offset: int
    data: bytes


def recorded(log: Path) -> list[Call]:
    """All calls of a log."""
    data, at, found = log.read_bytes(), 0, []
    while at < len(data):
        what = chr(data[at])
        path, at = _text(data, at + 1)
        other, at = _text(data, at)
        offset, size = struct.unpack_from("<qI", data, at)
        at += 12
        content = data[at : at + size]
        at += size
        found.append(Call(what, path, other, offset, content))
    return found


def _text(data: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from("<H", data, at)
    return data[at + 2 : at + 2 + size].decode(), at + 2 + size


@dataclass(eq=False)
class _File:
    """What is in a file for sure, and what was done to it since."""

    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)  # bytes at an offset, or its new length

    def content(self, chosen: list[tuple[int, bytes | None]]) -> bytes:
        data = bytearray(self.durable)
        for offset, piece in chosen:
            if piece is None:
                del data[offset:]
                data.extend(bytes(max(0, offset - len(data))))
            else:
                data.extend(bytes(max(0, offset - len(data))))
                data[offset : offset + len(piece)] = piece
        return bytes(data)

    def sync(self) -> None:
        self.durable, self.pending = self.content(self.pending), []


Change = tuple[str, str, "_File | None"]  # a name, the name before if it was renamed, and its file, if it has one now


class Disk:
    """The files below a folder, as calls change them; ``None`` stands for a folder."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._now: dict[str, _File | None] = {root: None}
        self._durable: dict[str, _File | None] = {root: None}
        self._pending: list[tuple[str, str, str, _File | None]] = []  # folder, verb, name, file
        self.acknowledged: dict[str, int] = {}

    def apply(self, call: Call) -> None:
        """What a call does."""
        path, file = call.path, self._now.get(call.path)
        if "/acks-" in path:
            self.acknowledged[path] = self.acknowledged.get(path, 0) + len(call.data)
        elif call.what == "o":
            self._name("set", path, _File())
        elif call.what == "w" and file is not None:
            file.pending.append((call.offset, call.data))
        elif call.what == "t" and file is not None:
            file.pending.append((call.offset, None))
        elif call.what == "s":
            self._sync(path, file)
        elif call.what in "ud":
            self._name("del", path, None)
        elif call.what == "m":
            self._name("set", path, None)
        elif call.what == "l":
            self._name("set", call.other, file)
        elif call.what == "n":
            self._rename(path, call.other)

    def _sync(self, path: str, file: _File | None) -> None:
        if file is not None:
            file.sync()
            return
        kept = []
        for change in self._pending:
            if change[0] == path:
                _apply(self._durable, *change[1:])
            else:
                kept.append(change)
        self._pending = kept

    def _name(self, verb: str, path: str, file: _File | None) -> None:
        _apply(self._now, verb, path, file)
        self._pending.append((path.rpartition("/")[0], verb, path, file))

    def _rename(self, old: str, new: str) -> None:
        """At once, with all that is below a folder."""
        _apply(self._now, f"move {old}", new, None)
        self._pending.append((new.rpartition("/")[0], f"move {old}", new, None))

    def cut(self, draw: random.Random) -> dict[str, bytes | None]:
        """What may be there after a power cut: names, and the contents of files."""
        names = dict(self._durable)
        last = draw.choice((0, len(self._pending), draw.randint(0, len(self._pending))))
        for _, verb, path, file in self._pending[:last]:
            _apply(names, verb, path, file)
        whole = draw.random() < 0.2
        return {
            path: None if file is None else file.content(file.pending if whole else _some(draw, file.pending))
            for path, file in names.items()
            if all(parent in names for parent in _parents(path, self._root))
        }


def _apply(names: "dict[str, _File | None]", verb: str, path: str, file: "_File | None") -> None:
    if verb == "set":
        names[path] = file
    elif verb == "del":
        names.pop(path, None)
    else:
        old = verb.removeprefix("move ")
        for name in [name for name in names if name == old or name.startswith(f"{old}/")]:
            names[path + name.removeprefix(old)] = names.pop(name)


def _parents(path: str, root: str) -> Iterator[str]:
    while path != root:
        path = path.rpartition("/")[0]
        yield path


def _some(draw: random.Random, pending: list[tuple[int, bytes | None]]) -> list[tuple[int, bytes | None]]:
    """Some of what was written, in any order, some of it torn at sectors."""
    how = draw.choice(("none", "all", "first", "some"))
    if how == "none":
        return []
    if how == "first":
        return pending[: draw.randint(0, len(pending))]
    chosen = [each for each in pending if how == "all" or draw.random() < 0.5]
    torn: list[tuple[int, bytes | None]] = []
    for offset, data in chosen:
        if data is None or how == "all" or draw.random() < 0.5:
            torn.append((offset, data))
        else:
            cut = SECTOR * draw.randint(0, len(data) // SECTOR)
            torn.append((offset, data[:cut] if draw.random() < 0.5 else data))
    return torn


def laid_out(state: dict[str, bytes | None], root: str, target: Path) -> None:
    """Write a state to a folder."""
    for path in sorted(state):
        content, where = state[path], Path(str(target) + path.removeprefix(root))
        if content is None:
            where.mkdir(parents=True, exist_ok=True)
        else:
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_bytes(content)
