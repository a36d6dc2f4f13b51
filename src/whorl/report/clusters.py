"""The summary of a clustering as one web page, made of what ``whorl cluster`` wrote into its folder."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from whorl._version import VERSION
from whorl.clustering.settings import MEASURES
from whorl.clustering.written import DOCUMENTS_FILE, Table, summary
from whorl.corpus.parquet import DOCUMENTS, arrow
from whorl.errors import InputError
from whorl.report import clusters_told as tells
from whorl.report import clusters_view as view
from whorl.report.clusters_census import census
from whorl.report.clusters_names import short
from whorl.report.clusters_plots import sizes_plot, tenths
from whorl.report.histogram import histogram
from whorl.report.pages import render, template

PAGE = "summary.html"


def make_ready() -> None:
    """Reads in what writing takes, for who has nothing to write yet."""
    arrow()
    template("clusters")


def write_clusters(folder: Path, *, title: str = "Clusters of near-duplicates") -> Path:
    """Writes ``summary.html`` into a clustering's folder, beside the tables that it is made of, and gives its path."""
    text = clusters_page(folder, title, datetime.now().astimezone())
    path = folder / PAGE
    fresh = folder / f".{PAGE}.{token_hex(4)}.part"
    try:
        fresh.write_bytes(text.encode())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(f"{path}: the summary cannot be written: {error.strerror or error}") from error
    return path


def clusters_page(folder: Path, title: str, made: datetime) -> str:
    """The page, whole."""
    told = summary(folder)
    asked = told["settings"] if isinstance(told.get("settings"), dict) else {}
    measure = asked["measure"] if asked.get("measure") in MEASURES else MEASURES[0]
    documents = Table(folder / DOCUMENTS_FILE, DOCUMENTS, ("kind",))
    counted = census(documents)
    measures = tells.hundredths(told)
    identical = counted.only_identical()
    listed, left_out = tells.left_out(told)
    return render(
        "clusters",
        title=short(title),
        version=VERSION,
        made=f"{made:%Y-%m-%d %H:%M %Z}",
        folder=short(folder.resolve().name),
        documents=len(documents),
        pairs=int(measures.sum()),
        census=counted,
        clusters=view.cluster_views(documents, counted),
        sizes=sizes_plot(counted.sizes),
        kinds=view.kind_bars(counted),
        identical_clusters=int(identical.sum()),
        identical_documents=int(counted.sizes[identical].sum()),
        measure=measure,
        threshold=_threshold(asked),
        closure=asked.get("closure") is True,
        histogram=histogram(measures.tolist()),
        tenths=tenths(measures),
        phases=tells.phases(told),
        common=tells.number(told, "common_shingles"),
        bytes=tells.number(told, "bytes"),
        left_out=left_out,
        left_out_listed=listed,
        settings=tells.settings(told),
    )


def _threshold(asked: Mapping[str, Any]) -> float | None:
    given = asked.get("threshold")
    return float(given) if isinstance(given, int | float) and 0 <= given <= 1 else None
