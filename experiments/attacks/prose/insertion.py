"""Insertion of words: some words of the vocabulary come between those of a text."""

import random

from experiments.attacks.prose.text import Prose, vocabulary

# The share of words that one is put after.
SHARE = 0.1


def attack(prose: Prose, chance: random.Random, share: float = SHARE) -> str:
    """Return the text with words put in."""
    words = prose.text.split(" ")
    return " ".join(f"{word} {chance.choice(vocabulary())}" if chance.random() < share else word for word in words)
