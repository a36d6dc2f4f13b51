"""A corpus of files on Spark: every path that is named is read by one task, with the readers of one machine.

Folders, archives, JSONL, Parquet and WARC alike. So a large corpus is named as its many files, not as their folder.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from whorl.backends.rows import item
from whorl.backends.spark.cluster import clustered as run
from whorl.backends.spark.sketching import Opener, Read
from whorl.clustering.result import Clustering
from whorl.clustering.settings import ClusterSettings
from whorl.collection.rules import Rules
from whorl.corpus.read import read_sheets
from whorl.corpus.records import Columns, Fault
from whorl.corpus.sheets import Sheet
from whorl.errors import InputError
from whorl.scheme import Scheme


def clustered(
    spark: SparkSession,
    paths: Sequence[Path],
    columns: Columns,
    rules: Rules,
    scheme: Scheme,
    folder: Path,
    corpus: str,
    settings: ClusterSettings,
) -> tuple[Clustering, list[Fault]]:
    """The clusters of all documents of some paths, and what is wrong with the paths."""
    if not paths:
        raise InputError("name the documents, too: Spark finds by their names what is done already")
    named = [path.resolve() for path in paths]
    for path in named:
        read_sheets(path, columns, rules)  # refuses a path or a column before any work
    each = spark.range(0, len(named), 1, len(named))
    opener = _opener(named, columns, rules)
    found = run(each, opener, scheme, str(folder.resolve()), corpus, **asdict(settings))
    return found.collected(), found.all_faults()


def _opener(paths: Sequence[Path], columns: Columns, rules: Rules) -> Opener:
    def opened(part: int, coming: Iterable[Any]) -> Iterator[Read]:
        for batch in coming:
            for number in batch.column(0).to_pylist():
                prefix = f"{paths[number].name}/" if len(paths) > 1 else ""
                for found in read_sheets(paths[number], columns, rules, prefix=prefix):
                    yield found if isinstance(found, Fault | Sheet) else item(found)

    return opened
