"""How far a packed document may expand. All defaults are here."""

from dataclasses import dataclass

from whorl.errors import DocumentError

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What a packed document may become before it is refused."""

    # Bytes out, of all parts that are read. The text of a thousand pages is 3 MB, and 30 MB of XML in an office file.
    total: int = 128 * MEGABYTE
    # Bytes out for each byte in. XML shrinks to a tenth, or a hundredth where it is monotonous; a bomb to a thousandth.
    ratio: int = 200
    # Bytes out before the ratio counts: a small part that is all blanks shrinks as well as a bomb does.
    floor: int = 8 * MEGABYTE
    # Parts. A book with a picture on each of a thousand pages has some thousands.
    entries: int = 10_000

    def check_entries(self, count: int) -> None:
        """Refuse too many parts."""
        if count > self.entries:
            raise DocumentError(f"it has more than {self.entries} parts")

    def check_size(self, part: str, packed: int, out: int, total: int) -> None:
        """Refuse a part that has become too large so far, or all that was read in total."""
        if out > self.floor and out > self.ratio * max(packed, 1):
            raise DocumentError(f"its part {part} expands more than {self.ratio} times")
        if total > self.total:
            raise DocumentError(f"its parts expand to more than {self.total // MEGABYTE} MB")
