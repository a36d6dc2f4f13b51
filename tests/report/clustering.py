"""Folders as ``whorl cluster`` writes them, made without clustering."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whorl.clustering.output import hundredths
from whorl.formats.corpora.parquet import DOCUMENTS, write_table

SUMMARY: dict[str, Any] = {
    "scheme": "text-words-10",
    "common_shingles": 12,
    "bytes": 123_456,
    "settings": {"threshold": 0.5, "measure": "resemblance", "common": 1000, "closure": False, "memory": 1 << 30},
    "phases": [
        {"name": "sketching", "seconds": 90.0, "cpu_seconds": 170.5, "items": 4, "bytes": 5000},
        {"name": "joining", "seconds": 0.5, "cpu_seconds": 0.5, "items": 2, "bytes": 10},
    ],
    "skipped": [{"file": "corpus.jsonl", "row": 17, "reason": "no text"}],
}


class Row(NamedTuple):
    """A document; its cluster is the number of the row that stands for it."""

    id: str
    cluster: int
    similarity: float = 1.0
    kind: str = "unique"
    url: str | None = None
    date: str | None = None


def write_folder(folder: Path, rows: Sequence[Row], pairs: Sequence[tuple[str, str, float]] = (), **more: Any) -> Path:
    """The files that the page is made of."""
    folder.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Any] = {
        name: [getattr(row, name) for row in rows] for name in DOCUMENTS if name != "representative"
    }
    columns["representative"] = [rows[row.cluster].id for row in rows]
    write_table(folder / "documents.parquet", columns, DOCUMENTS)
    counted = hundredths(np.array([value for _, _, value in pairs]))
    (folder / "summary.json").write_text(json.dumps({**SUMMARY, "pairs_by_hundredth": counted.tolist(), **more}))
    return folder


def songs() -> list[Row]:
    """Two clusters, one of identical documents only, and one document alone."""
    return [
        Row("song", 0, url="http://a.example/song", date="2020-01-01"),
        Row("tale", 1),
        Row("copy", 0, 1.0, "identical", "https://b.example/copy?x=1&y=2"),
        Row("loud", 0, 1.0, "lexical"),
        Row("more", 0, 0.6, "near", "ftp://c.example/more"),
        Row("poem", 5),
        Row("poem again", 5, 1.0, "identical"),
    ]
