"""Find every passage of at least t tokens that occurred before in a corpus, in bounded memory.

Winnowing (Schleimer, Wilkerson and Aiken, 2003) proposes: two equal windows of t tokens choose the same fingerprint, so
only windows around a fingerprint that occurs twice can be repeats. These windows are hashed, sorted and compared token
by token. The result is exact and depends on nothing but the texts and their order.

Tokens, tables and passages lie in files of a ``PhaseStore``, so a stopped search resumes with the phase that it was in.
Memory grows by 8 bytes a document; all copies of one window must fit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.store import PhaseStore
from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import first_of_each, permutation
from whorl.errors import checked_number
from whorl.kernel import native, native_shingles
from whorl.model import Hashes
from whorl.storage.postings import Postings

Numbers = NDArray[np.int64]

# Tokens whose windows are hashed at a time, and rows read at a time when a table is divided.
RUN = 1 << 19
READ_STEP = 1 << 20

# Bytes of a token, and of a row of a table, in files.
TOKEN_BYTES, ROW_BYTES = 8, 16

# Bytes of memory for a row of a table while it is sorted and judged: its columns before and after the sort, and those
# of its group. At --memory 1G, a corpus of 1 GB takes 0.8 GB.
SORTED_ROW_BYTES = 160

# Keys looked at to divide a table into parts of about the same size.
SAMPLE = 1 << 12

# A repeated window among ``PASSAGES``: of any kind, or one that many documents of its host have.
REPEAT, BOILERPLATE = 0, 1

# Tokens ``start`` to ``end`` of a document, the document with the first copy, and the token there.
PASSAGE = np.dtype(
    [("document", "<i8"), ("start", "<i8"), ("end", "<i8"), ("kind", "<i8"), ("source", "<i8"), ("at", "<i8")]
)


class TokenBatch(NamedTuple):
    """The tokens of some documents, their bounds, and the fingerprints of all of them."""

    tokens: Hashes
    bounds: Numbers
    positions: Numbers
    identities: Hashes


@dataclass(frozen=True, slots=True)
class Winnower:
    """Select fingerprints so that two equal windows of ``t`` tokens select the same one."""

    t: int

    def __post_init__(self) -> None:
        checked_number("tokens", self.t, 2)

    @property
    def k(self) -> int:
        """Half of a window: fingerprints are then sparse, and seldom equal by chance."""
        return (self.t + 1) // 2

    @property
    def w(self) -> int:
        return self.t - self.k + 1

    def read(self, tokens: Hashes, bounds: Numbers) -> TokenBatch:
        """Return documents with their fingerprints. They are winnowed as one text: the rightmost minimum of a window
        depends on nothing outside it, and fingerprints across a boundary propose no window."""
        if len(tokens) < self.t:
            return TokenBatch(tokens, bounds, np.empty(0, np.int64), np.empty(0, np.uint64))
        grams = hasher(Key.PUBLIC, self.k)
        raw = tokens.view(np.uint8)
        positions = native.winnow_grams(grams.fold(tokens), self.k, *grams.rolling, self.w, -1, False, raw, 8)
        return TokenBatch(tokens, bounds, positions, grams.identity(tokens, positions))


class PassageFinder:
    """Find the repeats among documents that are added in order. ``store`` has the files of the search."""

    # Files of the store that grow with the documents.
    FILES = ("tokens", "fingerprints")

    def __init__(self, store: PhaseStore, winnower: Winnower, memory: int, threads: int = 1) -> None:
        self._store, self._winnower, self._memory, self._threads = store, winnower, memory, threads
        self._count = store.size("tokens") // TOKEN_BYTES

    def contents(self, batch: TokenBatch) -> dict[str, memoryview]:
        """Return what the files get for the next documents."""
        prints = _rows(batch.identities, batch.positions + self._count)
        self._count += len(batch.tokens)
        return {"tokens": raw(batch.tokens), "fingerprints": raw(prints)}

    def passages(
        self, bounds: Numbers, hosts: NDArray[np.int64] | None = None, most: int = 0, firsts: bool = False
    ) -> NDArray[np.void]:
        """Return all repeats in order, as rows of ``PASSAGE``; those of one kind in a document do not overlap.

        ``bounds`` are those of the documents, in tokens. The first copy of a window is no repeat. With ``hosts``, the
        number of the host of each document, -1 if it has none, a repeat that more than ``most`` documents of its host
        have is boilerplate; with ``firsts``, so is its first copy.
        """
        store = self._store
        if "passages" not in store.state:
            store.flush()
            with store.translate_os_errors(), (store.folder / "tokens").open("rb") as file:
                tokens = _Tokens(file)
                verifier = _Verifier(tokens, bounds, self._winnower.t)
                with self._windows(tokens, bounds) as windows:
                    count = self._write(_Groups(bounds, hosts, most, firsts), windows, verifier)
            store.drop("windows")
            store.finish("passages")
            store.save(passages=count)
        return store.mapped("passages", PASSAGE, int(store.state["passages"]))

    def _write(self, groups: "_Groups", windows: "_Table", verifier: "_Verifier") -> int:
        """Write the passages; return how many there are."""
        folder, count = self._store.folder, 0
        with _Table(folder / "marks", self._memory) as marks, (folder / "passages").open("wb") as file:
            for part in windows.in_order(self._threads):
                groups.mark(*part, marks)
            for rows in verifier.passages(marks.in_order(self._threads, self._count.bit_length())):
                file.write(raw(rows))
                count += len(rows)
            marks.remove()
        return count

    def _windows(self, tokens: "_Tokens", bounds: Numbers) -> "_Table":
        """Return hash and position of every window that holds a repeated fingerprint."""
        store, path = self._store, self._store.folder / "windows"
        if "windows" not in store.state:
            with (
                _Table(path, self._memory) as windows,
                _Table(store.folder / "repeated", self._memory) as repeated,
            ):
                self._add_repeated(repeated)
                self._add_windows(windows, tokens, bounds, repeated)
                repeated.remove()
            store.finish("windows")
            store.save(windows=windows.count)
        return _Table(path, self._memory, int(store.state["windows"]))

    def _add_repeated(self, repeated: "_Table") -> None:
        """Add the positions of fingerprints that occur twice or more."""
        count = self._store.size("fingerprints") // ROW_BYTES
        with _Table(self._store.folder / "fingerprints", self._memory, count) as prints:
            for hashes, positions in prints.in_order(self._threads):
                fresh = first_of_each(hashes)
                is_alone = fresh & np.append(fresh[1:], True)
                places = positions[~is_alone]
                repeated.add(places.astype(np.uint64), places)

    def _add_windows(self, windows: "_Table", tokens: "_Tokens", bounds: Numbers, repeated: "_Table") -> None:
        t, w, behind = self._winnower.t, self._winnower.w, 0
        constants, turn = hasher(Key.PUBLIC, t).constants, permutation(Key.PUBLIC).constants
        for _, places in repeated.in_order(self._threads, self._count.bit_length()):
            document = np.searchsorted(bounds, places, "right") - 1
            starts, ends = (
                np.maximum(places - w + 1, bounds[document]),
                np.minimum(places, bounds[document + 1] - t) + 1,
            )
            starts = np.maximum(starts, np.maximum.accumulate(np.append(behind, ends[:-1])))
            behind = max(behind, int(ends.max(initial=0)))
            is_some = starts < ends
            for first, last in _runs(starts[is_some], ends[is_some]):
                inside, edges = tokens.read(first, last - first + t - 1)
                windows.add(native_shingles.values(inside, edges, t, *constants, turn), _spread(first, last - first))


class _Tokens:
    """The tokens of all documents in a file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, starts: Numbers, lengths: Numbers) -> tuple[Hashes, Numbers]:
        """Return the tokens of stretches, one after the other, and their bounds."""
        bounds = np.append(0, np.cumsum(lengths))
        return native_shingles.gather(self._file.fileno(), np.ascontiguousarray(starts), bounds), bounds


def _runs(starts: Numbers, ends: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield ascending intervals, those that touch as one, so many together that they have about ``RUN`` places."""
    is_first = np.append(True, starts[1:] > ends[:-1])[: len(starts)]
    starts, ends = starts[is_first], ends[np.append(is_first[1:], True)[: len(ends)]]
    for part in _portions(ends - starts):
        yield starts[part], ends[part]


def _portions(lengths: Numbers) -> Iterator[slice]:
    """Divide stretches so that each portion has about ``RUN`` places."""
    works, begin = np.cumsum(lengths), 0
    while begin < len(works):
        before = works[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(works, before + RUN, "right")))
        yield slice(begin, end)
        begin = end


def _spread(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return all places of intervals."""
    return np.repeat(starts - np.append(0, np.cumsum(lengths)[:-1]), lengths) + np.arange(lengths.sum())


class _Groups:
    """Mark the windows whose hash occurred before, and boilerplate."""

    def __init__(self, bounds: Numbers, hosts: NDArray[np.int64] | None, most: int, firsts: bool) -> None:
        self._bounds, self._hosts, self._most, self._firsts = bounds, hosts, most, firsts

    def mark(self, hashes: Hashes, positions: Numbers, marks: "_Table") -> None:
        """Add the repeats among windows, sorted by hash and position, to ``marks``: its value is twice the position of
        the first copy, plus the kind."""
        fresh = first_of_each(hashes)
        group = np.cumsum(fresh) - 1
        first = positions[np.flatnonzero(fresh)][group] if len(fresh) else positions
        kind = self._kinds(group, positions)
        chosen = ~fresh | (self._firsts & (kind == BOILERPLATE))
        marks.add(positions[chosen].astype(np.uint64), 2 * first[chosen] + kind[chosen])

    def _kinds(self, group: Numbers, positions: Numbers) -> Numbers:
        kinds = np.zeros(len(group), np.int64)
        if self._hosts is None:
            return kinds
        is_large = np.bincount(group)[group] > self._most if len(group) else kinds > 0
        rows = np.flatnonzero(is_large)
        documents = np.searchsorted(self._bounds, positions[rows], "right") - 1
        hosts = self._hosts[documents]
        rows, documents, hosts = rows[hosts >= 0], documents[hosts >= 0], hosts[hosts >= 0]
        # A document counts once; those of a host in a group follow each other.
        order = np.lexsort((documents, hosts, group[rows]))
        places = np.stack([group[rows], hosts], axis=1)[order]
        is_host = np.append(True, (places[1:] != places[:-1]).any(axis=1))[: len(order)]
        is_document = is_host | np.append(True, documents[order][1:] != documents[order][:-1])[: len(order)]
        number = np.cumsum(is_host) - 1
        counts = np.bincount(number, is_document)
        kinds[rows[order]] = counts[number] > self._most if len(number) else 0
        return kinds


class _Verifier:
    """Compare repeats with their first copies, token by token, and join windows to passages."""

    def __init__(self, tokens: _Tokens, bounds: Numbers, t: int) -> None:
        self._tokens, self._bounds, self._t = tokens, bounds, t
        # Windows whose hash is that of other tokens: of equal ones the first is no repeat.
        self._collisions: dict[bytes, int] = {}

    def passages(self, marks: Iterable[tuple[Hashes, Numbers]]) -> Iterator[NDArray[np.void]]:
        """Yield all passages, sorted by document, start and kind. The marks come in the order of their positions."""
        rest = np.empty(0, PASSAGE)
        for keys, values in marks:
            positions = keys.astype(np.int64)
            rows = _merged(np.concatenate([rest, *self._of_kinds(positions, values >> 1, values & 1)]))
            # Those that reach behind the last position may go on; what starts behind one of them waits with it.
            waiting = rows["start"] >= rows["start"][rows["end"] > positions[-1]].min(initial=np.iinfo(np.int64).max)
            rest = rows[waiting]
            yield self._inside(rows[~waiting])
        yield self._inside(rest)

    def _of_kinds(self, positions: Numbers, first: Numbers, kind: Numbers) -> Iterator[NDArray[np.void]]:
        is_first = first == positions
        first = self._true_sources(positions, first)
        for each in (REPEAT, BOILERPLATE):
            chosen = (kind == each) & ((first < positions) | is_first)
            yield self._joined(positions[chosen], first[chosen], each)

    def _inside(self, rows: NDArray[np.void]) -> NDArray[np.void]:
        """Return passages in order, counted from the beginnings of their documents."""
        for name in ("start", "end"):
            rows[name] -= self._bounds[rows["document"]]
        return np.take(rows, np.lexsort((rows["kind"], rows["start"], rows["document"])))

    def _true_sources(self, positions: Numbers, first: Numbers) -> Numbers:
        """Return the position of the first window that equals each; its own if there is none."""
        follows = (np.diff(positions, prepend=-2) == 1) & (np.diff(first, prepend=-2) == 1)
        # Windows that follow each other, as do their sources, are compared as one stretch.
        starts = np.flatnonzero(~follows)
        counts = np.diff(np.append(starts, len(positions)))
        is_equal = self._are_equal(positions[starts], first[starts], counts + self._t - 1)
        if is_equal.all():
            return first
        return self._resolved(positions, first.copy(), np.flatnonzero(np.repeat(~is_equal, counts)).tolist())

    def _are_equal(self, left: Numbers, right: Numbers, lengths: Numbers) -> NDArray[np.bool_]:
        """Return which stretches have the same tokens on both sides."""
        is_equal = np.empty(len(left), np.bool_)
        for part in _portions(lengths):
            tokens, bounds = self._tokens.read(left[part], lengths[part])
            others, _ = self._tokens.read(right[part], lengths[part])
            is_equal[part] = np.logical_and.reduceat(tokens == others, bounds[:-1])
        return is_equal

    def _resolved(self, positions: Numbers, first: Numbers, rows: list[int]) -> Numbers:
        for row in rows:
            at, window = int(positions[row]), self._window(int(positions[row]))
            if window != self._window(int(first[row])):
                first[row] = self._collisions.setdefault(window, at)
        return first

    def _window(self, at: int) -> bytes:
        return self._tokens.read(np.array([at]), np.array([self._t]))[0].tobytes()

    def _joined(self, positions: Numbers, first: Numbers, kind: int) -> NDArray[np.void]:
        """Return windows as passages, those that overlap or touch in a document as one."""
        document = np.searchsorted(self._bounds, positions, "right") - 1
        is_first = np.append(True, (np.diff(positions) > self._t) | (np.diff(document) > 0))[: len(positions)]
        starts = np.flatnonzero(is_first)
        rows = np.empty(len(starts), PASSAGE)
        rows["document"], rows["kind"], rows["start"] = document[starts], kind, positions[starts]
        rows["end"] = positions[np.append(starts[1:], len(positions))[: len(starts)] - 1] + self._t
        source = np.searchsorted(self._bounds, first[starts], "right") - 1
        rows["source"], rows["at"] = source, first[starts] - self._bounds[source]
        return rows


def _merged(rows: NDArray[np.void]) -> NDArray[np.void]:
    """Join passages of a kind that were cut where a part of the table ended."""
    rows = rows[np.lexsort((rows["start"], rows["kind"]))]
    before, after = rows[:-1], rows[1:]
    goes_on = np.append(False, (before["kind"] == after["kind"]) & (before["document"] == after["document"])
                        & (before["end"] >= after["start"]))[: len(rows)]  # fmt: skip
    merged: NDArray[np.void] = rows[~goes_on]
    merged["end"] = rows["end"][np.append(~goes_on[1:], True)[: len(rows)]]
    return merged


def raw(rows: NDArray[Any]) -> memoryview:
    """Return the bytes of rows."""
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data


def _rows(keys: Hashes, values: Numbers) -> NDArray[np.uint64]:
    rows = np.empty((len(keys), 2), np.uint64)
    rows[:, 0], rows[:, 1] = keys, values
    return rows


def _postings(rows: NDArray[np.uint64], shift: np.uint64) -> Postings:
    """Return rows as the sort takes them: it deals them to buckets by the first bits of their keys."""
    values, low = rows[:, 1], np.uint64(0xFFFFFFFF)
    return Postings(rows[:, 0] << shift, (values >> np.uint64(32)).astype(np.uint32), (values & low).astype(np.uint32))


class _Table:
    """Rows of a key and a value in a file, read back sorted in parts that fit into memory.

    With a ``count``, the file exists and has so many rows.
    """

    def __init__(self, path: Path, memory: int, count: int | None = None) -> None:
        self._path, self._memory = path, memory
        self._file, self.count = path.open("w+b" if count is None else "rb"), count or 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, keys: Hashes, values: Numbers) -> None:
        self._file.write(raw(_rows(keys, values)))
        self.count += len(keys)

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self._file.close()
        self._path.unlink()

    def in_order(self, threads: int, bits: int = 64) -> Iterator[tuple[Hashes, Numbers]]:
        """Yield the rows sorted by key and value; equal keys are in one part. Keys have so many bits."""
        shift = np.uint64(64 - bits)
        for rows in self._parts():
            if not len(rows):
                continue
            unsorted = _postings(rows, shift)
            del rows
            ordered = unsorted.in_order(threads)
            del unsorted
            yield ordered.hashes >> shift, (ordered.documents.astype(np.int64) << 32) | ordered.places

    def _parts(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the rows of one range of keys after the other."""
        if not self.count:
            return
        count = -(-self.count * SORTED_ROW_BYTES // self._memory)
        edges = self._edges(count)
        for number in range(len(edges) + 1):
            # No name holds the rows: who sorts them can release them.
            yield np.concatenate(
                [
                    rows[np.searchsorted(edges, rows[:, 0], "right") == number] if count > 1 else rows
                    for rows in self._read()
                ]
            )

    def _edges(self, parts: int) -> Hashes:
        """Return keys that divide the rows into so many parts, by a sample."""
        if parts == 1:
            return np.empty(0, np.uint64)
        starts = np.arange(0, self.count, max(1, self.count // SAMPLE))
        sample = np.sort(self._keys(starts))
        return np.unique(sample[np.arange(1, parts) * len(sample) // parts])

    def _keys(self, rows: Numbers) -> Hashes:
        """Return the keys of some rows."""
        self._file.flush()
        return native_shingles.gather(self._file.fileno(), 2 * rows, np.arange(len(rows) + 1))

    def _read(self) -> Iterator[NDArray[np.uint64]]:
        self._file.seek(0)
        while len(numbers := np.fromfile(self._file, np.uint64, 2 * READ_STEP)):
            yield numbers.reshape(-1, 2)
