"""All about one person, packed: documents that they own or are the contact of, with texts, and lines of the log."""

import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import IO, Any

from whorl.index.entry import Entry
from whorl.service.desk import Desk
from whorl.service.documents import stored
from whorl.service.naming import checked_fact
from whorl.service.principal import Principal
from whorl.service.problems import missing
from whorl.service.reader import Reader
from whorl.service.tokens import Scope

# Rows that are read at a time, and bytes of a packed export that stay in memory.
BATCH, IN_MEMORY = 2000, 4 << 20


def export(desk: Desk, principal: Principal, person: str) -> IO[bytes]:
    """An archive, from its beginning: ``documents.jsonl``, ``texts/<id>.txt``, ``audit.jsonl``, ``receipts.jsonl``. The
    caller closes it."""
    principal.require(Scope.ADMIN)
    checked_fact(person, "person")
    made: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        if not _filled(desk, person, made):
            raise missing("Anything about this person")
    except BaseException:
        made.close()
        raise
    desk.note(principal, "export person", "", person)
    made.seek(0)
    return made


def _filled(desk: Desk, person: str, made: IO[bytes]) -> bool:
    """Whether there was anything to write."""
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        with desk.searching() as index, index.reading():
            documents = list(_documents(index, person, archive))
        lines = [asdict(line) for line in desk.audit.about(person)]
        receipts = [asdict(each) for each in desk.receipts.listed(person, limit=1 << 30)]
        for name, rows in (("documents", documents), ("audit", lines), ("receipts", receipts)):
            archive.writestr(f"{name}.jsonl", _rows(rows))
    return bool(documents or lines or receipts)


def _documents(index: Reader, person: str, archive: zipfile.ZipFile) -> Iterator[dict[str, Any]]:
    for entry in _entries(index):
        if person in (entry.owner, entry.contact):
            text = index.text_of(entry)
            if text is not None:
                archive.writestr(f"texts/{entry.id}.txt", text.encode("utf-8", "surrogatepass"))
            yield asdict(stored(entry))


def _entries(index: Reader) -> Iterator[Entry]:
    after = 0
    while page := index.page_by_number(after, BATCH):
        yield from page
        after = page[-1].id


def _rows(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, default=str)}\n" for row in rows)
