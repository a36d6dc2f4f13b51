"""What an attack does to scores: those of attacked copies, beside those of people who solved the same task alone."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from experiments.attacks.catalogue import PROGRAMS, PROSE, Attack, ProseAttack
from experiments.attacks.program import Program, programs
from experiments.attacks.prose.text import Prose, prose
from experiments.attacks.running import behaves
from experiments.attacks.scoring import Files, Scores, scores
from experiments.attacks.syntax import parses

# Topics of prose, and texts on each.
TOPICS, AUTHORS = 4, 3

COPY = "copy-of-{}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scores under an attack: of every attacked copy with its original, and of independent pairs of one task."""

    attack: str
    subject: str
    copies: tuple[float, ...]
    independents: tuple[float, ...]

    @property
    def gap(self) -> float:
        """How far the median copy is above the median independent pair."""
        return median(self.copies) - median(self.independents)


class BrokenAttackError(Exception):
    """An attack made a program that does not parse, or no longer does what it should."""


def attacked(program: Program, attack: Attack, seed: int) -> Program:
    """Return a copy under an attack, checked: it parses, and if it is Python it still behaves."""
    copy = attack(program, random.Random(f"{seed} {program.language} {program.name}"))
    for name, text in copy.files:
        if not parses(copy.language, text):
            raise BrokenAttackError(f"{program.name}: {name} does not parse after the attack")
    if copy.language == "python" and copy != program and not behaves(copy):
        raise BrokenAttackError(f"{program.name}: it does not do the same after the attack")
    return copy


def on_programs(language: str, seed: int, names: Sequence[str] = (), *, normal_form: bool = True) -> Iterator[Outcome]:
    """The outcome of every attack on the examples in a language; programs that an attack leaves alone are left out."""
    originals = programs(language)
    pairs = [(one.name, two.name) for one, two in combinations(originals, 2) if one.task == two.task]
    for name in names or PROGRAMS:
        copies = {each.name: attacked(each, PROGRAMS[name], seed) for each in originals}
        changed = {key: copy.files for key, copy in copies.items() if copy not in originals}
        if changed:
            whole = {each.name: each.files for each in originals}
            found = scores({**whole, **_renamed(changed)}, "code", normal_form=normal_form)
            yield _outcome(name, language, found, changed, pairs)


def on_prose(seed: int, names: Sequence[str] = ()) -> Iterator[Outcome]:
    """Yield the outcome of every attack on texts of the word model."""
    originals = [prose(topic, author, seed) for topic in range(TOPICS) for author in range(AUTHORS)]
    pairs = [(one.name, two.name) for one, two in combinations(originals, 2) if one.topic == two.topic]
    whole = {each.name: _file(each.text) for each in originals}
    for name in names or PROSE:
        copies = {each.name: _file(_disguised(each, PROSE[name], seed)) for each in originals}
        yield _outcome(name, "prose", scores({**whole, **_renamed(copies)}, "text"), copies, pairs)


def rises(language: str) -> list[float]:
    """By how much each pair of programs for different tasks scores more with the normal form than without."""
    whole = {each.name: each.files for each in programs(language)}
    plain, both = (scores(whole, "code", normal_form=normal_form) for normal_form in (False, True))
    pairs = combinations(programs(language), 2)
    unrelated = [(one.name, two.name) for one, two in pairs if one.task != two.task]
    return [both.of(*pair) - plain.of(*pair) for pair in unrelated]


def _disguised(text: Prose, attack: ProseAttack, seed: int) -> str:
    return attack(text, random.Random(f"{seed} {text.name}"))


def _file(text: str) -> Files:
    return (("text.txt", text),)


def _renamed(copies: Mapping[str, Files]) -> dict[str, Files]:
    return {COPY.format(name): files for name, files in copies.items()}


def _outcome(
    attack: str, subject: str, found: Scores, copies: Mapping[str, Files], pairs: Sequence[tuple[str, str]]
) -> Outcome:
    own = tuple(found.of(name, COPY.format(name)) for name in copies)
    return Outcome(attack, subject, own, tuple(found.of(*pair) for pair in pairs))
