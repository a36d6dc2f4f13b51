"""``whorl.cluster``: documents in, clusters out. The steps are the paper's four."""

import tempfile
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import Any

from whorl.clustering.features import Features
from whorl.clustering.records import Item
from whorl.clustering.result import Clustering
from whorl.clustering.run import SKETCH, Progress, Run
from whorl.clustering.settings import ClusterSettings
from whorl.model import Document
from whorl.scheme import Scheme, resolve


def cluster(
    documents: Iterable[str | Path | Document | Features],
    scheme: Scheme | str = "pages",
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Clustering:
    """Group documents into clusters of near-duplicates. A string is a text, a path a file; ``Features`` are any object.

    What does not fit into ``memory`` is kept in a folder of its own below ``folder``, which is removed at the end. The
    other settings are those of ``ClusterSettings``.
    """
    asked = ClusterSettings(**settings)
    with (
        tempfile.TemporaryDirectory(prefix="whorl-", dir=folder) as home,
        Run(Path(home), resolve(scheme), asked, progress=progress) as run,
    ):
        run.sketch(_named(documents, progress))
        run.pair()
        return run.join().held()


def _named(documents: Iterable[str | Path | Document | Features], progress: Progress | None) -> Iterator[Item]:
    total = len(documents) if isinstance(documents, Sized) else None
    for number, document in enumerate(documents):
        if progress is not None:
            progress(SKETCH, number, total)
        if isinstance(document, Document | Features):
            yield document
        else:
            yield Document(str(document) if isinstance(document, Path) else str(number), document)
