"""Texts for tests of a registry: prose whose words are as unequally common as those of a language."""

import random
from functools import cache

SYLLABLES = (
    *("ba", "ce", "dil", "fro", "gan", "hul", "im", "jor", "ket", "lan", "mib", "nop", "or", "pra", "quis", "rud"),
    *("sel", "tov", "un", "vam", "wis", "yex", "zod", "str", "gl", "ch"),
)


@cache
def words() -> tuple[str, ...]:
    """A language: the same for all texts."""
    draw = random.Random("a language")
    return tuple("".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(6000))


@cache
def prose(seed: object, count: int = 1500) -> str:
    """Sentences; common words are as common as in a natural language."""
    draw, language = random.Random(f"prose {seed}"), words()
    ranks = [int(draw.random() ** 3 * len(language)) for _ in range(count)]
    out, start = [], True
    for number, rank in enumerate(ranks, 1):
        word = language[rank]
        out.append((word.capitalize() if start else word) + ("." if number % 13 == 0 else ""))
        start = number % 13 == 0
    lines = [" ".join(out[at : at + 11]) for at in range(0, len(out), 11)]
    return "\n".join(lines) + "\n"


def paragraphs(text: str, lines: int = 8) -> list[str]:
    """A text in pieces of some lines."""
    rows = text.splitlines(keepends=True)
    return ["".join(rows[at : at + lines]) for at in range(0, len(rows), lines)]
