"""Patterns of .gitignore files, and which files apply in a folder."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

# Bytes of one pattern; longer ones match no name that people give. Bounds the time of one match.
LONGEST = 512

_NEVER = rb"(?!)"
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_POSIX = {
    b"alnum": rb"0-9A-Za-z", b"alpha": rb"A-Za-z", b"blank": rb" \t", b"cntrl": rb"\x00-\x1f\x7f", b"digit": rb"0-9",
    b"graph": rb"!-~", b"lower": rb"a-z", b"print": rb" -~", b"punct": rb"!-/:-@\[-`{-~", b"space": rb"\t-\r ",
    b"upper": rb"A-Z", b"xdigit": rb"0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a .gitignore file."""

    regex: re.Pattern[bytes]
    negated: bool
    folders_only: bool
    by_name: bool
    """Matched with the last name alone, in any folder."""
    length: int

    @property
    def possible(self) -> bool:
        """Whether it can match anything."""
        return self.regex.pattern != _NEVER

    def matches(self, path: bytes, is_folder: bool) -> bool:
        """Return whether it matches a path relative to the folder of its file."""
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(path, path.rfind(b"/") + 1 if self.by_name else 0) is not None


def parse(line: bytes) -> Pattern | None:
    """Parse a line; return None for blank lines and comments."""
    text = _trimmed(line)
    length = len(text)
    if not text or text.startswith(b"#"):
        return None
    negated = text.startswith(b"!")
    text = text[negated:]
    folders_only = text.endswith(b"/")
    text = text[: len(text) - folders_only]
    by_name = b"/" not in text
    plain = _ESCAPED.sub(lambda match: b"/" if match[1] == b"/" else match[0], text)
    source = _whole(plain.removeprefix(b"/")) if plain else _NEVER
    return Pattern(re.compile(source, re.DOTALL), negated, folders_only, by_name, length)


def _trimmed(line: bytes) -> bytes:
    """Strip trailing spaces, except one protected by a backslash."""
    bare = line.rstrip(b" ")
    slashes = len(bare) - len(bare.rstrip(b"\\"))
    return bare + b" " if slashes % 2 and len(bare) < len(line) else bare


def _whole(text: bytes) -> bytes:
    """Return the expression of a pattern: runs of segments with any number of folders (``**``) between them."""
    if b"**" not in text:
        return _run(text.split(b"/"), last=True)
    runs, opened = _runs(text.split(b"/"))
    if len(runs) == 1:
        return _run(runs[0], last=True)
    source = _run(runs[0], last=False) + b"/" if runs[0] else b""
    for run in runs[1:-1]:
        source += rb"(?>(?:[^/]+/)*?" + _run(run, last=False) + b"/)"
    return source + (rb".+" if opened else rb"(?:[^/]+/)*" + _run(runs[-1], last=True))


def _runs(segments: list[bytes]) -> tuple[list[list[bytes]], bool]:
    """Return the segments between ``**`` segments, and whether the pattern ends with ``**``."""
    runs: list[list[bytes]] = [[]]
    for segment in segments:
        if len(segment) > 1 and not segment.strip(b"*"):
            if runs[-1] or len(runs) == 1:
                runs.append([])
        else:
            runs[-1].append(segment)
    return runs, len(runs) > 1 and not runs[-1]


def _run(segments: list[bytes], last: bool) -> bytes:
    """Return the expression of consecutive segments. The last run need not be atomic, because nothing follows it."""
    expressions = [_segment(segment) for segment in segments]
    if None in expressions:
        return _NEVER
    source = b"/".join(segment for segment in expressions if segment is not None)
    return source if last else rb"(?>" + source + rb"(?=/))"


def _segment(text: bytes) -> bytes | None:
    """Return the expression of one path segment; None if it can match nothing."""
    chunks: list[list[bytes]] = [[]]
    for item in _items(text):
        if item is None:
            return None
        if item == b"*":
            chunks.append([])
        else:
            chunks[-1].append(item)
    source = b"".join(chunks[0])
    if len(chunks) == 1:
        return source
    for chunk in filter(None, chunks[1:-1]):
        source += rb"(?>[^/]*?" + b"".join(chunk) + b")"
    return source + rb"[^/]*" + b"".join(chunks[-1])


def _items(text: bytes) -> Iterator[bytes | None]:
    """Yield a star, or the expression of one byte, for each part of a segment; None for a part that is not closed."""
    at = 0
    while at < len(text):
        byte = text[at : at + 1]
        at += 1
        if byte == b"*":
            yield byte
        elif byte == b"?":
            yield rb"[^/]"
        elif byte == b"[":
            bracket = _bracket(text, at)
            if bracket is None:
                yield None
                return
            source, at = bracket
            yield source
        elif byte == b"\\":
            yield re.escape(text[at : at + 1]) if at < len(text) else None
            at += 1
        else:
            yield re.escape(byte)


def _bracket(text: bytes, at: int) -> tuple[bytes, int] | None:
    """Return the expression of a bracket whose inside begins at ``at``, and where it ends; None if it is not closed."""
    negated = text[at : at + 1] in (b"!", b"^")
    at += negated
    first, members, before = at, [], -1
    while at < len(text) and (text[at : at + 1] != b"]" or at == first):
        if text.startswith(b"[:", at) and (named := _named(text, at)):
            source, at = named
            members.append(source)
            before = -1
            continue
        if text[at : at + 1] == b"-" and before >= 0 and at + 1 < len(text) and text[at + 1 : at + 2] != b"]":
            high, at = _literal(text, at + 1)
            if high is None:
                return None
            members.append(_range(before, high))
            before = -1
            continue
        byte, at = _literal(text, at)
        if byte is None:
            return None
        members.append(_byte(byte))
        before = byte
    if at >= len(text) or None in members:
        return None
    inside = b"".join(member for member in members if member is not None)
    return (rb"(?!/)[" + (b"^" if negated else b"") + inside + b"]" if inside else _empty(negated)), at + 1


def _empty(negated: bool) -> bytes:
    return rb"[^/]" if negated else _NEVER


def _named(text: bytes, at: int) -> tuple[bytes | None, int] | None:
    """Return the expression of a class like ``[:alpha:]`` and its end. An unknown class matches nothing."""
    end = text.find(b"]", at + 2)
    if end < 0 or text[end - 1 : end] != b":" or end - 1 < at + 2:
        return None
    return _POSIX.get(text[at + 2 : end - 1]), end + 1


def _literal(text: bytes, at: int) -> tuple[int | None, int]:
    if text[at] == 0x5C:  # a backslash takes the next byte as it is
        at += 1
    return (text[at] if at < len(text) else None), at + 1


def _range(low: int, high: int) -> bytes:
    return _byte(low) + b"-" + _byte(high) if low <= high else b""


def _byte(byte: int) -> bytes:
    return b"\\x%02x" % byte


NAME = ".gitignore"
# Lines of .gitignore files that are parsed in one folder or archive. A line takes 45 to 150 microseconds, so this is
# three seconds at most.
LINES = 20_000
# Bytes of patterns that hold at one time: some thousand lines. Each name is matched with all of them, so this
# bounds the time a file.
MOST = 32_768

_MARK = b"\xef\xbb\xbf"


class Allowance:
    """How many lines of .gitignore files may still be parsed in a collection."""

    def __init__(self) -> None:
        self._lines = LINES

    def grants(self, data: bytes) -> bool:
        """Return whether enough lines are left for the data, and use them up."""
        lines = data.count(b"\n") + 1
        granted = lines <= self._lines
        self._lines -= lines if granted else 0
        return granted


@dataclass(frozen=True, slots=True)
class Ignores:
    """Patterns of one .gitignore file, and the file of the folder above. ``base`` is the length of the path of its
    folder."""

    base: int = 0
    patterns: tuple[Pattern, ...] = ()
    outer: "Ignores | None" = None
    size: int = 0

    def within(self, folder: bytes, data: bytes, allowance: Allowance) -> tuple[Self, str]:
        """Return the patterns that apply in a folder ("" or "a/b/") with its own file, and a fault if they are not
        applied."""
        if len(data) + self.size > MOST:
            return self, f"not applied: more than {MOST:,} bytes of patterns"
        if not allowance.grants(data):
            return self, f"not applied: more than {LINES:,} lines in all .gitignore files"
        lines = data.removeprefix(_MARK).split(b"\n")
        parsed = [parse(line.removesuffix(b"\r")) for line in lines if len(line) <= LONGEST]
        patterns = tuple(reversed([pattern for pattern in parsed if pattern is not None]))
        size = self.size + sum(pattern.length for pattern in patterns)
        longer = len(lines) - len(parsed)
        fault = f"{longer} of its lines not applied: longer than {LONGEST} bytes" if longer else ""
        return type(self)(len(folder), patterns, self, size), fault

    def ignore(self, path: bytes, is_folder: bool) -> bool:
        """Return whether a path is ignored. The last matching pattern of the innermost file decides."""
        layer: Ignores | None = self
        while layer is not None:
            relative = path[layer.base :]
            for pattern in layer.patterns:
                if pattern.matches(relative, is_folder):
                    return not pattern.negated
            layer = layer.outer
        return False
