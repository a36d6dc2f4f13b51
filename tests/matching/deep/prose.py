"""Texts out of a seeded word model, copies of passages in them, and edits of the copies."""

import random
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from whorl.matching.passage import Passage, Side

_ONSETS = (
    "b",
    "bl",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "h",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "s",
    "st",
    "t",
    "v",
)
_VOWELS = ("a", "e", "i", "o", "u", "ea", "ai", "ou")
_CODAS = ("", "", "n", "r", "s", "t", "l", "nd", "st", "m")


class Model:
    """Words by Zipf's law. The commonest are short, as in every language, and each has words that often follow it, so
    that texts with nothing in common share phrases."""

    def __init__(self, seed: int = 1, size: int = 6000) -> None:
        draw = random.Random(seed)
        found: dict[str, None] = {}
        while len(found) < size:
            syllables = 1 if len(found) < 120 else draw.choice((2, 2, 3))
            found["".join(draw.choice(part) for _ in range(syllables) for part in (_ONSETS, _VOWELS, _CODAS))] = None
        self.words = list(found)
        self._sums = list(accumulate(1 / (rank + 2) for rank in range(size)))
        self._after = [[self._any(draw) for _ in range(4)] for _ in range(size)]

    def text(self, seed: int, words: int) -> list[str]:
        """Sentences of about so many words together."""
        draw = random.Random(seed)
        sentences, count = [], 0
        while count < words:
            sentence = self.sentence(draw)
            sentences.append(sentence)
            count += len(sentence.split())
        return sentences

    def sentence(self, draw: random.Random) -> str:
        """One sentence."""
        row = [self._any(draw)]
        for _ in range(draw.randint(7, 25)):
            row.append(draw.choice(self._after[row[-1]]) if draw.random() < 0.2 else self._any(draw))
        return " ".join(self.words[number] for number in row).capitalize() + "."

    def word(self, draw: random.Random) -> str:
        """Any word."""
        return self.words[self._any(draw)]

    def _any(self, draw: random.Random) -> int:
        return min(len(self._sums) - 1, bisect(self._sums, draw.random() * self._sums[-1]))


MODEL = Model()


def edited(sentences: Sequence[str], share: float, seed: int, model: Model = MODEL) -> list[str]:
    """Sentences with a share of their words changed: half of those replaced, a quarter dropped, and new ones put before
    a quarter."""
    draw = random.Random(seed)
    return [_edited(sentence, share, draw, model) for sentence in sentences]


def _edited(sentence: str, share: float, draw: random.Random, model: Model) -> str:
    out: list[str] = []
    for word in sentence.split():
        if draw.random() >= share:
            out.append(word)
        else:
            out += draw.choice(([model.word(draw)], [model.word(draw)], [], [model.word(draw), word]))
    return " ".join(out) or "."


@dataclass(frozen=True)
class Case:
    """Two texts, and the spans of one passage in both."""

    left: str
    right: str
    spans: tuple[tuple[int, int], tuple[int, int]]


def case(seed: int, share: float = 0.0, words: int = 150, around: int = 500) -> Case:
    """A passage of one text, edited, in another."""
    passage = MODEL.text(seed * 7 + 1, words)
    sides = [(passage, seed * 7 + 2), (edited(passage, share, seed), seed * 7 + 4)]
    texts = [embedded(inner, other, around) for inner, other in sides]
    return Case(texts[0][0], texts[1][0], (texts[0][1], texts[1][1]))


def embedded(inner: Iterable[str], seed: int, around: int) -> tuple[str, tuple[int, int]]:
    """Sentences between others, about as many words on each side; the whole text, and their span in it."""
    before, after = " ".join(MODEL.text(seed, around)), " ".join(MODEL.text(seed + 1, around))
    middle = " ".join(inner)
    return f"{before} {middle} {after}", (len(before) + 1, len(before) + 1 + len(middle))


def f1(cases: Iterable[tuple[Case, Sequence[Passage]]]) -> float:
    """The harmonic mean of precision and recall, by the characters of both sides of all cases."""
    both = found = wanted = 0
    for each, passages in cases:
        for number, (start, end) in enumerate(each.spans):
            sides = [(side.start, side.end) for side in (_side(passage, number) for passage in passages)]
            marked = {place for a, b in sides for place in range(a, b)}
            both += sum(start <= place < end for place in marked)
            found += len(marked)
            wanted += end - start
    return 2 * both / (found + wanted)


def _side(passage: Passage, number: int) -> Side:
    return passage.right if number else passage.left
