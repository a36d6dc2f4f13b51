"""Texts of a seeded word model: sentences over a vocabulary by Zipf's law, on a topic that has words of its own.

Two texts on one topic stand for two people who wrote on one subject: they share words, and no sentence.
"""

import random
from dataclasses import dataclass
from functools import cache

# Words of the vocabulary; of a topic, and the share of a text's words that are its topic's.
VOCABULARY, TOPIC, TOPICAL = 4000, 150, 0.3

# Sentences of a text, and the fewest and most words of one: a page or two.
SENTENCES, SHORTEST, LONGEST = 40, 7, 18

# Consonants and vowels, as often as they are here.
ONSETS, NUCLEI = "bcdfghjklmnprstvwzlnrst", "aeiouaei"


@dataclass(frozen=True, slots=True)
class Prose:
    """A text: its topic, its author's number, and its sentences."""

    topic: int
    author: int
    sentences: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name that no other text has."""
        return f"topic{self.topic}-{self.author}"

    @property
    def text(self) -> str:
        """The whole of it, in paragraphs of five sentences."""
        paragraphs = [" ".join(self.sentences[at : at + 5]) for at in range(0, len(self.sentences), 5)]
        return "\n\n".join(paragraphs) + "\n"


@cache
def vocabulary() -> tuple[str, ...]:
    """Words that can be spoken, all different, the commonest first."""
    chance = random.Random("vocabulary")
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = 1 + (len(words) > 60) + (chance.random() < 0.5) + (chance.random() < 0.2)
        words["".join(chance.choice(ONSETS) + chance.choice(NUCLEI) for _ in range(syllables))] = None
    return tuple(words)


def prose(topic: int, author: int, seed: int = 0) -> Prose:
    """Return a text on a topic."""
    chance = random.Random(f"{seed} {topic} {author}")
    own = random.Random(f"topic {topic}").sample(vocabulary(), TOPIC)
    return Prose(topic, author, tuple(_sentence(chance, own) for _ in range(SENTENCES)))


def _sentence(chance: random.Random, own: list[str]) -> str:
    words = [
        chance.choice(own) if chance.random() < TOPICAL else _common(chance)
        for _ in range(chance.randint(SHORTEST, LONGEST))
    ]
    return " ".join(words).capitalize() + "."


def _common(chance: random.Random) -> str:
    """Return a word whose frequency falls as 1 / rank: the logarithm of the rank is uniform."""
    return vocabulary()[int(VOCABULARY ** chance.random()) - 1]
