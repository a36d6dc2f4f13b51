"""Other names for submissions, files and people, so that a comparison can be shown to somebody else.

What the texts themselves say stays as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import PurePosixPath

from whorl.comparison.intake import Entry
from whorl.comparison.roster import Record
from whorl.frontends.detection import extensions
from whorl.model import Skipped


def anonymise(entries: Sequence[Entry], records: Mapping[str, Record]) -> dict[str, Record]:
    """Give the entries and their files other names, and the records with them. The numbers follow the submissions'
    fingerprints, so they tell nothing of the names or their order."""
    people = sorted({record.person for record in records.values() if record.person}, key=_digest)
    aliases = {person: f"person-{number:03}" for number, person in enumerate(people, 1)}
    renamed = {}
    order = sorted(entries, key=lambda entry: entry.digest())
    for number, entry in enumerate(order, 1):
        record = records.get(entry.name, Record())
        entry.name = f"submission-{number:03}"
        entry.files = [replace(file, name=_alias(i, file.name)) for i, file in enumerate(entry.files, 1)]
        renamed[entry.name] = replace(record, name=None, person=aliases.get(record.person or ""))
    return renamed


def without_names(skipped: Sequence[Skipped]) -> list[Skipped]:
    """What was left out, under other names."""
    aliases = [(item, _alias(number, item.name)) for number, item in enumerate(skipped, 1)]
    return [Skipped(alias, item.reason.replace(item.name, alias)) for item, alias in aliases]


def _alias(number: int, name: str) -> str:
    """Keeps the extension if it is one: what stands behind a dot may be half a name."""
    suffix = PurePosixPath(name).suffix.lower()
    return f"file-{number}{suffix if suffix[1:] in extensions() else ''}"


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass")).digest()
