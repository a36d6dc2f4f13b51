"""Robust winnowing of canonical bytes against the paper's Figure 5; rolling against hashing anew; threads."""

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import whorl
from benchmarks.measure import in_turns, ratio
from whorl.engine.hashing import karp_rabin, karp_rabin_from_scratch

SIZE = 32_000_000
ROUNDS = 7
SETTINGS = ((50, 100), (30, 50), (20, 20))


def compiled() -> ctypes.CDLL:
    """Figure 5, compiled by gcc -O3 now."""
    folder = Path(tempfile.mkdtemp(prefix="whorl-bench-"))
    source, library = Path(__file__).with_name("figure5.c"), folder / "figure5.so"
    subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return ctypes.CDLL(str(library))


def figure5(function: Any, symbols: NDArray[np.uint8], k: int, w: int) -> Callable[[], int]:
    """Return a call of one of the C loops; like Whorl's, its results are new arrays each time."""
    size, integer, pointer = ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p
    function.restype, function.argtypes = size, (pointer, size, integer, integer, pointer, pointer)

    def call() -> int:
        hashes, positions = np.empty(len(symbols) // 2, np.uint64), np.empty(len(symbols) // 2, np.int64)
        arguments = (symbols.ctypes.data, len(symbols), k, w, hashes.ctypes.data, positions.ctypes.data)
        return int(function(*arguments))

    return call


def against_the_paper(symbols: NDArray[np.uint8]) -> None:
    """The loop as printed, the loop without its divisions, and Whorl."""
    loops = compiled()
    for k, w in SETTINGS:
        scheme = whorl.Scheme(k=k, w=w)
        timings = in_turns(
            {
                "Figure 5 as printed": figure5(loops.figure5_printed, symbols, k, w),
                "Figure 5 without divisions": figure5(loops.figure5_wrapped, symbols, k, w),
                "Whorl, robust": lambda scheme=scheme: len(whorl.fingerprint(symbols, scheme)),  # type: ignore[misc]
            },
            ROUNDS,
        )
        print(f"\nk = {k}, w = {w}, {len(symbols) / 1e6:.0f} MB of canonical bytes, one core")
        for name, timing in timings.items():
            print(f"  {name:28} {timing.speed(len(symbols))}  Whorl is {ratio(timing, timings['Whorl, robust'])}")


def rolling_against_scratch(symbols: NDArray[np.uint8]) -> None:
    """The paper: recomputing costs more than four times as much at k = 50."""
    timings = in_turns(
        {
            "rolling": lambda: karp_rabin(symbols, 50),
            "from scratch": lambda: karp_rabin_from_scratch(symbols, 50),
        },
        3,
    )
    print("\n64-bit Karp–Rabin, k = 50")
    for name, timing in timings.items():
        print(f"  {name:28} {timing.speed(len(symbols))}")
    print(f"  rolling is {ratio(timings['from scratch'], timings['rolling'])} faster")


def two_threads(symbols: NDArray[np.uint8]) -> None:
    """Two documents on two threads against one after the other: wall time."""
    documents = [symbols, symbols[::-1].copy()]
    scheme = whorl.Scheme(k=50, w=100)

    def both(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda document: whorl.fingerprint(document, scheme), documents))

    timings = in_turns({"one": lambda: both(1), "two": lambda: both(2)}, ROUNDS, time.perf_counter)
    print(f"\ntwo documents, two threads: {ratio(timings['one'], timings['two'])} of one thread")


def copying(symbols: NDArray[np.uint8]) -> None:
    """How fast memory copies here: what the figures above are to be read beside."""
    target = np.empty_like(symbols)
    timing = in_turns({"copy": lambda: np.copyto(target, symbols)}, ROUNDS)["copy"]
    print(f"memory copies at {timing.speed(len(symbols))}")


def main() -> None:
    """All of it."""
    symbols = np.random.default_rng(2003).integers(97, 123, SIZE, dtype=np.uint8)
    copying(symbols)
    against_the_paper(symbols)
    rolling_against_scratch(symbols[: SIZE // 8])
    two_threads(symbols)


if __name__ == "__main__":
    main()
