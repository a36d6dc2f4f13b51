"""Replacement of words by others of a list, which stand for words of the same meaning."""

import random
import re
from functools import cache

from experiments.attacks.prose.text import Prose, vocabulary

# The share of words that are replaced.
SHARE = 0.1


def attack(prose: Prose, chance: random.Random, share: float = SHARE) -> str:
    """Return the text with some of its words replaced."""
    others = word_list()
    return re.sub(r"[A-Za-z]+", lambda found: _other(found[0], others, chance, share), prose.text)


def _other(word: str, others: dict[str, str], chance: random.Random, share: float) -> str:
    if chance.random() >= share:
        return word
    other = others[word.lower()]
    return other.capitalize() if word[0].isupper() else other


@cache
def word_list() -> dict[str, str]:
    """Return each word of the vocabulary, and the one that is put in its place: always the same, as in a thesaurus."""
    words = list(vocabulary())
    others = words[:]
    random.Random("synonyms").shuffle(others)
    return dict(zip(words, others, strict=True))
