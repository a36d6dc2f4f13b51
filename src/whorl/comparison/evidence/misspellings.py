"""Misspellings: words that few in a class write, one slip away from a word that many write.

The class is the dictionary, so it works in any language and needs no list. Only slips of spelling count: two letters
exchanged, a letter doubled or not, and, in longer words, one lost, added, or a vowel for another. Other words of one
letter's difference (``start`` and ``smart``, ``count`` and ``counts``) are words of their own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from whorl.comparison.evidence.trait import Trait

MISSPELLING = "misspelling"

# Letters of the shortest word; of one in which any inner slip counts; and of the longest that is looked at.
SHORTEST, LONG, LONGEST = 5, 7, 24

# How many submissions, at least, write the word as it should be.
SPELLERS = 3

VOWELS = frozenset("aeiouy")

# Runs that may hold a word that is long enough; most stand in a text many times, and are taken apart once.
_RUNS = re.compile(r"\w{5,}+")

# The words of such a run, of names in it, ``getUserName`` and ``under_scored``. What is in capitals as a whole is one.
_PARTS = re.compile(r"[A-Z]?[^\W\d_A-Z]++|(?<![A-Z])[A-Z]{5,24}(?![^\W\d_])")


def words(text: str) -> Iterator[Trait]:
    """The words of a text, those inside names too, in small letters; each spelling once, where it stands first."""
    first: dict[str, int] = {}
    for found in _RUNS.finditer(text):
        first.setdefault(found[0], found.start())
    for run, start in first.items():
        for found in _PARTS.finditer(run):
            if SHORTEST <= len(found[0]) <= LONGEST:
                yield Trait(MISSPELLING, found[0].lower(), found[0], start + found.start())


class Spelling:
    """How many submissions write each word, and which rare words are slips of common ones."""

    def __init__(self) -> None:
        self._writers: Counter[str] = Counter()

    def add(self, written: Iterable[str]) -> None:
        """The words of one submission, each once."""
        self._writers.update(written)

    def meant(self, rare: Iterable[str]) -> dict[str, str]:
        """The rare words that are slips, and the words that were meant."""
        near: dict[str, list[str]] = defaultdict(list)
        for word, writers in self._writers.items():
            if writers >= SPELLERS:
                for form in _forms(word):
                    near[form].append(word)
        found = {}
        for word in rare:
            others = {other for form in _forms(word) for other in near.get(form, ())}
            meant = [other for other in others if self._is_slip(word, other)]
            if meant:
                found[word] = max(meant, key=lambda other: (self._writers[other], other))
        return found

    def _is_slip(self, word: str, other: str) -> bool:
        return self._writers[other] > self._writers[word] and is_slip(word, other)


def _forms(word: str) -> set[str]:
    """The word, and what is left of it when one letter is gone: two words a slip apart share such a form."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def is_slip(word: str, other: str) -> bool:
    """Whether a word is another one with a slip of spelling."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    first = next((at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), -1)
    if first < 0:
        first = min(len(word), len(other))
    if len(word) == len(other):
        return _is_exchange(word, other, first) or _is_vowel(word, other, first)
    shorter, longer = sorted((word, other), key=len)
    if longer[:first] + longer[first + 1 :] != shorter:
        return False
    is_inner = 0 < first < len(longer) - 1
    return is_inner and (longer[first] == longer[first - 1] or len(longer) > LONG)


def _is_exchange(word: str, other: str, at: int) -> bool:
    return word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]


def _is_vowel(word: str, other: str, at: int) -> bool:
    is_inner = 0 < at < len(word) - 1 and len(word) >= LONG
    return is_inner and {word[at], other[at]} <= VOWELS and word[at + 1 :] == other[at + 1 :]
