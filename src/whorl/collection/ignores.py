"""The .gitignore files that hold in a folder: its own, and those of the folders round it up to the collection's root.

What lies outside the collection (git's own settings, folders above) is not asked: the same collection gives the same
documents everywhere.
"""

from dataclasses import dataclass
from typing import Self

from whorl.collection.patterns import LONGEST, Pattern, parse

NAME = ".gitignore"
# Lines of .gitignore files that are parsed in one folder or archive. A line takes 45 to 150 microseconds, so this is
# three seconds at most.
LINES = 20_000
# Bytes of patterns that hold at one time: some thousand lines. Each name is matched with all of them, so this
# bounds the time a file.
MOST = 32_768

_MARK = b"\xef\xbb\xbf"


class Allowance:
    """How many lines may still be parsed in a collection."""

    def __init__(self) -> None:
        self._lines = LINES

    def grants(self, data: bytes) -> bool:
        """Whether there are as many left as the data have; then they are used."""
        lines = data.count(b"\n") + 1
        granted = lines <= self._lines
        self._lines -= lines if granted else 0
        return granted


@dataclass(frozen=True, slots=True)
class Ignores:
    """Patterns of one file, and the file round it. ``base`` is how much of a path its own folder takes."""

    base: int = 0
    patterns: tuple[Pattern, ...] = ()
    outer: "Ignores | None" = None
    size: int = 0

    def within(self, folder: bytes, data: bytes, allowance: Allowance) -> tuple[Self, str]:
        """What holds in a folder ("" or "a/b/") that has a file of its own; and a fault if that is not applied."""
        if len(data) + self.size > MOST:
            return self, f"not applied: more than {MOST:,} bytes of patterns"
        if not allowance.grants(data):
            return self, f"not applied: more than {LINES:,} lines in such files together"
        lines = data.removeprefix(_MARK).split(b"\n")
        parsed = [parse(line.removesuffix(b"\r")) for line in lines if len(line) <= LONGEST]
        patterns = tuple(reversed([pattern for pattern in parsed if pattern is not None]))
        size = self.size + sum(pattern.length for pattern in patterns)
        longer = len(lines) - len(parsed)
        fault = f"{longer} of its lines not applied: longer than {LONGEST} bytes" if longer else ""
        return type(self)(len(folder), patterns, self, size), fault

    def ignore(self, path: bytes, is_folder: bool) -> bool:
        """Whether a path is ignored: the last pattern of the innermost file that matches decides."""
        layer: Ignores | None = self
        while layer is not None:
            relative = path[layer.base :]
            for pattern in layer.patterns:
                if pattern.matches(relative, is_folder):
                    return not pattern.negated
            layer = layer.outer
        return False
