"""The summary of a clustering as one web page, from the files that ``whorl cluster`` wrote, and the texts of some
clusters and pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from whorl._version import VERSION
from whorl.clustering import MEASURES
from whorl.clustering.evidence import ClusterEvidence, ShownText, shared_words
from whorl.clustering.joining import Measured
from whorl.clustering.output import BINS, DOCUMENTS_FILE, HUNDREDTHS, ParquetTable, summary
from whorl.errors import InputError
from whorl.formats.corpora.parquet import DOCUMENTS, arrow
from whorl.report.cluster_views import ClusterView, census, cluster_views, kind_bars
from whorl.report.markup import ShownName, coarse, short
from whorl.report.pages import render, template
from whorl.report.plots import histogram, share, sizes_plot, tenths
from whorl.scheme import Scheme

# Maximum number of listed skipped documents, and of settings and phases.
LEFT_OUT = 100
FACTS = 40

# Upper bound of counts and sizes. JSON can contain numbers of a thousand digits, infinity and NaN.
LARGEST = 1 << 63

# Units of a size, as the command accepts them.
UNITS = {1 << 30: "G", 1 << 20: "M", 1 << 10: "K"}


@dataclass(frozen=True, slots=True)
class PhaseView:
    """The cost of one phase. It mirrors ``clustering.result.Phase``, with the width of its bar."""

    name: str
    seconds: float
    cpu_seconds: float
    items: int
    bytes: int
    width: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A skipped document, and the reason."""

    file: str
    row: int
    reason: str


def read_phases(facts: Mapping[str, Any]) -> tuple[PhaseView, ...]:
    """Return the costs of the phases."""
    phases = [phase for phase in _list(facts, "phases") if isinstance(phase, dict)][:FACTS]
    largest = max((_number(phase, "seconds") for phase in phases), default=0.0)
    return tuple(
        PhaseView(
            short(str(phase.get("name", ""))), _number(phase, "seconds"), _number(phase, "cpu_seconds"),
            int(_number(phase, "items")), int(_number(phase, "bytes")), share(_number(phase, "seconds"), largest),
        )
        for phase in phases
    )  # fmt: skip


def read_left_out(facts: Mapping[str, Any]) -> tuple[tuple[LeftOut, ...], int]:
    """Return the first skipped documents, and the number of all: the summary lists some and counts all."""
    skipped = [item for item in _list(facts, "skipped") if isinstance(item, dict)]
    listed = tuple(
        LeftOut(short(str(item.get("file", ""))), int(_number(item, "row")), short(str(item.get("reason", ""))))
        for item in skipped[:LEFT_OUT]
    )
    return listed, max(len(skipped), read_number(facts, "left_out"))


def read_settings(facts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the settings, by name."""
    return tuple(_settings(facts))[:FACTS]


def _settings(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if facts.get("scheme"):
        yield "scheme", short(str(facts["scheme"]))
    options = facts.get("settings")
    for name, value in options.items() if isinstance(options, dict) else ():
        if name != "scheme":
            yield short(str(name)).replace("_", " "), _value(name, value)


def _value(name: str, value: Any) -> str:
    """Format a setting as a person writes it."""
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "none"}[value]
    if not isinstance(value, int):
        return short(str(value))
    # The option accepts sizes in powers of two, such as 500M.
    units = [unit for unit in UNITS if value and value % unit == 0] if name == "memory" else []
    return short(f"{value // units[0]:,}{UNITS[units[0]]}" if units else f"{value:,}")


def read_hundredths(facts: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return the histogram of the measure of pairs in hundredths; zeros if it is incomplete."""
    bins = _list(facts, HUNDREDTHS)
    is_valid = len(bins) == BINS and all(isinstance(count, int) and 0 <= count < LARGEST // BINS for count in bins)
    return np.array(bins if is_valid else [0] * BINS, np.int64)


def read_number(facts: Mapping[str, Any], name: str) -> int:
    """Return a count of the summary, or 0."""
    return int(_number(facts, name))


def _list(facts: Mapping[str, Any], name: str) -> list[Any]:
    value = facts.get(name)
    return value if isinstance(value, list) else []


def _number(facts: Mapping[str, Any], name: str) -> float:
    """Return a non-negative number; 0 for anything else."""
    value = facts.get(name)
    return float(value) if isinstance(value, int | float) and 0 <= value < LARGEST else 0.0


# Characters shown of a text: before and behind the longest shared passage, at the two ends of a long passage, and of a
# text that shares none.
BEFORE, BEHIND, PASSAGE_END, BEGINNING = 160, 240, 300, 400

# Maximum size of all texts in the page, in bytes: some hundred pairs, or fewer of a script with long characters.
TEXTS_BYTES = 700_000

# Maximum number of listed sources; summary.json has more.
SOURCES = 50


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Excerpts of two texts with the longest passage that both have, of so many words; shared words are marked."""

    left: Markup
    right: Markup
    words: int

    @property
    def cost(self) -> int:
        """The size of both in the page, in bytes."""
        return len(self.left.encode()) + len(self.right.encode())


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair of documents near the threshold, with its measure."""

    left: ShownName
    right: ShownName
    measure: float
    texts: SideBySide | None


@dataclass(frozen=True, slots=True)
class SourceView:
    """What is dropped of the documents of one source."""

    file: str
    documents: int
    dropped: int
    bytes: int
    dropped_bytes: int


@dataclass(frozen=True, slots=True)
class TextViews:
    """The texts of the listed clusters, by rank, the pairs just above and below the threshold, and how many of the
    documents have no text."""

    clusters: Mapping[int, SideBySide]
    above: Sequence[PairView]
    below: Sequence[PairView]
    missing: int


def text_views(clusters: Sequence[ClusterView], evidence: ClusterEvidence) -> TextViews:
    """Read the texts of the representative and the least similar member of each cluster, and of the pairs near the
    threshold; as many as fit into the page."""
    clustering, above, below = evidence.clustering, evidence.above(), evidence.below()
    numbers = np.flatnonzero(clustering.is_there)
    of_clusters = {
        each.rank: (int(numbers[each.head.row]), int(numbers[each.members[0].row])) for each in clusters if each.members
    }
    near = np.concatenate([above.left, above.right, below.left, below.right]).tolist()
    wanted = {*near, *(number for pair in of_clusters.values() for number in pair)}
    texts = evidence.texts(wanted) if evidence.texts is not None and wanted else {}
    sides = _Sides(texts, clustering.scheme)
    # The pairs near the threshold come first: they are few.
    over, under = (tuple(_pairs(pairs, evidence, sides)) for pairs in (above, below))
    shown = {rank: side for rank, pair in of_clusters.items() if (side := sides.of(*pair)) is not None}
    return TextViews(shown, over, under, len(wanted) - len(texts))


def _pairs(pairs: Measured, evidence: ClusterEvidence, sides: "_Sides") -> Iterator[PairView]:
    ids, measures = evidence.clustering.ids, pairs.measure(evidence.settings.measure).tolist()
    for left, right, measure in zip(pairs.left.tolist(), pairs.right.tolist(), measures, strict=True):
        one, two = (ShownName(short(ids[number] or "")) for number in (left, right))
        yield PairView(one, two, measure, sides.of(left, right))


class _Sides:
    """Excerpts of pairs of texts, until the page is full."""

    def __init__(self, texts: Mapping[int, ShownText], scheme: Scheme) -> None:
        self._texts, self._scheme, self._room = texts, scheme, TEXTS_BYTES

    def of(self, left: int, right: int) -> SideBySide | None:
        """Return the excerpts of two documents; None if one has no text, or the page is full."""
        if left not in self._texts or right not in self._texts:
            return None
        side = side_by_side(self._texts[left], self._texts[right], self._scheme)
        self._room -= side.cost
        return side if self._room > 0 else None


def side_by_side(left: ShownText, right: ShownText, scheme: Scheme) -> SideBySide:
    """Return excerpts of two texts around the longest passage that both have."""
    shared = shared_words(left, right, scheme)
    return SideBySide(
        _excerpt(left, shared.left, shared.left_start, shared.length),
        _excerpt(right, shared.right, shared.right_start, shared.length),
        shared.length,
    )


# Looks of words: not shared, shared, and of the longest shared passage.
PLAIN, SHARED, PASSAGE = range(3)
OPENINGS = {SHARED: "<mark>", PASSAGE: '<mark class="passage">'}


def _excerpt(text: ShownText, is_shared: NDArray[np.bool_], start: int, length: int) -> Markup:
    """Return the parts of a text around a passage; its middle is left out if it is long."""
    looks = np.where(is_shared, SHARED, PLAIN)
    looks[start : start + length] = PASSAGE
    if not length:
        return _marked(text, looks, [(0, _end_of_word(text, BEGINNING))])
    first, last = int(text.starts[start]), int(text.ends[start + length - 1])
    begin, end = _start_of_word(text, first - BEFORE), _end_of_word(text, last + BEHIND)
    if last - first <= 2 * PASSAGE_END:
        return _marked(text, looks, [(begin, end)])
    middle = _end_of_word(text, first + PASSAGE_END), _start_of_word(text, last - PASSAGE_END)
    return _marked(text, looks, [(begin, middle[0]), (middle[1], end)])


def _start_of_word(text: ShownText, place: int) -> int:
    """Return where the first word starts that is behind a place; the beginning of the text if it is before that."""
    later = np.flatnonzero(text.starts >= place)
    return int(text.starts[later[0]]) if place > 0 and len(later) else max(0, place)


def _end_of_word(text: ShownText, place: int) -> int:
    """Return where the last word ends that is before a place; the end of the text if it is behind that."""
    earlier = np.flatnonzero(text.ends <= place)
    return int(text.ends[earlier[-1]]) if place < len(text.text) and len(earlier) else min(place, len(text.text))


def _marked(text: ShownText, looks: NDArray[np.int64], parts: Sequence[tuple[int, int]]) -> Markup:
    """Return parts of a text as markup, with … where something is left out."""
    out = ["… " if parts[0][0] else ""]
    for number, (start, end) in enumerate(parts):
        out.append(" […] " if number else "")
        out += _pieces(text, looks, start, end)
    out.append(" …" if parts[-1][1] < len(text.text) else "")
    return Markup("".join(out))


def _pieces(text: ShownText, looks: NDArray[np.int64], start: int, end: int) -> Iterator[str]:
    """Yield a part of a text, in pieces of one look."""
    place, bounds = start, [0, *(np.flatnonzero(np.diff(looks)) + 1).tolist(), len(looks)]
    for first, last in pairwise(bounds):
        if first == last or looks[first] == PLAIN:
            continue
        opens, closes = max(place, int(text.starts[first])), min(end, int(text.ends[last - 1]))
        if opens < closes:
            yield coarse(text.text[place:opens])
            yield f"{OPENINGS[int(looks[first])]}{coarse(text.text[opens:closes])}</mark>"
            place = closes
    yield coarse(text.text[place:end])


def source_views(facts: Mapping[str, Any]) -> tuple[SourceView, ...]:
    """Return the sources of a summary that lose most; what is malformed is left out."""
    rows = facts.get("sources")
    listed = [row for row in (rows if isinstance(rows, list) else []) if _is_source(row)][:SOURCES]
    return tuple(SourceView(short(row["file"]) or "other files", *(row[name] for name in _COUNTS)) for row in listed)


_COUNTS = ("documents", "dropped", "bytes", "dropped_bytes")


def _is_source(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("file"), str):
        return False
    return all(type(row.get(name)) is int and 0 <= row[name] < LARGEST for name in _COUNTS)


PAGE = "summary.html"


def make_ready() -> None:
    """Load the libraries and the template that writing needs, ahead of time."""
    arrow()
    template("clusters")


def write_clusters(
    folder: Path, *, title: str = "Clusters of near-duplicates", evidence: ClusterEvidence | None = None
) -> Path:
    """Write ``summary.html`` into a clustering's folder and return its path. ``evidence`` adds the texts."""
    text = clusters_page(folder, title, datetime.now().astimezone(), evidence)
    path = folder / PAGE
    fresh = folder / f".{PAGE}.{token_hex(4)}.part"
    try:
        fresh.write_bytes(text.encode())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot write the summary: {error.strerror or error}") from error
    return path


def clusters_page(folder: Path, title: str, now: datetime, evidence: ClusterEvidence | None = None) -> str:
    """Return the page."""
    facts = summary(folder)
    options = facts["settings"] if isinstance(facts.get("settings"), dict) else {}
    measure = options["measure"] if options.get("measure") in MEASURES else MEASURES[0]
    documents = ParquetTable(folder / DOCUMENTS_FILE, DOCUMENTS, ("kind",))
    counts = census(documents)
    measures = read_hundredths(facts)
    identical = counts.only_identical()
    listed, left_out = read_left_out(facts)
    clusters = cluster_views(documents, counts)
    texts = TextViews({}, (), (), 0) if evidence is None else text_views(clusters, evidence)
    return render(
        "clusters",
        title=short(title),
        version=VERSION,
        made=f"{now:%Y-%m-%d %H:%M %Z}",
        folder=short(folder.resolve().name),
        documents=len(documents),
        pairs=int(measures.sum()),
        census=counts,
        clusters=clusters,
        texts=texts,
        words=0 if evidence is None else evidence.clustering.scheme.k,
        sources=source_views(facts),
        source_count=read_number(facts, "source_count"),
        dropped_bytes=read_number(facts, "dropped_bytes"),
        sizes=sizes_plot(counts.sizes),
        kinds=kind_bars(counts),
        identical_clusters=int(identical.sum()),
        identical_documents=int(counts.sizes[identical].sum()),
        measure=measure,
        threshold=_threshold(options),
        closure=options.get("closure") is True,
        histogram=histogram(measures.tolist()),
        tenths=tenths(measures),
        phases=read_phases(facts),
        common=read_number(facts, "common_shingles"),
        boilerplate=read_number(facts, "boilerplate_shingles"),
        bytes=read_number(facts, "bytes"),
        left_out=left_out,
        left_out_listed=listed,
        settings=read_settings(facts),
    )


def _threshold(options: Mapping[str, Any]) -> float | None:
    threshold = options.get("threshold")
    return float(threshold) if isinstance(threshold, int | float) and 0 <= threshold <= 1 else None
