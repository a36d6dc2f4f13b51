"""The specification of the engine's loops, in plain Python and NumPy: slow, short, and what ``native`` must equal.

Positions count from the start of the array that is given. ``chosen`` is how a pass is resumed: -1 at the start of a
document; otherwise the array starts with the window that was looked at last, and ``chosen`` is the position in it that
was selected there, so that only the windows after it are looked at.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]
Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]
Bytes: TypeAlias = NDArray[np.uint8]
Positions: TypeAlias = NDArray[np.int64]

LOW32 = 0xFFFFFFFF
LOW64 = 0xFFFFFFFFFFFFFFFF


def fold(symbols: Symbols, multiplier: int) -> Bytes:
    """One byte a symbol, for ordering only: the symbol itself if it fits, else a keyed byte of it."""
    return np.array([s if s < 256 else (s * multiplier & LOW64) >> 56 for s in symbols.tolist()], np.uint8)


def order(symbols: Bytes, k: int, base: int, offset: int) -> NDArray[np.uint32]:
    """The order value of every k-gram: a polynomial in ``base`` over words of four symbols, modulo 2^32.

    Words count from the start of the k-gram. Where k is no multiple of four, its last four symbols are added as a word
    of their own; a k-gram of fewer than four symbols is one word, padded with zeros.
    """
    data = symbols.tobytes()
    return np.array([_order_one(data[i : i + k], base, offset) for i in range(len(data) - k + 1)], np.uint32)


def _order_one(gram: bytes, base: int, offset: int) -> int:
    if len(gram) < 4:
        return (int.from_bytes(gram, "little") * base + offset) & LOW32
    total = 0
    for at in range(0, len(gram) - 3, 4):
        total = (total + int.from_bytes(gram[at : at + 4], "little")) * base & LOW32
    if len(gram) % 4:
        total += int.from_bytes(gram[-4:], "little")
    return (total + offset) & LOW32


def identity(
    symbols: Symbols, positions: Positions, k: int, keys: NDArray[np.uint32], closing: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """The identity of the k-gram at each position: NH twice, each sum closed to 32 bits by multiply-shift.

    The k-gram is written as bytes if all its symbols fit in one, else as 32-bit words, else as 64-bit words (low half
    first); which of these it is depends on its symbols alone, not on the width of the array.
    """
    key, close = keys.tolist(), closing.tolist()
    grams = (symbols[at : at + k].tolist() for at in positions.tolist())
    return np.array([_identity_one(gram, key, close) for gram in grams], np.uint64)


def _identity_one(gram: list[int], key: list[int], close: list[int]) -> int:
    width, at = next((width, at) for width, at in ((1, 0), (4, 4), (8, 8)) if max(gram) < 1 << 8 * width)
    data = b"".join(symbol.to_bytes(width, "little") for symbol in gram)
    data += b"\0" * (-len(data) % 8)
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
    multiply_first, multiply_second, add_first, add_second = close[at : at + 4]
    first = (_nh(words, key) + add_first) * multiply_first & LOW64
    second = (_nh(words, key[2:]) + add_second) * multiply_second & LOW64
    return first >> 32 << 32 | second >> 32


def _nh(words: list[int], key: list[int]) -> int:
    pairs = range(0, len(words), 2)
    return sum((words[i] + key[i] & LOW32) * (words[i + 1] + key[i + 1] & LOW32) for i in pairs) & LOW64


def spread(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """A bijection of 32 bits in which every bit depends on every bit (the finaliser of MurmurHash3).

    The low bits of an order value depend on the low bits of the symbols alone; before a remainder is taken, they must
    depend on all.
    """
    x = values ^ (values >> np.uint32(16))
    x = x * np.uint32(0x85EBCA6B)
    x = x ^ (x >> np.uint32(13))
    x = x * np.uint32(0xC2B2AE35)
    mixed: NDArray[np.uint32] = x ^ (x >> np.uint32(16))
    return mixed


def winnow(values: Values, w: int, chosen: int) -> Positions:
    """Definition 1: in each window the minimum; the rightmost of several."""
    selected: list[int] = []
    for window in _windows(values, w, chosen):
        at = _rightmost_minimum(values, window, w)
        if at != chosen:
            chosen = at
            selected.append(at)
    return np.array(selected, np.int64)


def robust(values: Values, w: int, chosen: int, grams: Bytes, stride: int, k: int) -> Positions:
    """Definition 3: in each window the minimum; of several, the one that the window before selected, if it can be
    kept, else the rightmost.

    It can be kept if it is the same *hash* as the rightmost minimum. Order values of different k-grams may coincide,
    so where ``k`` is not 0 the k-grams themselves (``stride`` bytes a symbol in ``grams``) must be equal: then the
    hash that a window selects depends on the window alone, which is what the guarantee needs.
    """
    selected: list[int] = []
    for window in _windows(values, w, chosen):
        at = _rightmost_minimum(values, window, w)
        is_kept = chosen >= window and values[chosen] == values[at] and _same(grams, stride, k, chosen, at)
        if not is_kept:
            chosen = at
            selected.append(at)
    return np.array(selected, np.int64)


def winnow_grams(
    symbols: Bytes, k: int, base: int, offset: int, w: int, chosen: int, keep: bool, grams: Bytes, stride: int
) -> Positions:
    """Winnowing, or robust winnowing if ``keep``, of the order values of the k-grams."""
    values = order(symbols, k, base, offset)
    return robust(values, w, chosen, grams, stride, k) if keep else winnow(values, w, chosen)


def _windows(values: Values, w: int, chosen: int) -> range:
    """The starts of the windows to look at: the first was looked at already if something is chosen."""
    return range(0 if chosen < 0 else 1, len(values) - w + 1)


def _rightmost_minimum(values: Values, start: int, w: int) -> int:
    window = values[start : start + w]
    return start + w - 1 - int(np.argmin(window[::-1]))


def _same(grams: Bytes, stride: int, k: int, left: int, right: int) -> bool:
    size = k * stride
    return bool(np.array_equal(grams[left * stride :][:size], grams[right * stride :][:size]))


def safe_mod(values: Values, p: int, w: int, gap: int) -> tuple[Positions, int]:
    """Safe 0 mod p: Good hashes are 0 mod p; Bad ones and the w - 1 to their left are not; select all but the Ugly.

    ``gap`` counts the hashes since the last Good one before the array; the count after it is returned too.
    """
    selected = []
    for at, value in enumerate(values.tolist()):
        gap = 0 if value % p == 0 else gap + 1
        if gap == 0 or gap >= w:
            selected.append(at)
    return np.array(selected, np.int64), gap


def mod_sample(values: Values, w: int, k: int, t: int, chosen: int, grams: Bytes, stride: int) -> Positions:
    """Mod-sampling: where the rightmost smallest t-gram of a window begins, modulo w, is the k-gram to select.

    Robust in its own way: the k-gram that the window before selected is kept if it is still in the window and equal to
    the one that this window asks for. What is selected, as a hash, depends on the window alone.
    """
    inside = w + k - t
    selected: list[int] = []
    for window in range(len(values) - inside + 1):
        wanted = window + (_rightmost_minimum(values, window, inside) - window) % w
        if chosen < window or not _same(grams, stride, k, chosen, wanted):
            chosen = wanted
            selected.append(wanted)
    return np.array(selected, np.int64)


def syncmer_ranks(inner: NDArray[np.uint32], outer: NDArray[np.uint32], offsets: int) -> NDArray[np.uint64]:
    """Open syncmers first, closed ones next, others last; within a class by order value.

    The t-gram at i holds the s-grams i … i + offsets - 1. It is open if the (rightmost) smallest of them is in the
    middle, closed if it is at either end.
    """
    ranks = []
    for at, value in enumerate(outer.tolist()):
        offset = _rightmost_minimum(inner, at, offsets) - at
        kind = 0 if offset == (offsets - 1) // 2 else 1 if offset in (0, offsets - 1) else 2
        ranks.append(kind << 32 | value)
    return np.array(ranks, np.uint64)


def karp_rabin(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """The winnowing paper's H (section 2.2): a k-gram is a k-digit number in base b, modulo 2^64."""
    return np.array([_number(gram, base) & LOW64 for gram in _grams(symbols, k)], np.uint64)


def karp_rabin_improved(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """The paper's H′: H times b, so that the last symbol too reaches the high bits."""
    return np.array([_number(gram, base) * base & LOW64 for gram in _grams(symbols, k)], np.uint64)


def karp_rabin_from_scratch(symbols: Symbols, k: int, base: int) -> NDArray[np.uint64]:
    """H again, without rolling: what the paper measures rolling against."""
    return karp_rabin(symbols, k, base)


def _grams(symbols: Symbols, k: int) -> list[list[int]]:
    digits = symbols.tolist()
    return [digits[i : i + k] for i in range(len(digits) - k + 1)]


def _number(digits: list[int], base: int) -> int:
    number = 0
    for digit in digits:
        number = number * base + digit
    return number
