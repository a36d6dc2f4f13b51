"""A block for datatrove pipelines: a filter that drops near-duplicates, by a sweep store that all tasks share.

Import it only with datatrove installed; nothing else in Whorl needs it.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from datatrove.pipeline.filters.base_filter import BaseFilter

from whorl.clustering.records import UnreadDocument
from whorl.formats.detection import TEXT
from whorl.model import Document
from whorl.sweep import check_same
from whorl.sweep.result import ScreenedDocument
from whorl.sweep.screening import DUPLICATE
from whorl.sweep.sweep import Sweep, is_sweep

# Documents that are screened and added in one commit.
BATCH = 1000

# Seconds that a task waits for the others to add theirs.
WAIT = 3600.0


class NearDuplicateFilter(BaseFilter):  # type: ignore[misc]
    """Keep documents that are like none before them, in any task and in any earlier pipeline with the same store.

    ``index`` is the folder of a sweep store, made if it does not exist; all tasks must reach it. Settings such as
    ``threshold`` and ``measure`` are fixed when it is made. A document is known by its id, so a task that is run again
    gets the same answers. Tasks take turns in adding; of documents that tasks read at the same time, the first added
    stays. A dropped document says in its metadata which one it is like (``whorl_duplicate_of``).
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
        if not is_sweep(self.index):
            Sweep.create(self.index, **settings).close()
        with Sweep.open(self.index) as store:
            check_same(store.settings, settings)

    def filter(self, doc: Any) -> bool | tuple[bool, str]:
        """Return whether a document stays, or why not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: Sequence[Any]) -> list[bool | tuple[bool, str]]:
        """Screen documents, and add those that stay to the store."""
        answers: list[bool | tuple[bool, str]] = []
        documents = iter(batch)

        def note(answer: ScreenedDocument) -> None:
            document = next(documents)
            if answer.state == DUPLICATE:
                document.metadata["whorl_duplicate_of"] = answer.matches[0].of
            answers.append((False, "near_duplicate") if answer.state == DUPLICATE else True)

        # Opened for each batch: other tasks have added to it since the last one.
        with Sweep.open(self.index) as store:
            store.add_new_items(
                map(_item, batch), datetime.now(UTC).date().isoformat(), note, again=True, wait=self.wait
            )
        return answers


def _item(doc: Any) -> Document:
    if not doc.text or doc.text.isspace():
        return UnreadDocument(doc.id, "", reason="no text")
    url, date = (value if isinstance(value := doc.metadata.get(name), str) else None for name in ("url", "date"))
    return Document(doc.id, doc.text, url=url, date=date, format=TEXT)
