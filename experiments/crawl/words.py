"""The words of pages: a vocabulary by Zipf's law, and passages that many pages have.

Passages are what the papers saw most often: navigation, licences, what programs write at the head or foot of a page.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from experiments.crawl.chance import key, mixed, uniforms
from experiments.crawl.layout import SLOPE

Words = NDArray[np.uint32]

# Enough for a web's worth of names, few enough to stay in a core's cache. No shingle of ten comes twice by chance.
VOCABULARY = 50_000

# Passages of a page; and pages for each passage that there is. The commonest is then in 6% to 20% of the pages, and two
# pages that have nothing else in common share a few shingles.
PASSAGES, PAGES_EACH = 4, 50

# Words of a passage: a line of navigation, or a short paragraph.
SHORTEST, LONGEST = 10, 20

# A rank is what rounds to it.
HALF = 0.5

# Streams of random numbers that are no page's: see ``uniforms``.
_VOCABULARY, _PASSAGE = -1, -2

# Consonants and vowels, as often as they are here.
_ONSETS, _NUCLEI = "bcdfghjklmnprstvwzlnrst", "aeiouaei"

# Odd multipliers of the words of a shingle. The numbers are mixed afterwards, so any will do.
_PLACES = np.array([key(place) | 1 for place in range(64)], np.uint64)


def zipf(chances: NDArray[np.float64]) -> Words:
    """Words whose frequency falls as 1 / rank: the logarithm of the rank is uniform."""
    ranks: Words = (np.exp(chances * np.log(VOCABULARY)) - 1).astype(np.uint32)
    return ranks


def passages(chances: NDArray[np.float64], pages: int, seed: int) -> list[Words]:
    """Return the passages of a page, by ranks whose frequency falls as rank^-0.7 over all passages of the crawl."""
    # The integral of rank^-0.7, from half a rank before the first, is inverted.
    power = 1 - SLOPE
    low, high = HALF**power, (max(1, pages // PAGES_EACH) + HALF) ** power
    ranks = np.rint((low + chances * (high - low)) ** (1 / power)).astype(np.int64)
    return [passage(rank, seed) for rank in ranks.tolist()]


@lru_cache(maxsize=4096)
def passage(rank: int, seed: int) -> Words:
    """Return the passage of a rank. The commonest few are kept at hand; any can be made again."""
    chances = uniforms(LONGEST + 1, seed, _PASSAGE, rank)
    length = SHORTEST + int(chances[0] * (LONGEST + 1 - SHORTEST))
    return zipf(chances[1 : 1 + length])


@lru_cache(maxsize=1)
def vocabulary() -> NDArray[np.object_]:
    """Words that can be spoken, all different, the shorter ones first, since frequent words are short."""
    spelled: dict[str, None] = {}
    draws = uniforms(VOCABULARY * 8, _VOCABULARY).reshape(-1, 8)
    for place, draw in enumerate(draws.tolist()):
        syllables = min(4, 1 + len(str(place)) // 2 + (draw[7] < 0.3))
        word = "".join(_syllable(*draw[2 * part : 2 * part + 2]) for part in range(syllables))
        while word in spelled:
            word += _syllable(draw[0], draw[3])
        spelled[word] = None
    return np.array(list(spelled), object)


def _syllable(onset: float, nucleus: float) -> str:
    return _ONSETS[int(onset * len(_ONSETS))] + _NUCLEI[int(nucleus * len(_NUCLEI))]


def shingles(words: Words, size: int) -> NDArray[np.uint64]:
    """Return a number for each run of ``size`` words."""
    count = len(words) - size + 1
    values = np.zeros(max(0, count), np.uint64)
    wide = words.astype(np.uint64)
    for place in range(size if count > 0 else 0):
        values += wide[place : place + count] * _PLACES[place]
    return mixed(values)
