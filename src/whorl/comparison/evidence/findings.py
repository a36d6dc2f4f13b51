"""``findings``: the texts of a class in, what is shared by few and what is odd about one out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from whorl.comparison.evidence.blanks import BLANKS, blanks
from whorl.comparison.evidence.finding import Finding, Findings, Place, Text, Written
from whorl.comparison.evidence.lexemes import Lexeme, is_program, lexemes
from whorl.comparison.evidence.literals import COMMENT, LITERAL, literals
from whorl.comparison.evidence.misspellings import MISSPELLING, Spelling, words
from whorl.comparison.evidence.oddities import Oddities
from whorl.comparison.evidence.trait import Holders, Trait
from whorl.matching.lines import Lines

# Findings of one kind that a pair gets, those that the fewest have first. More is said in the last one's words.
SHOWN = 10

# The order of the kinds.
KINDS = (MISSPELLING, COMMENT, LITERAL, BLANKS)

WORDS = {
    COMMENT: "Both have the comment “{}”",
    LITERAL: "Both have the literal {}",
    BLANKS: "Both have {}, in lines of the same shape",
    MISSPELLING: "Both write “{}”, where others write “{}”",
}


def findings(submissions: Iterable[Written], base: Iterable[Written] = ()) -> Findings:
    """What the submissions of a class share that few others have, and what is odd about each.

    Submissions are looked at one at a time, so they may be read when they are asked for. What stands in ``base`` too is
    nobody's. Numbers are those of the order in which submissions come.
    """
    return _Finding(base).run(submissions)


class _Finding:
    def __init__(self, base: Iterable[Written]) -> None:
        self._given = {
            (trait.kind, trait.key) for written in base for _, trait in _traits(written.files, _pieces(written.files))
        }
        self._holders, self._spelling, self._oddities = Holders(), Spelling(), Oddities()

    def run(self, submissions: Iterable[Written]) -> Findings:
        count = 0
        for number, written in enumerate(submissions):
            pieces = _pieces(written.files)
            self._add(number, written, pieces)
            self._oddities.add(number, written, pieces)
            count = number + 1
        return Findings(self._oddities.found(), self._pairs(count))

    def _add(self, number: int, written: Written, pieces: Sequence[Sequence[Lexeme]]) -> None:
        own: dict[tuple[str, str], tuple[Text, Trait]] = {}
        for file, trait in _traits(written.files, pieces):
            own.setdefault((trait.kind, trait.key), (file, trait))
        self._spelling.add(key for kind, key in own if kind == MISSPELLING)
        lines: dict[str, Lines] = {}
        for key, (file, trait) in own.items():
            if key not in self._given:
                if file.name not in lines:
                    lines[file.name] = Lines(file.text)
                self._holders.add(trait, Place(number, file.name, lines[file.name].line(trait.start)))

    def _pairs(self, count: int) -> Mapping[tuple[int, int], tuple[Finding, ...]]:
        rare = list(self._holders.rare(count))
        meant = self._spelling.meant(trait.key for trait, _ in rare if trait.kind == MISSPELLING)
        by_pair: dict[tuple[int, int], list[tuple[Trait, Mapping[int, Place]]]] = defaultdict(list)
        for trait, places in rare:
            if trait.kind != MISSPELLING or trait.key in meant:
                numbers = sorted(places)
                for at, left in enumerate(numbers):
                    for right in numbers[at + 1 :]:
                        by_pair[left, right].append((trait, places))
        return {pair: tuple(_told(pair, shared, meant, count)) for pair, shared in sorted(by_pair.items())}


def _pieces(files: Sequence[Text]) -> list[list[Lexeme]]:
    """The lexemes of each file; none of what is no program."""
    return [list(lexemes(file.format, file.text)) if is_program(file.format) else [] for file in files]


def _traits(files: Sequence[Text], pieces: Sequence[Sequence[Lexeme]]) -> Iterator[tuple[Text, Trait]]:
    for file, found in zip(files, pieces, strict=True):
        for trait in words(file.text):
            yield file, trait
        if is_program(file.format):
            for lexeme in found:
                for trait in literals(lexeme):
                    yield file, trait
            for trait in blanks(file.text, file.given):
                yield file, trait


def _told(
    pair: tuple[int, int],
    shared: Sequence[tuple[Trait, Mapping[int, Place]]],
    meant: Mapping[str, str],
    count: int,
) -> Iterator[Finding]:
    for kind in KINDS:
        mine = sorted(
            ((trait, places) for trait, places in shared if trait.kind == kind),
            key=lambda each: (len(each[1]), each[1][pair[0]].file, each[1][pair[0]].line, each[0].key),
        )
        for number, (trait, places) in enumerate(mine[:SHOWN], 1):
            more = f" And {len(mine) - SHOWN:,} more." if number == SHOWN < len(mine) else ""
            said = WORDS[kind].format(trait.shown, meant.get(trait.key, ""))
            yield Finding(kind, f"{said}; {_others(len(places), count)}.{more}", (places[pair[0]], places[pair[1]]))


def _others(holders: int, count: int) -> str:
    if holders == 2:
        return f"none of the other {count - 2:,} submissions does"
    return f"{holders:,} of all {count:,} submissions do"
