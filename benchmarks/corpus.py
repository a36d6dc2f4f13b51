"""English text that every CPython carries: the language reference behind ``help()``, 600 kB of prose."""

import random
from pydoc_data.topics import topics


def english(size: int, seed: int = 1) -> str:
    """About ``size`` characters of English with typographic quotes and dashes, as word processors write it.

    The topics are repeated in random order until there are enough of them.
    """
    chance = random.Random(seed)
    names = sorted(topics)
    parts: list[str] = []
    length = 0
    while length < size:
        text = topics[chance.choice(names)].replace("--", "—").replace("'", "’")
        parts.append(text)
        length += len(text)
    return "\n".join(parts)[:size]
