"""``whorl.decontaminate``: find the rows of a corpus that hold items of evaluation sets; drop, cut or mark them.

Words count, not characters. Runs of ``SEED`` words that an item and a document share are seeds. Seeds in many documents
are common phrases and count for nothing. The rest is judged by how many of the item's words lie close together, in
order, in the document; so small edits do not hide an item, and a long document does not collect one by chance.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.clustering import ClusterSettings
from whorl.clustering.cluster import Progress
from whorl.clustering.reading import joined_letters, letter_ends
from whorl.clustering.repeats import raw
from whorl.clustering.store import PhaseStore
from whorl.corpus_clustering import Corpus
from whorl.corpus_output import Deduplication, OutputFolder
from whorl.corpus_rows import taking_rows
from whorl.corpus_sources import CorpusTexts, check_ids, find_sources, text_frontend
from whorl.corpus_spans import DocumentSpans, SpanEditing, union
from whorl.engine.hashing import Key, hasher
from whorl.engine.sampling import permutation
from whorl.errors import InputError, checked_number, checked_share
from whorl.formats.archives.names import RefusedFileError, opened, reason
from whorl.formats.archives.rules import DEFAULT as DEFAULT_RULES
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora import tables
from whorl.formats.corpora.parquet import check_arrow
from whorl.formats.corpora.records import Columns, CorpusRecord, RowPlace
from whorl.formats.corpora.remote import check_local, fetching
from whorl.formats.text import TextFrontend, half_letters
from whorl.kernel import native_shingles
from whorl.model import Hashes
from whorl.scheme import Scheme, resolve

ACTIONS = ("drop", "cut", "mark")

# Columns that hold the text of an item in the usual evaluation files, where none is named.
ITEM_COLUMNS = (
    "text",
    "question",
    "problem",
    "prompt",
    "input",
    "query",
    "instruction",
    "sentence",
    "passage",
    "context",
)

# Words of a seed. With four, an item keeps most of its seeds when one word in ten is changed. Two seeds in a row make a
# pair, of eight words: it can be rare though both seeds are common.
SEED = 4

# Words of the shortest item that is looked for, and the least that must be found of one.
SHORTEST_ITEM, LEAST_WORDS = 8, 6

# Share of the words of an item that a document must hold, if it has at least so many; of a shorter one more.
LONG = 24
THRESHOLD = 0.6

# A seed in more documents is a common phrase: so many, or one document in so many.
COMMON, COMMON_PART = 10, 1000

# So is a seed in more items than ``COMMON``, and than one of so many.
TEMPLATE_PART = 100

# Bits of a filter that answers for most of a text that it holds no seed.
FILTER_BITS = 24

HIT = np.dtype([("document", "<i8"), ("position", "<i4"), ("seed", "<i4")])

# Words ``start`` to ``end`` of a document hold ``words`` words of an item, the share ``score`` of its words.
LEAK = np.dtype(
    [("document", "<i8"), ("item", "<i8"), ("start", "<i8"), ("end", "<i8"), ("words", "<i8"), ("score", "<f8")]
)
LEAKS_FILE = "leaks.parquet"
KIND = "leak"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of an evaluation set: its file, its id, the number of its tokens, and how many words a token is. A letter
    of a script without spaces is a token, and less than a word."""

    file: str
    id: str
    tokens: int
    word: float = 1.0


def _seeds(tokens: Hashes, bounds: NDArray[np.int64]) -> Hashes:
    """Return the hash of every run of ``SEED`` words of texts, in order."""
    constants, turn = hasher(Key.PUBLIC, SEED).constants, permutation(Key.PUBLIC).constants
    return native_shingles.values(np.ascontiguousarray(tokens, np.uint64), bounds, SEED, *constants, turn)


def _extents(letters: NDArray[np.int64], bounds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return how many tokens each seed of texts covers, and whether it is whole: letters at the end of a text are
    joined to fewer than they would be inside another."""
    ends, lasts = letter_ends(letters, bounds, SEED)
    behind = np.repeat(bounds[1:], np.diff(bounds))
    is_cut = (letters > 0) & (ends > lasts) & (lasts == behind)
    ends = np.where(letters > 0, np.minimum(ends, lasts), np.arange(len(letters)) + 1)
    starts = np.flatnonzero(np.arange(len(letters)) + SEED <= behind)
    window = starts[:, None] + np.arange(SEED)
    return ends[window].max(axis=1, initial=0) - starts, ~is_cut[window].any(axis=1)


class ItemIndex:
    """The seeds of all items, and where each is. Numbers of pairs of seeds follow those of seeds."""

    def __init__(self, items: Sequence[Item], tokens: Sequence[Hashes]) -> None:
        self.items = items
        bounds = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
        joined = np.concatenate([np.empty(0, np.uint64), *tokens])
        letters = half_letters(joined).astype(np.int64)
        self._has_letters = bool(letters.any())
        hashes = _seeds(self._words(joined, bounds), bounds)
        counts = np.maximum(np.diff(bounds) - SEED + 1, 0)
        item = np.repeat(np.arange(len(items)), counts)
        place = np.arange(len(hashes)) - np.repeat(np.cumsum(counts) - counts, counts)
        extents, is_whole = _extents(letters, bounds)
        hashes, item, place, extents = hashes[is_whole], item[is_whole], place[is_whole], extents[is_whole]
        self._hashes, firsts, seeds = np.unique(hashes, return_index=True, return_inverse=True)
        is_pair = item[:-SEED] == item[SEED:]
        self._pairs, first_pairs, pairs = np.unique(
            self._paired(seeds[:-SEED], seeds[SEED:])[is_pair], return_index=True, return_inverse=True
        )
        self.count = len(self._hashes) + len(self._pairs)
        self.widths = np.append(extents[firsts], SEED + extents[SEED:][is_pair][first_pairs])
        seeds = np.append(seeds, len(self._hashes) + pairs)
        item, place = np.append(item, item[:-SEED][is_pair]), np.append(place, place[:-SEED][is_pair])
        order = np.argsort(seeds, kind="stable")
        self._item, self._place = item[order], place[order]
        self._starts = np.searchsorted(seeds[order], np.arange(self.count + 1))
        # The same words in many items, such as "choose the right answer", are the form of an evaluation.
        self.is_template = np.diff(self._starts) > max(COMMON, len(items) // TEMPLATE_PART)
        self._by_item = item, place, seeds
        self._filter = np.zeros(1 << FILTER_BITS, np.bool_)
        self._filter[self._cells(self._hashes)] = True

    def _words(self, tokens: Hashes, bounds: NDArray[np.int64]) -> Hashes:
        """Join letters of scripts without spaces, unless no item has any."""
        return joined_letters(tokens, bounds, SEED) if self._has_letters else tokens

    def _paired(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
        return first * np.int64(len(self._hashes)) + second

    def _cells(self, hashes: Hashes) -> Hashes:
        return hashes & np.uint64((1 << FILTER_BITS) - 1)

    def hits(self, tokens: Hashes, bounds: NDArray[np.int64]) -> tuple[int, NDArray[np.void]]:
        """Return the number of texts, and document, position and number of every seed in them, by document."""
        values = _seeds(self._words(tokens, bounds), bounds)
        places = np.flatnonzero(self._filter[self._cells(values)])
        seeds, is_seed = _looked_up(values[places], self._hashes)
        places, seeds = places[is_seed], seeds[is_seed]
        ends = np.cumsum(np.maximum(np.diff(bounds) - SEED + 1, 0))
        document = np.searchsorted(ends, places, "right")
        behind, is_followed = _looked_up(places + SEED, places)
        is_followed &= document[behind] == document if len(document) else False
        pairs, is_pair = _looked_up(self._paired(seeds, seeds[behind])[is_followed], self._pairs)
        rows = np.empty(len(places) + int(is_pair.sum()), HIT)
        rows["document"] = np.append(document, document[is_followed][is_pair])
        rows["position"] = np.append(places, places[is_followed][is_pair]) - np.append(0, ends)[rows["document"]]
        rows["seed"] = np.append(seeds, len(self._hashes) + pairs[is_pair])
        return len(bounds) - 1, rows[np.argsort(rows["document"], kind="stable")]

    def places(self, seed: int) -> Iterator[tuple[int, int]]:
        """Yield the items with a seed, and its place in them."""
        first, last = self._starts[seed], self._starts[seed + 1]
        return zip(self._item[first:last].tolist(), self._place[first:last].tolist(), strict=True)

    def counted(self, is_common: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many tokens of each item are in seeds that are not common."""
        item, place, seeds = (column[~is_common[self._by_item[2]]] for column in self._by_item)
        lengths = np.array([each.tokens for each in self.items], np.int64)
        words = np.zeros(int(lengths.sum()), np.bool_)
        starts = np.cumsum(lengths) - lengths
        for width in np.unique(self.widths).tolist():
            chosen = self.widths[seeds] == width
            words[((starts[item] + place)[chosen, None] + np.arange(width)).ravel()] = True
        return np.bincount(np.repeat(np.arange(len(lengths)), lengths), words, len(lengths)).astype(np.int64)


def _looked_up(wanted: NDArray[Any], known: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each value its place among known ones, which are sorted, and whether it is there."""
    places = np.minimum(np.searchsorted(known, wanted), max(0, len(known) - 1))
    return places, known[places] == wanted if len(known) else np.zeros(len(wanted), np.bool_)


class LeakFinder:
    """Collect the seeds of a corpus in a file of ``store``, then judge them."""

    # Files of the store that grow with the documents.
    FILES = ("hits",)

    def __init__(self, index: ItemIndex, store: PhaseStore, threshold: float, common: int | None) -> None:
        self._index, self._store, self._threshold, self._common = index, store, threshold, common
        self._count = store.documents

    def contents(self, batch: tuple[int, NDArray[np.void]]) -> dict[str, memoryview]:
        """Return what the file gets for the next documents."""
        count, rows = batch
        rows["document"] += self._count
        self._count += count
        return {"hits": raw(rows)}

    def leaks(self) -> NDArray[np.void]:
        """Return all leaks in the order of the documents, as rows of ``LEAK``."""
        store = self._store
        if "leaks" not in store.state:
            with store.translate_os_errors(), (store.folder / "leaks").open("wb") as file:
                count = 0
                for part in self._found():
                    file.write(raw(part))
                    count += len(part)
            store.finish("leaks")
            store.save(leaks=count, common_items=self._common_items())
        return store.mapped("leaks", LEAK, int(store.state["leaks"]))

    @property
    def common_items(self) -> int:
        """The number of items of which too few words are left to find them, because the others are common."""
        return int(self._store.state["common_items"])

    def _common_items(self) -> int:
        least = np.array([LEAST_WORDS / item.word for item in self._index.items])
        all_words = self._index.counted(np.zeros(self._index.count, np.bool_))
        return int(((np.array(self._counted, np.int64) < least) & (all_words >= least)).sum())

    def _found(self) -> Iterator[NDArray[np.void]]:
        limit = max(COMMON, self._count // COMMON_PART) if self._common is None else self._common
        self._is_common = (self._frequency() > limit) | self._index.is_template
        self._counted = self._index.counted(self._is_common).tolist()
        for rows in self._documents():
            rare: NDArray[np.void] = rows[~self._is_common[rows["seed"]]]
            yield np.array(list(self._judged(rare)), LEAK)

    def _frequency(self) -> NDArray[np.int64]:
        """Return how many documents have each seed."""
        frequency = np.zeros(self._index.count, np.int64)
        for rows in self._documents():
            # A document counts once for a seed.
            once = np.unique((rows["document"] - rows["document"][0]) * len(frequency) + rows["seed"])
            np.add.at(frequency, once % max(1, len(frequency)), 1)
        return frequency

    def _documents(self) -> Iterator[NDArray[np.void]]:
        """Yield the seeds of whole documents, many at a time."""
        self._store.flush()
        rest = np.empty(0, HIT)
        with (self._store.folder / "hits").open("rb") as file:
            while data := file.read(HIT.itemsize << 20):
                rows = np.concatenate([rest, np.frombuffer(data, HIT)])
                # The last document may go on.
                last = int(np.searchsorted(rows["document"], rows["document"][-1]))
                rest = rows[last:]
                if last:
                    yield rows[:last]
        if len(rest):
            yield rest

    def _judged(self, rows: NDArray[np.void]) -> Iterator[tuple[float, ...]]:
        starts = np.flatnonzero(np.append(True, np.diff(rows["document"]) > 0)[: len(rows)]).tolist()
        for start, end in pairwise([*starts, len(rows)]):
            hits: dict[int, list[_Hit]] = defaultdict(list)
            positions, seeds = (rows[name][start:end].tolist() for name in ("position", "seed"))
            for position, seed in zip(positions, seeds, strict=True):
                width = int(self._index.widths[seed])
                for item, place in self._index.places(seed):
                    hits[item].append(_Hit(position, place, width))
            for item, near in sorted(hits.items()):
                if self._needed(item) <= sum(hit.width for hit in near):
                    yield from self._placed(int(rows["document"][start]), item, near)

    def _needed(self, item: int) -> float:
        """Return the least number of tokens that must be found of an item: all of a short one, in which every word
        tells, and the threshold's share of one of ``LONG`` words or more."""
        counted: int = self._counted[item]
        word = self._index.items[item].word
        strictness = min(1.0, max(0.0, (LONG - counted * word) / (LONG - SHORTEST_ITEM)))
        return max(LEAST_WORDS / word, (self._threshold + (1 - self._threshold) * strictness) * counted)

    def _placed(self, document: int, item: int, hits: "list[_Hit]") -> Iterator[tuple[float, ...]]:
        """Yield each place where enough of the item's words are close together and in order."""
        slack = max(SEED, self._index.items[item].tokens // 4)
        while hits:
            best, words = _densest(hits, slack)
            if words < self._needed(item):
                return
            start, end = min(hit.position for hit in best), max(hit.position + hit.width for hit in best)
            share = words / self._counted[item]
            yield document, item, start, end, round(words * self._index.items[item].word), share
            hits = [hit for hit in hits if hit.position + hit.width <= start or hit.position >= end]


class _Hit(NamedTuple):
    """A seed of so many words at a position of a document and a place of an item."""

    position: int
    place: int
    width: int

    @property
    def shift(self) -> int:
        return self.position - self.place


def _densest(hits: list[_Hit], slack: int) -> tuple[list[_Hit], int]:
    """Return the hits that cover most words of the item, among those whose shifts are within ``slack``, and the number
    of words."""
    ordered = sorted(hits, key=lambda hit: (hit.shift, hit.place))
    best, most, first, words, covered = (0, 0), 0, 0, 0, defaultdict[int, int](int)
    for last, hit in enumerate(ordered):
        for place in range(hit.place, hit.place + hit.width):
            words += not covered[place]
            covered[place] += 1
        while hit.shift - ordered[first].shift > slack:
            for place in range(ordered[first].place, ordered[first].place + ordered[first].width):
                covered[place] -= 1
                words -= not covered[place]
            first += 1
        if words > most:
            best, most = (first, last + 1), words
    return ordered[slice(*best)], most


def read_items(
    paths: Sequence[Path], columns: Sequence[str], identity: str, rules: Rules, front: TextFrontend
) -> tuple[list[Item], list[Hashes], int]:
    """Return the items of evaluation sets with their words, and how many are too short to look for.

    Each of the columns makes an item; without names, each of ``ITEM_COLUMNS`` that a file has.
    """
    items, tokens, short = list[Item](), list[Hashes](), 0
    for path in paths:
        before = len(items) + short
        _check_file(path)
        for place, text, name in _item_texts(path, columns, identity, rules):
            symbols = np.asarray(front.stream(text).symbols, np.uint64)
            words = _word_count(symbols)
            if words < SHORTEST_ITEM:
                short += 1
                continue
            items.append(Item(path.name, name or f"{path.name}:{place.row}", len(symbols), words / len(symbols)))
            tokens.append(symbols)
        if len(items) + short == before:
            raise InputError(f"{path}: no item was read; name the columns of texts with --item, or items in Python")
    return items, tokens, short


def _word_count(symbols: Hashes) -> float:
    """Return how many words a text has, letters of scripts without spaces as parts of words."""
    letters = half_letters(symbols)
    return int((letters == 0).sum()) + float((2 / letters[letters > 0]).sum())


def _check_file(path: Path) -> None:
    """Raise InputError if there is no such file to read items from."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name the tables of items in it")
    try:
        with opened(path, follow=True):
            pass
    except (OSError, RefusedFileError) as error:
        raise InputError(f"{path}: {reason(error)}") from error


class _ItemColumns(Columns):
    """The columns of an item: the one with its text has an option of its own."""

    def missing(self, there: set[str]) -> Iterator[str]:
        """Yield each required column that is absent, with its option."""
        yield from (column.replace("(--text)", "(--item)") for column in super().missing(there))


def _item_texts(
    path: Path, columns: Sequence[str], identity: str, rules: Rules
) -> Iterator[tuple[RowPlace, str, str | None]]:
    kind = tables.kind(path, path.name, Columns(text=(columns or ITEM_COLUMNS)[0]), rules, any_name=True)
    if kind is None or kind == "warc":
        raise InputError(f"{path}: is no table; give items as JSONL, JSON arrays, CSV, Parquet or Arrow")
    for column in columns or ITEM_COLUMNS:
        text = _ItemColumns(id=None, text=column, url=None, date=None)
        try:
            tables.check(kind, path, text, rules)
        except InputError:
            if columns:
                raise
            continue  # the file has another of the usual columns, or none, which the caller reports
        wanted = replace(text, id=identity)
        tables.check(kind, path, wanted, rules)
        for each in tables.records(kind, path, path.name, wanted, rules, ""):
            if isinstance(each, CorpusRecord):
                yield RowPlace(path.name, each.row), _text(path, each), each.id
            elif not each.left_out and (columns or repr(column) not in each.reason):
                # Of columns that are not named, some hold other things than texts, such as lists of messages.
                raise InputError(f"{path}: row {each.row:,}: {each.reason}")


def _text(path: Path, record: CorpusRecord) -> str:
    content = record.document.content
    try:
        return content.decode() if isinstance(content, bytes) else str(content)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: row {record.row:,}: not UTF-8") from error


class LeakEditing(SpanEditing):
    """Drop, cut or mark the rows with leaks."""

    COLUMNS: ClassVar = {
        "file": "string", "row": "int64", "start": "int64", "end": "int64", "against": "string", "item": "string",
        "words": "int64", "score": "float64",
    }  # fmt: skip

    kinds = (KIND,)
    items: Sequence[Item] = ()
    action = "drop"

    def cuts(self, row: int, text: str) -> list[tuple[int, int]]:
        """Return the spans to cut; the whole text to drop a row."""
        spans, leaks = self.spans.located(row, text)
        if self.action == "drop":
            return [(0, len(text))]
        return union(spans.cut(leak["start"], leak["end"]) for leak in leaks)

    def attributes(self, row: int, text: str) -> dict[str, list[list[float]]]:
        if not self.spans.has(row):
            return {f"whorl__{KIND}": []}
        spans, leaks = self.spans.located(row, text)
        return {f"whorl__{KIND}": [[*spans.inside(leak["start"], leak["end"]), leak["score"]] for leak in leaks]}

    def counted(self, rows: NDArray[np.void]) -> dict[str, int]:
        return {KIND: len(rows)}

    def table(self) -> tuple[str, Iterable[dict[str, Any]], Mapping[str, str]]:
        return LEAKS_FILE, map(self._listed, self.spans.listed()), self.COLUMNS

    def _listed(self, part: tuple[NDArray[np.void], NDArray[np.void]]) -> dict[str, Any]:
        leaks, characters = part
        file, row = self.texts.located(leaks["document"])
        items = [self.items[item] for item in leaks["item"].tolist()]
        return {
            "file": file,
            "row": row,
            "start": characters["start"],
            "end": characters["end"],
            "against": [item.file for item in items],
            "item": [item.id for item in items],
            "words": leaks["words"],
            "score": leaks["score"],
        }


@taking_rows("against")
@fetching("paths", "against")
def decontaminate(
    paths: Any,
    out: Path | str | None = None,
    against: Any = (),
    scheme: Scheme | str = "pages",
    *,
    text: str = "text",
    id: str = "id",  # noqa: A002  (the name of the column, as in Columns)
    items: str | Sequence[str] = (),
    action: str = "drop",
    threshold: float = THRESHOLD,
    common: int | None = None,
    shortest: int = 40,
    rules: Rules = DEFAULT_RULES,
    fresh: bool = False,
    progress: Progress | None = None,
    workers: int = 0,
) -> Deduplication:
    """Write a corpus again without the items of evaluation sets, as ``whorl decontaminate`` does. ``paths`` and
    ``against`` may be addresses of object stores that fsspec knows, such as s3://bucket/folder. Both may be rows in
    memory, as in ``dedup``; if ``paths`` are, the ``rows`` of the result are those that stay, and ``out`` is left out.

    ``against`` are tables whose columns ``items`` have the texts of the items. A row with at least the share
    ``threshold`` of an item's words, close together and in order, is dropped, or these words are cut or marked, as
    ``action`` says. Runs of words in more than ``common`` documents do not count (by default 10, or one document in a
    thousand); ``common_items`` in the report are the items that cannot be found for it. ``_whorl/leaks.parquet`` lists
    each row with the item and its span.
    """
    out, settings, scheme = check_local(out), ClusterSettings(workers=workers), resolve(scheme)
    named, evals, items = _paths(paths), _paths(against), [items] if isinstance(items, str) else items
    if not evals:
        raise InputError("against: name the evaluation sets")
    if action not in ACTIONS:
        raise InputError(f"action: {action!r} is unknown; choose one of {', '.join(ACTIONS)}")
    threshold, shortest = checked_share("threshold", threshold), checked_number("shortest", shortest, 1)
    common = None if common is None else checked_number("common", common, 1)
    check_arrow()
    columns, front = Columns(id=None, text=text, url=None, date=None), text_frontend(scheme)
    sources, left_out = find_sources(named, out, columns, rules, mark=action == "mark")
    if action == "mark":
        check_ids(sources, replace(columns, id=id), rules)
    read, tokens, short = read_items(evals, items, id, rules, front)
    recipe = {
        "corpus": Corpus(named, columns, rules).identity(), "against": Corpus(evals, columns, rules).identity(),
        "items": list(items), "action": action, "threshold": threshold, "common": common, "shortest": shortest,
        "scheme": scheme.id,
    }  # fmt: skip
    with OutputFolder(out, recipe, fresh) as run:
        if not run.is_finished:
            index = ItemIndex(read, tokens)
            with CorpusTexts(sources, columns, rules, scheme, run.phases, LeakFinder.FILES, left_out) as texts:
                finder = LeakFinder(index, texts.store, threshold, common)
                texts.search(index.hits, finder.contents, settings.threads, progress)
                with run.log() as log:
                    spans, kept = DocumentSpans(texts, finder.leaks(), log), replace(columns, id=id)
                    editing = LeakEditing(texts, spans, kept, rules, shortest, action == "mark")
                    editing.items, editing.action = read, action
                    facts = {"items": len(read), "short_items": short, "common_items": finder.common_items}
                    run.write_edited(sources, editing, progress, facts)
        return run.finished()


def _paths(paths: Path | str | Iterable[Path | str]) -> list[Path]:
    return [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
