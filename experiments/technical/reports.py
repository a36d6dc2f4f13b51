"""Technical reports as one school writes them: the same addresses and sponsors, turns of phrase, and citations.

What a report shares with others by habit is what the Koala paper reduces: title pages and acknowledgements (its section
6.3), strings that a collection has in common (6.2), and turns of phrase, which are made of common words (6.1).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from experiments.crawl.chance import uniforms
from experiments.crawl.words import vocabulary, zipf

Chances = NDArray[np.float64]

# Words of a report: the paper's have 82 kB on average. Log-normal, as the lengths of files are; the shortest in means.
MEAN_WORDS, SPREAD, SHORTEST = 13_500, 0.6, 0.2

# Words of a sentence, and sentences of a paragraph.
SENTENCE, PARAGRAPH = 17, 6

# Collocations of common words ("in order to", "it is easy to"): how many there are, the ranks of their words, how many
# words each has. One sentence in so many begins with one.
COLLOCATIONS, COMMON_WORDS, COLLOCATION_WORDS, COLLOCATION_IN = 80, 300, (3, 5), 2

# Turns of phrase, each of several collocations: "it is easy to see that", "the rest of this paper is organised as
# follows". A report has them now and then, and those of other reports among them.
PHRASES, PHRASE_PARTS, PHRASE_IN = 1500, (3, 6), 30

# What the school has published, and how much of it a report cites: names and titles, so that words are rare.
WORKS, CITED, WORK_WORDS = 8000, (8, 24), (10, 22)

# Sponsors and disclaimers, of which a report has two, and addresses, of which it has one.
NOTICES, NOTICE_WORDS, ADDRESSES, ADDRESS_WORDS = 8, (30, 60), 3, (14, 22)

# Streams of random numbers that are no report's own: see ``uniforms``.
_PHRASE, _WORK, _NOTICE, _ADDRESS, _COLLOCATION = -11, -12, -13, -14, -15

# What random numbers are for, within a report's own.
_FACTS, _BODY, _TURNS, _CITED = range(4)


@dataclass(frozen=True)
class School:
    """Reports by number, of ``words`` on average: each is made from its number and the school's seed alone."""

    seed: int = 1
    words: int = MEAN_WORDS

    def report(self, number: int) -> str:
        """Title page, body, references."""
        facts = uniforms(12, self.seed, number, _FACTS)
        return "\n\n".join([self._title_page(facts), *self.body(number), "References", *self._references(number)])

    def body(self, number: int, words: int | None = None) -> list[str]:
        """Paragraphs, of so many words in all or of as many as the report has."""
        facts = uniforms(12, self.seed, number, _FACTS)
        count = int(self.words * _length(facts)) if words is None else words
        spoken: list[str] = vocabulary()[zipf(uniforms(count, self.seed, number, _BODY))].tolist()
        sentences = [spoken[start : start + SENTENCE] for start in range(0, count, SENTENCE)]
        chances = uniforms(2 * len(sentences), self.seed, number, _TURNS)
        result = [
            _sentence([*self._turn(chances[2 * at], chances[2 * at + 1]), *sentence])
            for at, sentence in enumerate(sentences)
        ]
        return [" ".join(result[start : start + PARAGRAPH]) for start in range(0, len(result), PARAGRAPH)]

    def _turn(self, chance: float, which: float) -> tuple[str, ...]:
        """Return what a sentence begins with: a turn of phrase, a collocation, or neither."""
        if chance < 1 / PHRASE_IN:
            return _phrase(self.seed, _rank(which, PHRASES))
        return self._passage(_COLLOCATION, _rank(which, COLLOCATIONS)) if chance < 1 / COLLOCATION_IN else ()

    def _title_page(self, facts: Chances) -> str:
        title: list[str] = vocabulary()[zipf(facts[2:9])].tolist()
        notices = [self._passage(_NOTICE, _rank(chance, NOTICES)) for chance in facts[9:11]]
        address = self._passage(_ADDRESS, _rank(facts[11], ADDRESSES))
        return "\n\n".join([" ".join(title).title(), " ".join(address).title(), *map(_sentence, notices)])

    def _references(self, number: int) -> Iterator[str]:
        low, high = CITED
        chances = uniforms(high + 1, self.seed, number, _CITED)
        works = {_rank(chance, WORKS) for chance in chances[1 : 1 + low + int(chances[0] * (high - low))]}
        for place, work in enumerate(sorted(works), 1):
            yield f"[{place}] {_sentence(self._passage(_WORK, work))}"

    def _passage(self, kind: int, rank: int) -> tuple[str, ...]:
        return _passage(self.seed, kind, rank)


# Words of a passage, by kind.
_WORDS = {_COLLOCATION: COLLOCATION_WORDS, _WORK: WORK_WORDS, _NOTICE: NOTICE_WORDS, _ADDRESS: ADDRESS_WORDS}


@lru_cache(maxsize=WORKS)
def _passage(seed: int, kind: int, rank: int) -> tuple[str, ...]:
    low, high = _WORDS[kind]
    chances = uniforms(high + 1, seed, kind, rank)
    some = chances[1 : 1 + low + int(chances[0] * (high - low))]
    words = (some * COMMON_WORDS).astype(np.uint32) if kind == _COLLOCATION else zipf(some)
    return tuple(vocabulary()[words].tolist())


@lru_cache(maxsize=PHRASES)
def _phrase(seed: int, rank: int) -> tuple[str, ...]:
    low, high = PHRASE_PARTS
    chances = uniforms(high + 1, seed, _PHRASE, rank)
    parts = chances[1 : 1 + low + int(chances[0] * (high - low))]
    return tuple(word for chance in parts for word in _passage(seed, _COLLOCATION, _rank(chance, COLLOCATIONS)))


def _rank(chance: float, count: int) -> int:
    """Frequency falls as rank^-0.5."""
    return int(chance * chance * count)


def _length(facts: Chances) -> float:
    """In means: log-normal, from two uniform numbers (Box and Muller)."""
    normal = np.sqrt(-2 * np.log(1 - facts[0])) * np.cos(2 * np.pi * facts[1])
    return max(SHORTEST, float(np.exp(SPREAD * normal - SPREAD**2 / 2)))


def _sentence(words: list[str] | tuple[str, ...]) -> str:
    return f"{' '.join(words).capitalize()}."
