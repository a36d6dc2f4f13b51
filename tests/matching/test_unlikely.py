"""Which chains are shown: what the scheme promises, and what chance does not explain."""

from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from tests.matching.deep.prose import MODEL
from whorl.comparison.compare import _read
from whorl.matching import chains
from whorl.matching.chains import (
    BITS,
    DOCUMENTS,
    MARGIN,
    MIN_PAIRS,
    MIN_RARITY,
    NO_BACKGROUND,
    PAIRS_A_FALSE_POSITIVE,
    Background,
    all_chains,
    calibrate,
    count_background,
    margin,
    match_weights,
    sample,
    significant_chains,
)
from whorl.matching.likeness import plain_matches, shared_passages

K, W = 5, 4
T = K + W - 1
SCHEME = whorl.Scheme(k=K, w=W)
TEXT = whorl.PRESETS["text"]

letters = st.text("abc", max_size=12)


@st.composite
def pairs(draw):
    """Two texts that share some pieces, with anything between them."""
    shared = st.sampled_from(draw(st.lists(st.text("abcd", min_size=5, max_size=14), min_size=1, max_size=4)))
    text = st.lists(shared | letters, max_size=7).map("".join)
    return draw(text), draw(text)


def evidences(texts, scheme=SCHEME):
    return [_read(text, scheme)[0].evidence for text in texts]


def members(found):
    """The matches of each chain: their starts on both sides and their lengths."""
    columns = [column.tolist() for column in (found.lefts, found.rights, found.lengths)]
    return [[column[first:last] for column in columns] for first, last in pairwise(found.bounds.tolist())]


def fewest_symbols(lefts, rights, lengths):
    """The symbols in the matches of a chain, each counted once, on the side with fewer."""
    sides = [list(zip(starts, lengths, strict=True)) for starts in (lefts, rights)]
    return min(len({at for start, length in side for at in range(start, start + length)}) for side in sides)


class TestAcceptance:
    @given(pairs(), st.sampled_from([0.0, 5.0, MARGIN, 40.0]), st.sampled_from([1, 2, chains.REACH]))
    @examples(300)
    def test_by_its_definition(self, texts, beyond, reach):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chains, "REACH", reach)
            self.check_definition(texts, beyond)

    def check_definition(self, texts, beyond):
        left, right = evidences(texts)
        matches, common = (
            plain_matches(SCHEME)(left, right),
            Background(NO_BACKGROUND.hashes, NO_BACKGROUND.rarities, beyond),
        )
        shown = significant_chains(matches, left, right, SCHEME, common)
        sure = min(T, len(left), len(right))
        every = all_chains(matches, left, right, SCHEME, common)
        least = log2(max(1, len(left))) + log2(max(1, len(right))) + beyond
        is_shown = [
            max(chain[2]) >= sure or (score >= least and fewest_symbols(*chain) >= sure)
            for chain, score in zip(members(every), every.scores, strict=True)
        ]
        assert members(shown) == [chain for chain, is_one in zip(members(every), is_shown, strict=True) if is_one]

    @given(pairs())
    @examples(200)
    def test_a_higher_margin_shows_less_and_keeps_what_is_promised(self, texts):
        left, right = evidences(texts)
        matches = plain_matches(SCHEME)(left, right)
        low, high = (
            {
                link
                for chain in members(significant_chains(matches, left, right, SCHEME, one))
                for link in zip(*chain, strict=True)
            }
            for one in (NO_BACKGROUND, Background(NO_BACKGROUND.hashes, NO_BACKGROUND.rarities, 1000.0))
        )
        assert high <= low
        promised = [length for length in matches.lengths.tolist() if length >= T]
        assert sorted(length for _, _, length in high if length >= T) == sorted(promised)

    def test_lonely_short_matches_are_dropped_and_neighbours_kept(self):
        one, two = "we have come to bury caesar", "not the evil that men do here"
        filler = [" ".join(MODEL.text(seed, 120)) for seed in (61, 62, 63, 64)]
        apart = [f"{filler[0]} {one} {filler[1]} {two}", f"{two} {filler[2]} {one} {filler[3]}"]
        near = [f"{filler[0]} {one} and {two} {filler[1]}", f"{filler[2]} {one} but {two} {filler[3]}"]
        assert whorl.compare(*apart).passages == ()
        assert [[match.symbols for match in one.matches] for one in whorl.compare(*near).passages] == [[22, 23]]

    def test_unrelated_texts_have_no_passage(self):
        texts = [" ".join(MODEL.text(seed, 400)) for seed in range(100, 140)]
        sides = [_read(text, TEXT)[0] for text in texts]
        found = [shared_passages(a, b, TEXT) for i, a in enumerate(sides) for b in sides[:i]]
        assert [passages for passages in found if passages] == []


class TestWorth:
    @given(pairs())
    @examples(200)
    def test_by_its_definition(self, texts):
        """The rarest fingerprint of a match tells, by the places that it has in both texts."""
        left, right = evidences(texts)
        matches = plain_matches(SCHEME)(left, right)
        selected = set(left.places.tolist())
        found = match_weights(matches, left, right, SCHEME.k, NO_BACKGROUND)
        for a, size, weight in zip(matches.lefts.tolist(), matches.lengths.tolist(), found.tolist(), strict=True):
            grams = [texts[0][at : at + 5] for at in range(a, a + size - 4) if at in selected]
            chosen = [_selected(left, gram, texts[0]) * _selected(right, gram, texts[1]) for gram in grams]
            shares = [max(MIN_RARITY, 1 - log2(count) / BITS) for count in chosen if count]
            assert weight == pytest.approx(size * BITS / 5 * max(shares, default=1.0))

    def test_what_all_have_is_worth_little(self):
        documents = [np.array([1, 2, number + 10], np.uint64) for number in range(100)]
        common = count_background(documents)
        assert common.hashes.tolist() == [1, 2]
        assert common.rarities.tolist() == pytest.approx([np.log(1.5) / np.log(75)] * 2)


def _selected(side, gram: str, text: str) -> int:
    """In how many places of a text a k-gram was selected."""
    return sum(text.startswith(gram, at) for at in side.places.tolist())


class TestCalibration:
    def test_of_few_documents_nothing_is_reported(self):
        texts = [" ".join(MODEL.text(seed, 100)) for seed in range(3)]
        assert calibrate(evidences(texts, TEXT), TEXT, plain_matches(TEXT)).margin == MARGIN

    def test_unrelated_texts_ask_for_no_more(self):
        texts = [" ".join(MODEL.text(seed, 100)) for seed in range(MIN_PAIRS)]
        assert calibrate(evidences(texts, TEXT), TEXT, plain_matches(TEXT)).margin == MARGIN

    def test_what_many_share_by_pairs_asks_for_more(self):
        phrases = [f"{word} is the phrase that a pair of them has in common" for word in ("this", "that", "such")]
        texts = [" ".join(MODEL.text(seed, 100)) + " " + phrases[seed % 3] for seed in range(MIN_PAIRS)]
        assert calibrate(evidences(texts, TEXT), TEXT, plain_matches(TEXT)).margin > MARGIN

    @given(st.lists(st.floats(-30, 30), min_size=MIN_PAIRS, max_size=64), st.floats(0, 100))
    def test_the_margin_grows_with_what_pairs_reach(self, bests, more):
        assert margin([best + more for best in bests]) >= margin(bests) >= MARGIN

    def test_a_tail_is_followed(self):
        """Of 64 pairs whose chains cost two bits a halving, one in a thousand reaches twice log2(1000)."""
        bests = [-2 * log2((rank + 1) / 64) + 20 for rank in range(64)]
        assert margin(bests) == pytest.approx(20 + 2 * log2(PAIRS_A_FALSE_POSITIVE))

    @given(st.integers(0, 500))
    def test_a_sample_is_spread(self, count):
        found = sample(count)
        assert len(found) == len(set(found)) == min(count, DOCUMENTS)
        assert all(0 <= number < count for number in found)
