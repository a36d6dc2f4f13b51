"""What unpacking one archive, with the archives in it, may still cost."""

from whorl.collection.faults import RefusedError
from whorl.collection.ignores import Allowance
from whorl.collection.rules import Rules

# Bytes of all names of an archive: they are held together. 335 for each of 200,000 entries.
NAMES = 64 << 20


def in_words(size: int) -> str:
    """A number of bytes for people: 256 MB."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}"
        amount /= 1024
    return f"{amount:.0f} GB"


class Budget:
    """Counts what is unpacked and how many entries there are. What was spent stays spent: it was work."""

    def __init__(self, packed: int, rules: Rules) -> None:
        self._rules = rules
        self._most = min(rules.total, max(rules.free, rules.ratio * packed))
        self._bytes = 0
        self._entries = 0
        self._names = 0
        self.patterns = Allowance()

    def spend(self, size: int) -> None:
        """Counts bytes before they are unpacked."""
        if self._bytes + size > self._most:
            if self._most == self._rules.total:
                raise RefusedError(f"too large: one archive may unpack to {in_words(self._most)} in all")
            raise RefusedError(f"perhaps a bomb: an archive may grow {self._rules.ratio} times when it is unpacked")
        self._bytes += size

    def enter(self, name: bytes = b"") -> None:
        """Counts a file or a folder, and the name that a directory has for it."""
        self._entries += 1
        self._names += len(name)
        if self._names > NAMES:
            raise RefusedError(f"too many long names: those of one archive may have {in_words(NAMES)} together")
        if self._entries > self._rules.entries:
            raise RefusedError(f"too many entries: one archive may have {self._rules.entries:,}")

    def check_member(self, size: int, packed: int | None = None) -> None:
        """Refuses a member that is too large, or grows too much."""
        if size > self._rules.member:
            raise RefusedError(f"too large: {in_words(size)}; one member may have {in_words(self._rules.member)}")
        if packed is not None and size > max(self._rules.free, self._rules.ratio * packed):
            raise RefusedError(f"perhaps a bomb: it would grow more than {self._rules.ratio} times when it is unpacked")
