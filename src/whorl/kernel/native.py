"""The engine's compiled loops. Buffers in, buffers out; the interpreter's lock is released in every one.

Cython in pure-Python mode. Specification: ``tests/kernel/specification/core.py``. Loops that need vectors are in
the C headers beside it. There is no I/O and no knowledge of formats.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcmp
from cython.cimports.whorl.kernel.headers import (
    symbol_t,
    value_t,
    whorl_identity_bytes,
    whorl_identity_words,
    whorl_last_minimum32,
    whorl_last_minimum64,
    whorl_order,
    whorl_select,
    whorl_sequence,
    whorl_winnow,
    wide_t,
)


def fold(symbols: cython.const[wide_t][::1], multiplier: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    folded = np.empty(n, np.uint8)
    out: uint8_t[::1] = folded
    i: cython.Py_ssize_t
    symbol: uint64_t
    with cython.nogil:
        for i in range(n):
            symbol = symbols[i]
            out[i] = symbol if symbol < 256 else (symbol * multiplier) >> 56
    return folded


def order(symbols: cython.const[uint8_t][::1], k: cython.Py_ssize_t, base: uint32_t, offset: uint32_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint32)
    values = np.empty(n - k + 1, np.uint32)
    out: uint32_t[::1] = values
    with cython.nogil:
        whorl_order(cython.address(symbols[0]), n, k, base, offset, cython.address(out[0]))
    return values


def identity(
    symbols: cython.const[symbol_t][::1],
    positions: cython.const[int64_t][::1],
    k: cython.Py_ssize_t,
    keys: cython.const[uint32_t][::1],
    closing: cython.const[uint64_t][::1],
):
    count: cython.Py_ssize_t = positions.shape[0]
    hashes = np.empty(count, np.uint64)
    out: uint64_t[::1] = hashes
    scratch: uint32_t[::1] = np.empty(2 * k, np.uint32)
    widest: uint64_t
    symbol: uint64_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    gram: cython.pointer[uint8_t]
    with cython.nogil:
        for i in range(count):
            at = positions[i]
            if symbol_t is uint8_t:
                out[i] = whorl_identity_bytes(
                    cython.address(symbols[at]), k, cython.address(keys[0]), cython.address(closing[0])
                )
            else:
                widest = 0
                for j in range(k):
                    widest |= symbols[at + j]
                gram = cython.cast(cython.pointer[uint8_t], cython.address(scratch[0]))
                if widest < 0x100:
                    for j in range(k):
                        gram[j] = symbols[at + j]
                    out[i] = whorl_identity_bytes(gram, k, cython.address(keys[0]), cython.address(closing[0]))
                elif widest >> 32 == 0:
                    for j in range(k):
                        scratch[j] = symbols[at + j]
                    out[i] = whorl_identity_words(
                        cython.address(scratch[0]), k, cython.address(keys[0]), cython.address(closing[4])
                    )
                else:
                    for j in range(k):
                        symbol = symbols[at + j]
                        scratch[2 * j] = cython.cast(uint32_t, symbol)
                        scratch[2 * j + 1] = symbol >> 32
                    out[i] = whorl_identity_words(
                        cython.address(scratch[0]), 2 * k, cython.address(keys[0]), cython.address(closing[8])
                    )
    return hashes


def spread(values: cython.const[uint32_t][::1]):
    n: cython.Py_ssize_t = values.shape[0]
    mixed = np.empty(n, np.uint32)
    out: uint32_t[::1] = mixed
    i: cython.Py_ssize_t
    x: uint32_t
    first: uint32_t = 0x85EBCA6B
    second: uint32_t = 0xC2B2AE35
    with cython.nogil:
        for i in range(n):
            x = values[i]
            x = (x ^ (x >> 16)) * first
            x = (x ^ (x >> 13)) * second
            out[i] = x ^ (x >> 16)
    return mixed


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _last_minimum(
    values: cython.const[value_t][::1], start: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    if value_t is uint32_t:
        return whorl_last_minimum32(cython.address(values[0]), start, stop)
    else:
        return whorl_last_minimum64(cython.address(values[0]), start, stop)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _select64(values: cython.const[uint64_t][::1], w: cython.Py_ssize_t, chosen: cython.Py_ssize_t, keep: cython.bint,
              grams: cython.const[uint8_t][::1], stride: cython.Py_ssize_t, k: cython.Py_ssize_t,
              out: int64_t[::1]) -> cython.Py_ssize_t:  # fmt: skip
    """Run the loop of Figure 5 without its ring buffer; 64-bit hashes are for experiments, so it stays plain."""
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    if chosen < 0:
        chosen = whorl_last_minimum64(cython.address(values[0]), 0, w)
        out[0] = chosen
        count = 1
    for at in range(w, values.shape[0]):
        if chosen + w <= at:
            chosen = whorl_last_minimum64(cython.address(values[0]), at - w + 1, at + 1)
        elif values[at] > values[chosen]:
            continue
        elif (
            keep
            and values[at] == values[chosen]
            and (
                k == 0
                or memcmp(cython.address(grams[at * stride]), cython.address(grams[chosen * stride]), k * stride) == 0
            )
        ):
            continue
        else:
            chosen = at
        out[count] = chosen
        count += 1
    return count


@cython.cfunc
def _select(
    values: cython.const[value_t][::1],
    w: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t,
    keep: cython.bint,
    grams: cython.const[uint8_t][::1],
    stride: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
):
    n: cython.Py_ssize_t = values.shape[0]
    if n < w:
        return np.empty(0, np.int64)
    selected = np.empty(n, np.int64)
    out: int64_t[::1] = selected
    count: cython.Py_ssize_t
    sequence = cython.declare(whorl_sequence)
    with cython.nogil:
        if value_t is uint32_t:
            sequence.values = cython.address(values[0])
            sequence.length = n
            sequence.w = w
            sequence.keep = keep
            sequence.grams = cython.address(grams[0]) if k else cython.NULL
            sequence.stride = stride
            sequence.gram_bytes = k * stride
            count = whorl_select(sequence, chosen, cython.address(out[0]))
        else:
            count = _select64(values, w, chosen, keep, grams, stride, k, out)
    return selected[:count].copy()


_NO_GRAMS = np.empty(0, np.uint8)


def winnow(values: cython.const[value_t][::1], w: cython.Py_ssize_t, chosen: cython.Py_ssize_t):
    grams: cython.const[uint8_t][::1] = _NO_GRAMS
    return _select(values, w, chosen, False, grams, 0, 0)


def robust(
    values: cython.const[value_t][::1],
    w: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t,
    grams: cython.const[uint8_t][::1],
    stride: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
):
    return _select(values, w, chosen, True, grams, stride, k)


# Order values a block of winnow_grams: 32 kB, what the nearest cache holds beside the symbols.
_BLOCK = 8192


def winnow_grams(
    symbols: cython.const[uint8_t][::1],
    k: cython.Py_ssize_t,
    base: uint32_t,
    offset: uint32_t,
    w: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t,
    keep: cython.bint,
    grams: cython.const[uint8_t][::1],
    stride: cython.Py_ssize_t,
):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n - k + 1 < w:
        return np.empty(0, np.int64)
    block: cython.Py_ssize_t = _BLOCK if 4 * w < _BLOCK else 4 * w
    values: uint32_t[::1] = np.empty(w + block, np.uint32)
    selected = np.empty(n - k + 1, np.int64)
    out: int64_t[::1] = selected
    sequence = cython.declare(whorl_sequence)
    sequence.w = w
    sequence.keep = keep
    sequence.grams = cython.address(grams[0])
    sequence.stride = stride
    sequence.gram_bytes = k * stride
    count: cython.Py_ssize_t
    with cython.nogil:
        count = whorl_winnow(
            cython.address(symbols[0]), n, k, base, offset, chosen, sequence, cython.address(values[0]), block,
            cython.address(out[0]),
        )  # fmt: skip
    return selected[:count].copy()


def safe_mod(values: cython.const[value_t][::1], p: uint64_t, w: cython.Py_ssize_t, gap: cython.Py_ssize_t):
    n: cython.Py_ssize_t = values.shape[0]
    selected = np.empty(n, np.int64)
    out: int64_t[::1] = selected
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            if values[i] % p == 0:
                gap = 0
                out[count] = i
                count += 1
            else:
                gap += 1
                if gap >= w:
                    out[count] = i
                    count += 1
    return selected[:count].copy(), gap


def mod_sample(
    values: cython.const[value_t][::1],
    w: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    t: cython.Py_ssize_t,
    chosen: cython.Py_ssize_t,
    grams: cython.const[uint8_t][::1],
    stride: cython.Py_ssize_t,
):
    """``values`` orders the t-grams; windows of w k-grams hold w + k - t of them."""
    inside: cython.Py_ssize_t = w + k - t
    windows: cython.Py_ssize_t = values.shape[0] - inside + 1
    if windows < 1:
        return np.empty(0, np.int64)
    selected = np.empty(windows, np.int64)
    out: int64_t[::1] = selected
    count: cython.Py_ssize_t = 0
    least: cython.Py_ssize_t
    local: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        least = _last_minimum(values, 0, inside)
        for i in range(windows):
            if i > 0:
                if least < i:
                    least = _last_minimum(values, i, i + inside)
                elif values[i + inside - 1] <= values[least]:
                    least = i + inside - 1
            local = i + (least - i) % w
            if local == chosen:
                continue
            if chosen >= i and (
                memcmp(cython.address(grams[local * stride]), cython.address(grams[chosen * stride]), k * stride) == 0
            ):
                continue
            chosen = local
            out[count] = local
            count += 1
    return selected[:count].copy()


def syncmer_ranks(inner: cython.const[uint32_t][::1], outer: cython.const[uint32_t][::1], offsets: cython.Py_ssize_t):
    """Open before closed before other: the class of each t-gram in the high half, its order value in the low."""
    n: cython.Py_ssize_t = outer.shape[0]
    ranks = np.empty(n, np.uint64)
    out: uint64_t[::1] = ranks
    least: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    kind: uint64_t
    i: cython.Py_ssize_t
    if n == 0:
        return ranks
    with cython.nogil:
        least = _last_minimum(inner, 0, offsets)
        for i in range(n):
            if i > 0:
                if least < i:
                    least = _last_minimum(inner, i, i + offsets)
                elif inner[i + offsets - 1] <= inner[least]:
                    least = i + offsets - 1
            offset = least - i
            kind = 2
            if offset == (offsets - 1) // 2:
                kind = 0
            elif offset == 0 or offset == offsets - 1:
                kind = 1
            out[i] = (kind << 32) | outer[i]
    return ranks


def karp_rabin(symbols: cython.const[symbol_t][::1], k: cython.Py_ssize_t, base: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint64)
    values = np.empty(n - k + 1, np.uint64)
    out: uint64_t[::1] = values
    power: uint64_t = 1
    value: uint64_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for _ in range(k - 1):
            power *= base
        for i in range(k):
            value = value * base + symbols[i]
        out[0] = value
        for i in range(n - k):
            value = (value - symbols[i] * power) * base + symbols[i + k]
            out[i + 1] = value
    return values


def karp_rabin_improved(symbols: cython.const[symbol_t][::1], k: cython.Py_ssize_t, base: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint64)
    values = np.empty(n - k + 1, np.uint64)
    out: uint64_t[::1] = values
    power: uint64_t = 1
    value: uint64_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for _ in range(k):
            power *= base
        for i in range(k):
            value = (value + symbols[i]) * base
        out[0] = value
        for i in range(n - k):
            value = ((value - symbols[i] * power) + symbols[i + k]) * base
            out[i + 1] = value
    return values


def karp_rabin_from_scratch(symbols: cython.const[symbol_t][::1], k: cython.Py_ssize_t, base: uint64_t):
    n: cython.Py_ssize_t = symbols.shape[0]
    if n < k:
        return np.empty(0, np.uint64)
    values = np.empty(n - k + 1, np.uint64)
    out: uint64_t[::1] = values
    value: uint64_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n - k + 1):
            value = 0
            for j in range(k):
                value = value * base + symbols[i + j]
            out[i] = value
    return values
