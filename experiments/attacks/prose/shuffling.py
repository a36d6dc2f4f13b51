"""Sentence shuffling: the sentences of a text in another order."""

import random
from dataclasses import replace

from experiments.attacks.prose.text import Prose


def attack(prose: Prose, chance: random.Random) -> str:
    """Return the text with its sentences shuffled."""
    return replace(prose, sentences=tuple(chance.sample(prose.sentences, len(prose.sentences)))).text
