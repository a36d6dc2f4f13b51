"""A block for datatrove pipelines: a filter that drops near-duplicates, by a sweep store that all tasks share.

Import it only with datatrove installed; nothing else in Whorl needs it.
"""

import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from datatrove.pipeline.filters.base_filter import BaseFilter

from whorl.clustering.records import UnreadDocument
from whorl.formats.corpora.records import DigestSet
from whorl.formats.detection import TEXT
from whorl.model import Document
from whorl.sweep import check_same
from whorl.sweep.result import ScreenedDocument
from whorl.sweep.screening import DUPLICATE, UNREAD
from whorl.sweep.sweep import Sweep, is_sweep

# Documents that are screened and added in one commit.
BATCH = 1000

# Where readers note the file of a document, and the name of one with neither file nor id.
FILE_PATH, UNNAMED = "file_path", "unnamed"

# Seconds that a task waits for the others to add theirs.
WAIT = 3600.0


class NearDuplicateFilter(BaseFilter):  # type: ignore[misc]
    """Keep documents that are like none before them, in any task and in any earlier pipeline with the same store.

    ``index`` is the folder of a sweep store, made if it does not exist; all tasks must reach it. Settings such as
    ``threshold`` and ``measure`` are fixed when it is made. Tasks take turns in adding; of documents that tasks read at
    the same time, the first added stays. A dropped document says in its metadata which one it is like
    (``whorl_duplicate_of``).

    A document is known by its file, which readers note in its metadata (``file_path``), and by its id. One with a known
    file, id and text is the same document, so that a task that is run again gets the same answers; a second one in the
    same task is a copy. Without ``file_path``, exact copies with one id in several tasks stay, with a warning.
    """

    name = "whorl near-duplicates"

    def __init__(
        self,
        index: str | Path,
        *,
        exclusion_writer: Any = None,
        batch_size: int = BATCH,
        wait: float = WAIT,
        **settings: Any,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)
        self.index, self.wait = Path(index), wait
        # What this task has read. Made when it reads: executors copy the block to their tasks.
        self._read: DigestSet | None = None
        self._is_warned = False
        if not is_sweep(self.index):
            Sweep.create(self.index, **settings).close()
        with Sweep.open(self.index) as store:
            check_same(store.settings, settings)

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Filter the documents of a task."""
        self._read = None
        try:
            yield from super().run(data, rank, world_size)
        finally:
            self._read = None

    def filter(self, doc: Any) -> bool | tuple[bool, str]:
        """Return whether a document stays, or why not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: Sequence[Any]) -> list[bool | tuple[bool, str]]:
        """Screen documents, and add those that stay to the store."""
        answers: list[bool | tuple[bool, str]] = []
        items = [_item(doc) for doc in batch]
        self._warn_of_ids(batch)
        documents = zip(batch, items, self._repeated(items), strict=True)

        def note(answer: ScreenedDocument) -> None:
            document, item, is_repeated = next(documents)
            is_dropped = answer.state == DUPLICATE or (is_repeated and answer.state != UNREAD)
            if is_dropped:
                # A repeated document that the store takes for one that it accepted is a copy of that one.
                of = answer.matches[0].of if answer.state == DUPLICATE else item.name
                document.metadata["whorl_duplicate_of"] = of
            answers.append((False, "near_duplicate") if is_dropped else True)

        # Opened for each batch: other tasks have added to it since the last one.
        with Sweep.open(self.index) as store:
            store.add_new_items(items, datetime.now(UTC).date().isoformat(), note, again=True, wait=self.wait)
        return answers

    def _repeated(self, items: Sequence[Document]) -> list[bool]:
        """Return which documents this task has read before: the same file, id and text."""
        if self._read is None:
            self._read = DigestSet()
        contents = (f"{item.name}\0{item.content!s}".encode("utf-8", "surrogatepass") for item in items)
        return [not is_new for is_new in self._read.add_all(contents).tolist()]

    def _warn_of_ids(self, batch: Sequence[Any]) -> None:
        if not self._is_warned and not all(doc.metadata.get(FILE_PATH) for doc in batch):
            self._is_warned = True
            warnings.warn(
                f"documents have no {FILE_PATH!r} in their metadata and are known by their ids alone: exact copies "
                "with one id in several tasks or pipelines stay",
                stacklevel=3,
            )


def _item(doc: Any) -> Document:
    """Return a document under a name that only its copies in the same file share."""
    identity = "" if doc.id is None else str(doc.id)
    name = ":".join(map(str, filter(None, (doc.metadata.get(FILE_PATH), identity)))) or UNNAMED
    if not doc.text or doc.text.isspace():
        return UnreadDocument(name, "", reason="no text")
    date = doc.metadata.get("date")
    return Document(name, doc.text, date=date if isinstance(date, str) else None, format=TEXT)
