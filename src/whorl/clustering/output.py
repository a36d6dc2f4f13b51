"""The folder that a clustering is written to: the tables of documents and pairs, the list to keep, the summary."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.equals import IDENTICAL, KINDS, UNIQUE
from whorl.clustering.measuring import Measured
from whorl.clustering.records import Texts
from whorl.clustering.result import Clustering
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.written import BINS, DOCUMENTS_FILE, HUNDREDTHS, PAIRS_FILE, SUMMARY_FILE
from whorl.corpus.parquet import DOCUMENTS, PAIRS, coded, coded_by, write_table
from whorl.errors import WhorlError
from whorl.fingerprinting.ahead import Ahead

KEEP_FILE = "keep.txt"

# Rows that are written at a time.
STEP = 1 << 16

# Of what was left out, as much as a person reads; the number is told of all.
LISTED = 1000


def _longest(found: Clustering) -> NDArray[Any]:
    return -found.sizes


def _newest(found: Clustering) -> NDArray[Any]:
    """Rising from the newest date to the oldest, then those without."""
    dates = [date or "" for date in found.dates]
    return -np.unique(dates, return_inverse=True)[1] if dates else np.empty(0, np.int64)


# Which document of a cluster is kept: the least by one of these; of several, the representative, then the first.
KEEPS: Mapping[str, Callable[[Clustering], NDArray[Any]]] = {
    "representative": lambda found: np.zeros(len(found.cluster), np.int64),
    "first": lambda found: np.arange(len(found.cluster)),
    "longest": _longest,
    "newest": _newest,
}


def kept(found: Clustering, keep: str = "representative") -> NDArray[np.int64]:
    """One document of every cluster, and every one that is alone, in the order of the documents."""
    numbers = np.flatnonzero(found.is_there)
    clusters = found.cluster[numbers]
    order = np.lexsort((numbers, clusters != numbers, KEEPS[keep](found)[numbers], clusters))
    first = np.ones(len(order), np.bool_)
    first[1:] = clusters[order[1:]] != clusters[order[:-1]]
    return np.sort(numbers[order[first]])


def write(
    found: Clustering, folder: Path, settings: ClusterSettings, keep: str, left_out: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """All files of the folder but the pairs; what the summary says."""
    write_table(folder / DOCUMENTS_FILE, _documents(found), DOCUMENTS)
    chosen = kept(found, keep)
    told = {
        **_counts(found),
        HUNDREDTHS: hundredths(found.pairs.measure(settings.measure)).tolist(),
        "kept": len(chosen),
        "keep": keep,
        "settings": asdict(settings),
        "phases": [asdict(phase) for phase in found.phases],
        "left_out": len(left_out),
        "skipped": list(left_out[:LISTED]),
    }
    try:
        with (folder / KEEP_FILE).open("wb") as file:
            for start in range(0, len(chosen), STEP):
                file.write(found.ids.lines(chosen[start : start + STEP]))
        (folder / SUMMARY_FILE).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise WhorlError(f"{folder}: cannot be written: {error.strerror or error}") from error
    return told


def write_pairs(ids: Texts, pairs: Measured, folder: Path, threads: int = 1) -> None:
    """The table of pairs, which is most of what is written. One thread writes; if there may be more, they prepare."""
    names = _Column(ids)

    def part(start: int) -> dict[str, Any]:
        chosen = pairs.chosen(slice(start, start + STEP))
        return {
            "left": names.take(chosen.left),
            "right": names.take(chosen.right),
            "resemblance": chosen.resemblance,
            "left_in_right": chosen.left_in_right,
            "right_in_left": chosen.right_in_left,
            "shared": np.rint(chosen.shared).astype(np.int64),
        }

    with Ahead(threads) as ahead:
        write_table(folder / PAIRS_FILE, ahead.map(part, range(0, len(pairs), STEP)), PAIRS)


def hundredths(measures: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many measures have so many hundredths, from 0 to 100."""
    # 0.29 times 100 is a little less than 29: what is written as a whole percent counts as it.
    return np.bincount(np.floor(100 * measures + 1e-9).astype(np.int64), minlength=BINS)


def _counts(found: Clustering) -> dict[str, Any]:
    numbers = np.flatnonzero(found.is_there)
    sizes = np.bincount(found.cluster[numbers], minlength=1)
    mixed = np.zeros(len(sizes), np.bool_)
    mixed[found.cluster[numbers[~np.isin(found.kind[numbers], (UNIQUE, IDENTICAL))]]] = True
    clusters = sizes > 1
    kinds = np.bincount(found.kind[numbers], minlength=len(KINDS)).tolist()
    return {
        "scheme": found.scheme.id,
        "documents": len(numbers),
        "bytes": int(found.sizes.sum()),
        "shingles": found.shingles,
        "clusters": int(clusters.sum()),
        "identical_clusters": int((clusters & ~mixed).sum()),
        "in_clusters": int(sizes[clusters].sum()),
        "largest": int(sizes[clusters].max(initial=0)),
        "pairs": len(found.pairs),
        "common_shingles": found.common,
        "kinds": {kind: count for kind, count in zip(KINDS, kinds, strict=True) if count},
    }


def _documents(found: Clustering) -> Iterator[dict[str, Any]]:
    ids, urls, dates = _Column(found.ids), _Column(found.urls), _Column(found.dates)
    kinds = [kind.encode() for kind in KINDS]
    numbers = np.flatnonzero(found.is_there)
    for start in range(0, len(numbers), STEP):
        part = numbers[start : start + STEP]
        yield {
            "id": ids.take(part),
            "cluster": found.cluster[part],
            "representative": ids.take(found.cluster[part]),
            "similarity": found.similarity[part],
            "kind": coded(found.kind[part].astype(np.int32), kinds),
            "url": urls.take(part),
            "date": dates.take(part),
        }


class _Column:
    """Texts as Arrow has them, so that none of them becomes an object of Python's."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def take(self, numbers: NDArray[Any]) -> Any:
        """The texts of some documents: each of them once, and for every document which of these is its own. Arrow then
        need not look for equal texts itself."""
        is_wanted = np.zeros(len(self._texts), np.bool_)
        is_wanted[numbers] = True
        places = np.cumsum(is_wanted, dtype=np.int32) - np.int32(1)
        data, ends = self._texts.packed(np.flatnonzero(is_wanted))
        return coded_by(places[numbers], data, ends, self._texts.is_there[numbers])
