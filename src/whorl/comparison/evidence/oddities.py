"""What is odd about one submission: far more padding than its class has, and text that a reader does not see."""

from collections.abc import Iterator, Mapping, Sequence

from whorl.comparison.evidence.characters import FEW, look_alikes, unseen
from whorl.comparison.evidence.finding import Finding, Place, Text, Written
from whorl.comparison.evidence.lexemes import Lexeme, bare, is_program
from whorl.comparison.evidence.literals import shown
from whorl.comparison.evidence.padding import Padding, is_odd, padding
from whorl.comparison.evidence.trait import LEAST
from whorl.matching.lines import Lines

PADDING, UNSEEN, LOOK_ALIKES, HIDDEN = "padding", "unseen characters", "look-alikes", "hidden text"

# Characters of hidden text that a document may have: a label for screen readers, a printer's mark.
LITTLE = 60


class Oddities:
    """Gathers what is odd, a submission at a time."""

    def __init__(self) -> None:
        self._paddings: dict[int, tuple[Padding, Place]] = {}
        self._found: dict[int, list[Finding]] = {}

    def add(self, number: int, written: Written, pieces: Sequence[Sequence[Lexeme]]) -> None:
        """Look at a submission, of whose files the lexemes are known."""
        files = zip(written.files, pieces, strict=True)
        programs = [(file.format, bare(file.text, found)) for file, found in files if is_program(file.format)]
        if programs:
            self._paddings[number] = padding(programs), Place(number, written.files[0].name, 1)
        found = [finding for file in written.files for finding in _deceptions(number, file)]
        if found:
            self._found[number] = found

    def found(self) -> Mapping[int, tuple[Finding, ...]]:
        """What is odd, by the number of the submission."""
        every = {number: list(found) for number, found in self._found.items()}
        if len(self._paddings) >= LEAST:
            everyone = [each.share for each, _ in self._paddings.values()]
            for number, (each, place) in self._paddings.items():
                if is_odd(each, everyone):
                    every.setdefault(number, []).append(_padded(each, place))
        return {number: tuple(found) for number, found in sorted(every.items())}


def _padded(found: Padding, place: Place) -> Finding:
    words = (
        f"Of {found.statements:,} statements, {found.idle:,} set values that nothing reads, and {found.repeated:,}"
        " stand word for word elsewhere in their file: far more than in its class."
    )
    return Finding(PADDING, words, (place,))


def _deceptions(number: int, file: Text) -> Iterator[Finding]:
    places = unseen(file.text)
    if len(places) > FEW:
        yield Finding(
            UNSEEN,
            f"{file.name} has characters that are not seen in {len(places):,} places between its letters.",
            (Place(number, file.name, Lines(file.text).line(places[0])),),
        )
    mixed = look_alikes(file.text)
    if len(mixed) > FEW:
        words = f"In {len(mixed):,} words of {file.name}, letters of another alphabet stand for Latin ones"
        place = Place(number, file.name, Lines(file.text).line(mixed[0][0]))
        yield Finding(LOOK_ALIKES, f"{words}, as in “{shown(mixed[0][1])}”.", (place,))
    letters = sum(map(len, file.unseen))
    if letters > LITTLE:
        words = f"{letters:,} characters of {file.name} are in the document but not seen on its page"
        yield Finding(HIDDEN, f"{words}: “{shown(' '.join(file.unseen))}”.", (Place(number, file.name, 1),))
