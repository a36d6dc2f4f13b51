"""Texts for tests of an index: prose of made-up words, the same for the same seed, unlike that of any other."""

import random
from functools import cache

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@cache
def prose(seed: int, words: int = 60) -> str:
    """Lines of ten words, none of which another seed's prose has but by accident."""
    draw = random.Random(f"prose {seed}")
    drawn = ["".join(draw.choices(LETTERS, k=draw.randint(3, 9))) for _ in range(words)]
    return "".join(f"{' '.join(drawn[start : start + 10])}.\n" for start in range(0, words, 10))


def mixed(*parts: tuple[int, int]) -> str:
    """The beginnings of several texts, one after the other: (seed, words)."""
    return "".join(prose(seed)[: words * 7] for seed, words in parts)
