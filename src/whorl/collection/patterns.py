"""Patterns of .gitignore files: parsed by git's rules, matched without going back over the same bytes again.

A pattern becomes one regular expression. A star takes as little as lets the fixed part after it match, for good
(an atomic group): that is enough, since a fixed part matches best where it matches first. So the time is at most the
pattern's length times the name's. Names are bytes, as they are for git: "?" is one byte.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
        """Whether it matches a path that is relative to the folder of its file."""
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(path, path.rfind(b"/") + 1 if self.by_name else 0) is not None


def parse(line: bytes) -> Pattern | None:
    """The pattern of a line; None for blank lines and comments."""
    text = _trimmed(line)
    length = len(text)
    if not text or text.startswith(b"#"):
        return None
    negated = text.startswith(b"!")
    text = text[negated:]
    folders_only = text.endswith(b"/")
    text = text[: len(text) - folders_only]
    by_name = b"/" not in text
    plain = _ESCAPED.sub(lambda found: b"/" if found[1] == b"/" else found[0], text)
    source = _whole(plain.removeprefix(b"/")) if plain else _NEVER
    return Pattern(re.compile(source, re.DOTALL), negated, folders_only, by_name, length)


def _trimmed(line: bytes) -> bytes:
    """Without the spaces at the end, but for one that a backslash protects."""
    bare = line.rstrip(b" ")
    slashes = len(bare) - len(bare.rstrip(b"\\"))
    return bare + b" " if slashes % 2 and len(bare) < len(line) else bare


def _whole(text: bytes) -> bytes:
    """The expression of a pattern: runs of segments, with any folders (``**``) between them."""
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
    """The segments between ``**`` segments, and whether the pattern ends with one."""
    runs: list[list[bytes]] = [[]]
    for segment in segments:
        if len(segment) > 1 and not segment.strip(b"*"):
            if runs[-1] or len(runs) == 1:
                runs.append([])
        else:
            runs[-1].append(segment)
    return runs, len(runs) > 1 and not runs[-1]


def _run(segments: list[bytes], last: bool) -> bytes:
    """The expression of segments that follow each other. In the last run nothing follows, so it need not be atomic."""
    found = [_segment(segment) for segment in segments]
    if None in found:
        return _NEVER
    source = b"/".join(segment for segment in found if segment is not None)
    return source if last else rb"(?>" + source + rb"(?=/))"


def _segment(text: bytes) -> bytes | None:
    """The expression of what stands between slashes; None if it can match nothing."""
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
    """A star, or the expression of one byte, for each part of a segment; None for a part that is not closed."""
    at = 0
    while at < len(text):
        byte = text[at : at + 1]
        at += 1
        if byte == b"*":
            yield byte
        elif byte == b"?":
            yield rb"[^/]"
        elif byte == b"[":
            found = _bracket(text, at)
            if found is None:
                yield None
                return
            source, at = found
            yield source
        elif byte == b"\\":
            yield re.escape(text[at : at + 1]) if at < len(text) else None
            at += 1
        else:
            yield re.escape(byte)


def _bracket(text: bytes, at: int) -> tuple[bytes, int] | None:
    """The expression of a bracket whose inside begins at ``at``, and where it ends; None if it is not closed."""
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
    """A class like ``[:alpha:]``; an unknown one makes the pattern match nothing, and anything else is no class."""
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
