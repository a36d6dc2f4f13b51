"""How a document is damaged: one small function for each way. All of them take and give bytes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

# Bytes of a damaged document, at most. Readers that are worse than linear show it by then.
LARGEST = 1 << 14
# Most are smaller still, so that a second has hundreds of executions.
SIZES = (1 << 10, 1 << 10, 1 << 10, 1 << 12, LARGEST)

# Most executions damage a document once or twice: what is damaged more is refused before it gets far.
TIMES = (1, 1, 1, 2, 2, 3, 5)

# What many formats fail on, whatever they are: ends of strings and numbers, marks of encodings, half characters.
ANYWHERE = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80", b"\r",
    b"\r\n", b"\n", b"\t", b"\x0c", b"\x1a", b"\x1b[31m", b"\\", b"\\\n", b'"', b"'", b"`", b'"""', b"'''", b"/*",
    b"*/", b"//", b"#", b"--", b"<!--", b"-->", b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"&", b"%", b"$", b"@",
    b";", b"0", b"-1", b"2147483648", b"4294967295", b"18446744073709551616", b"1e999", b"0x", b"\xe2\x80\xa8",
    b"\xe2\x80\xae", b"\xcc\x81",
    b"\xe1\x84\x80\xe1\x85\xa1", b"\xf0\x9f\x98\x80", b"\xef\xac\x83", b"\xc4\xb0", b"\xef\xbf\xbd",
)  # fmt: skip

# What closes what: for documents that are nested without end, or nearly.
PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<", b">"), (b"/*", b"*/"), (b'"', b'"'), (b"<div>", b"</div>"))

# A document that is one of these from now on, whatever it says of itself.
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "latin-1", "cp1252", "utf-8-sig", "shift_jis")


@dataclass(frozen=True)
class Kit:
    """What a front-end's documents are damaged with: words of its format, pairs that nest, and other documents."""

    words: Sequence[bytes]
    pairs: Sequence[tuple[bytes, bytes]]
    others: Sequence[bytes]


_WORD = re.compile(rb"[\w.-]+")

Mutation = Callable[[Random, bytes, Kit], bytes]


def mutated(rng: Random, data: bytes, kit: Kit) -> bytes:
    """Return the document, damaged one to five times."""
    largest = max(len(data), rng.choice(SIZES))
    for _ in range(rng.choice(TIMES)):
        data = rng.choice(MUTATIONS)(rng, data, kit)[:largest]
    return data


def gently(rng: Random, data: bytes, kit: Kit) -> bytes:
    """The document with other words or elements in it: for formats whose readers refuse what is not well-formed."""
    for _ in range(rng.choice(TIMES)):
        data = rng.choice((_reword, _adorn, _adorn))(rng, data, kit)[:LARGEST]
    return data


def _flip(rng: Random, data: bytes, __: Kit) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwrite(rng: Random, data: bytes, __: Kit) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _truncate(rng: Random, data: bytes, _: Kit) -> bytes:
    at = _place(rng, data)
    return data[:at] if rng.random() < 0.8 else data[at:]


def _remove(rng: Random, data: bytes, _: Kit) -> bytes:
    start, end = _part(rng, data)
    return data[:start] + data[end:]


def _repeat(rng: Random, data: bytes, _: Kit) -> bytes:
    start, end = _part(rng, data)
    times = rng.choice((2, 2, 3, 10, 100, 1000))
    return data[:start] + data[start:end] * min(times, LARGEST // max(1, end - start)) + data[end:]


def _swap(rng: Random, data: bytes, _: Kit) -> bytes:
    first, second, third, fourth = sorted(_place(rng, data) for _ in range(4))
    return data[:first] + data[third:fourth] + data[second:third] + data[first:second] + data[fourth:]


def _insert(rng: Random, data: bytes, kit: Kit) -> bytes:
    at, times = _place(rng, data), rng.choice((1, 1, 1, 2, 10, 300))
    return data[:at] + _word(rng, kit) * times + data[at:]


def _replace(rng: Random, data: bytes, kit: Kit) -> bytes:
    old, new = _word(rng, kit), _word(rng, kit)
    return data.replace(old, new, rng.choice((1, -1)))


def _reword(rng: Random, data: bytes, kit: Kit) -> bytes:
    """Another word in the place of one: XML and JSON mostly stay well-formed, and what they say is wrong."""
    found = _WORD.search(data, _place(rng, data)) or _WORD.search(data)
    if found is None:
        return data
    word = rng.choice((b"", b"0", b"-1", b"4294967296", b"x" * 300, *rng.sample(kit.words, min(9, len(kit.words)))))
    return data[: found.start()] + (_WORD.search(word) or [word])[0] + data[found.end() :]


def _splice(rng: Random, data: bytes, kit: Kit) -> bytes:
    other = rng.choice(kit.others)
    at, (start, end) = _place(rng, data), _part(rng, other)
    return data[:at] + other[start:end] + (data[at:] if rng.random() < 0.5 else b"")


def _nest(rng: Random, data: bytes, kit: Kit) -> bytes:
    opening, closing = rng.choice(kit.pairs)
    start, end = _part(rng, data)
    deep = min(rng.choice((2, 20, 200, 2000)), LARGEST // (len(opening) + len(closing)))
    closed = rng.choice((deep, deep, deep - 1, 0, deep + 1))
    return data[:start] + opening * deep + data[start:end] + closing * closed + data[end:]


def _adorn(rng: Random, data: bytes, kit: Kit) -> bytes:
    """Elements, nested and closed, in front of another."""
    at = data.find(b"<", _place(rng, data))
    if at < 0:
        return _reword(rng, data, kit)
    opening, closing = rng.choice(kit.pairs)
    deep = rng.choice((1, 1, 2, 20, 200))
    return data[:at] + opening * deep + rng.choice((b"", b"word", b"&lt;")) + closing * deep + data[at:]


def _encode(rng: Random, data: bytes, _: Kit) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(ENCODINGS), "replace")


MUTATIONS: tuple[Mutation, ...] = (
    _flip, _overwrite, _truncate, _remove, _repeat, _swap, _insert, _insert, _replace, _reword,
    _reword, _reword, _splice, _nest, _encode,
)  # fmt: skip


def _word(rng: Random, kit: Kit) -> bytes:
    return rng.choice(kit.words if rng.random() < 0.6 and kit.words else ANYWHERE)


def _place(rng: Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def _part(rng: Random, data: bytes) -> tuple[int, int]:
    """Return a part of the document: mostly a short one."""
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice((1, 2, 4, 16, 64, 256, len(data))))
