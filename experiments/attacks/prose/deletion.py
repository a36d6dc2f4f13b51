"""Deletion of words: some words of a text go."""

import random

from experiments.attacks.prose.text import Prose

# The share of words that go.
SHARE = 0.1


def attack(prose: Prose, chance: random.Random, share: float = SHARE) -> str:
    """Return the text without some of its words."""
    return " ".join(word for word in prose.text.split(" ") if "\n" in word or chance.random() >= share)
