"""Homoglyphs: letters of other alphabets that look like the Latin ones whose places they take."""

import random

from experiments.attacks.prose.text import Prose

# Cyrillic letters, small and capital, that no reader tells from the Latin ones.
LOOKS = str.maketrans("aceopxysijACEHKMOPTXB", "асеорхуѕіјАСЕНКМОРТХВ")

# The share of these letters that are replaced.
SHARE = 0.3


def attack(prose: Prose, chance: random.Random) -> str:
    """Return the text with letters of another alphabet."""
    return disguised(prose.text, chance)


def disguised(text: str, chance: random.Random, share: float = SHARE) -> str:
    """Any text with letters of another alphabet."""
    return "".join(letter.translate(LOOKS) if chance.random() < share else letter for letter in text)
