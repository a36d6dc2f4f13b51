"""What is done to a page to make a copy of it. All of it on words, all of it drawn from a seed."""

from collections.abc import Sequence
from random import Random

# Shares of words that are edited.
SHARES = (0.01, 0.03, 0.05, 0.10, 0.20)

HALF, FIFTH = "first half", "a fifth embedded"
EDITED = tuple(f"{share:.0%} edited" for share in SHARES)
KINDS = (*EDITED, HALF, FIFTH)

# The part of a page that is embedded in another: one in so many words.
PART = 5


def edited(words: Sequence[str], share: float, others: Sequence[str], chance: Random) -> list[str]:
    """A share of the words, at least one, is edited: replaced by another, deleted, or another put before it, each as
    often as the others. ``others`` are the words that are drawn from."""
    places = set(chance.sample(range(len(words)), max(1, round(share * len(words)))))
    out: list[str] = []
    for place, word in enumerate(words):
        what = chance.choice(("replace", "delete", "insert")) if place in places else "keep"
        if what in ("replace", "insert"):
            out.append(chance.choice(others))
        if what in ("keep", "insert"):
            out.append(word)
    return out


def embedded(words: Sequence[str], host: Sequence[str], chance: Random) -> list[str]:
    """Return the host with a fifth of the words, in one piece, somewhere in it."""
    length = len(words) // PART
    start, place = chance.randrange(len(words) - length + 1), chance.randrange(len(host) + 1)
    return [*host[:place], *words[start : start + length], *host[place:]]


def copies(words: Sequence[str], host: Sequence[str], chance: Random) -> dict[str, list[str]]:
    """One copy of each kind. Words that edits bring in are the host's."""
    made = {kind: edited(words, share, host, chance) for kind, share in zip(EDITED, SHARES, strict=True)}
    return {**made, HALF: list(words[: len(words) // 2]), FIFTH: embedded(words, host, chance)}
