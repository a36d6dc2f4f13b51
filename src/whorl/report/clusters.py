"""The summary of a clustering as one web page, from the files that ``whorl cluster`` wrote."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl._version import VERSION
from whorl.clustering import MEASURES
from whorl.clustering.output import BINS, DOCUMENTS_FILE, HUNDREDTHS, ParquetTable, summary
from whorl.errors import InputError
from whorl.formats.corpora.parquet import DOCUMENTS, arrow
from whorl.report.cluster_views import census, cluster_views, kind_bars
from whorl.report.markup import short
from whorl.report.pages import render, template
from whorl.report.plots import histogram, share, sizes_plot, tenths

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


PAGE = "summary.html"


def make_ready() -> None:
    """Load the libraries and the template that writing needs, ahead of time."""
    arrow()
    template("clusters")


def write_clusters(folder: Path, *, title: str = "Clusters of near-duplicates") -> Path:
    """Write ``summary.html`` into a clustering's folder and return its path."""
    text = clusters_page(folder, title, datetime.now().astimezone())
    path = folder / PAGE
    fresh = folder / f".{PAGE}.{token_hex(4)}.part"
    try:
        fresh.write_bytes(text.encode())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot write the summary: {error.strerror or error}") from error
    return path


def clusters_page(folder: Path, title: str, now: datetime) -> str:
    """Return the page."""
    facts = summary(folder)
    options = facts["settings"] if isinstance(facts.get("settings"), dict) else {}
    measure = options["measure"] if options.get("measure") in MEASURES else MEASURES[0]
    documents = ParquetTable(folder / DOCUMENTS_FILE, DOCUMENTS, ("kind",))
    counts = census(documents)
    measures = read_hundredths(facts)
    identical = counts.only_identical()
    listed, left_out = read_left_out(facts)
    return render(
        "clusters",
        title=short(title),
        version=VERSION,
        made=f"{now:%Y-%m-%d %H:%M %Z}",
        folder=short(folder.resolve().name),
        documents=len(documents),
        pairs=int(measures.sum()),
        census=counts,
        clusters=cluster_views(documents, counts),
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
