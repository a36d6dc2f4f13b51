"""Which documents are to be rotated: those whose fingerprints are old, and those that are searched unusually often."""

from collections.abc import Iterator

from whorl.registry.entry import Entry, today
from whorl.registry.registry import Registry


def due(registry: Registry, *, older_than: int | None = None, suspicious: bool = False) -> Iterator[Entry]:
    """The documents whose fingerprints were drawn at least so many days ago, or that are suspicious; the oldest first.

    Without either, all of them.
    """
    active = registry.activity() if suspicious else {}
    everyone = sorted(registry.entries(), key=lambda entry: (entry.drawn, entry.serial))
    for entry in everyone:
        is_old = older_than is not None and today() - entry.drawn >= older_than
        is_active = entry.number in active and active[entry.number].is_suspicious
        if is_old or is_active or (older_than is None and not suspicious):
            yield entry
