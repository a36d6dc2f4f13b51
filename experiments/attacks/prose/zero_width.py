"""Zero-width characters: characters that are not seen, between those that are."""

import random

from experiments.attacks.prose.text import Prose

# Space, non-joiner, joiner and no-break space without width, and the word joiner.
UNSEEN = "\u200b\u200c\u200d\ufeff\u2060"

# The share of letters that one is put after.
SHARE = 0.2


def attack(prose: Prose, chance: random.Random) -> str:
    """Return the text with characters between its letters that are not seen."""
    return disguised(prose.text, chance)


def disguised(text: str, chance: random.Random, share: float = SHARE) -> str:
    """Any text with such characters between its letters."""
    return "".join(
        letter + chance.choice(UNSEEN) if letter.isalpha() and chance.random() < share else letter for letter in text
    )
