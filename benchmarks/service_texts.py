"""Synthetic texts for the service: words that are drawn as often as words of a language are, a part of one text in
another."""

import numpy as np

# Words of a vocabulary, and of a text: about 2 kB, a page.
VOCABULARY, WORDS = 20_000, 300

# Zipf's law: the word of rank r comes 1/r times as often as the first.
_LETTERS = np.array(list("etaoinshrdlucmfwypvbgk"))


class Texts:
    """The same texts for the same numbers, in any process."""

    def __init__(self) -> None:
        chance = np.random.default_rng(1)
        lengths = chance.integers(2, 11, VOCABULARY)
        self._words = np.array(["".join(chance.choice(_LETTERS, length)) for length in lengths])
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self._sums = np.cumsum(weights / weights.sum())

    def text(self, number: int) -> str:
        """Return the text of a document."""
        drawn = np.random.default_rng([2, number]).random(WORDS)
        words = self._words[np.minimum(np.searchsorted(self._sums, drawn), VOCABULARY - 1)]
        return "\n".join(" ".join(words[start : start + 12]) for start in range(0, WORDS, 12))

    def query(self, number: int, documents: int) -> str:
        """Return a text of its own, with a third of some document in the middle."""
        taken = int(np.random.default_rng([3, number]).integers(documents))
        own, other = self.text(10**9 + number), self.text(taken)
        third = len(other) // 3
        return own[:third] + other[third : 2 * third] + own[third:]
