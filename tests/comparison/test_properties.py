"""What a comparison of two documents promises (winnowing paper, section 2.1), checked by brute force on the streams."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.formats.text import TextFrontend
from whorl.matching.score import ENOUGH

K, W = 5, 4
T = K + W - 1
ROBUST = whorl.Scheme(k=K, w=W)
EXACT = whorl.Scheme(k=K, w=W, select="winnow")

# Few letters, so that unrelated texts share much; pieces that come again, so that there are passages to find.
letters = st.text("abc", max_size=12)
pieces = st.lists(st.text("abcd", min_size=T, max_size=20), min_size=1, max_size=3)


@st.composite
def pairs(draw):
    """Two texts that share some pieces, in any order and number, with anything between them."""
    shared = draw(pieces)
    text = st.lists(st.sampled_from(shared) | letters, max_size=5).map("".join)
    return draw(text), draw(text)


# Text that is in no other.
added = st.text("wxyz", max_size=30)


@st.composite
def unrepeated(draw):
    """Two texts that share some pieces, in any order; no letter occurs twice in one."""
    letters = "".join(draw(st.permutations("abcdefghijklmnopqrstuv0123456789")))
    shared = [letters[at : at + T] for at in range(0, len(letters), T)]
    texts = draw(st.permutations(shared)), draw(st.permutations(shared))
    return "".join(texts[0]), "".join(texts[1][: draw(st.integers(1, len(shared)))])


prose = st.lists(st.text("abcde", min_size=1, max_size=9), min_size=8, max_size=20).map(" ".join)
between = st.sampled_from([" ", "\n", "\t  ", ", ", " - ", "... ", " (", "\r\n\r\n", "; \u200b"])

# Several matches could continue the same passage, and which one does depends on where one begins.
HARD_TO_CHAIN = [
    ("bacaabddbbdadbabaccacccdbabaccacccbbcaaddbbacacacd", "dbabaccacccacdddbdccbdadbabaccaccccaaddbdbabaccaccc"),
    ("bbaababaaaaaabaabbbbbabbbababbbabbbbbabbbababbbaabbaaaaaabaaaaaaaabaa", "aaaaabbbaababbbbabaaaaaaabaa"),
    ("bbaaaaaaaabaabbabaaabaaaaabaaabaaaaaaaabaabbaaaabaabb", "aaaabaabbbaaaaaaaabaabbaaaabbbaabaabbbba"),
]


def compared(texts, scheme):
    return whorl.compare(texts[0], texts[1], scheme)


def symbols(text):
    return TextFrontend().stream(text).symbols.tolist()


def common(left, right, least):
    """Every maximal pair of equal substrings, by its definition: the beginnings on both sides, and the length."""
    for a in range(len(left)):
        for b in range(len(right)):
            if a and b and left[a - 1] == right[b - 1]:
                continue
            length = 0
            while a + length < len(left) and b + length < len(right) and left[a + length] == right[b + length]:
                length += 1
            if length >= least:
                yield a, b, length


def covered(text, spans):
    """Which characters of a text are in some span."""
    inside = np.zeros(len(text), bool)
    for span in spans:
        inside[span.start : span.end] = True
    return inside


def has_ties(text):
    """Whether a k-gram comes twice within a window: then robust winnowing may choose either of them."""
    grams = [text[i : i + K] for i in range(len(text) - K + 1)]
    return any(len({*grams[i : i + W]}) < len(grams[i : i + W]) for i in range(len(grams)))


class TestNoise:
    """Nothing shorter than k is ever found."""

    @given(pairs(), st.sampled_from([ROBUST, EXACT]))
    @examples(150)
    def test_every_match_is_maximal_and_true(self, texts, scheme):
        maximal = set(common(texts[0], texts[1], K))  # of these texts, a symbol is a letter
        for match in compared(texts, scheme).matches:
            assert match.symbols == match.left.end - match.left.start == match.right.end - match.right.start
            assert (match.left.start, match.right.start, match.symbols) in maximal

    @given(pairs())
    def test_what_shares_no_k_gram_shares_nothing(self, texts):
        left, right = texts[0], texts[1].translate(str.maketrans("abcd", "wxyz"))
        found = whorl.compare(left, right, ROBUST)
        assert (found.score, found.shared_fingerprints, found.passages, found.longest) == (0, 0, (), 0)
        assert (found.left_coverage, found.right_coverage) == (0, 0)

    @given(pairs())
    def test_a_passage_is_its_matches(self, texts):
        found = compared(texts, ROBUST)
        for passage in found.passages:
            for side in ("left", "right"):
                whole, spans = getattr(passage, side), [getattr(match, side) for match in passage.matches]
                assert whole.start == min(span.start for span in spans)
                assert whole.end == max(span.end for span in spans)
                assert (whole.start_line, whole.end_line) == (1, 1)
            assert passage.symbols <= sum(match.symbols for match in passage.matches)
        assert sorted(found.matches) == sorted(m for passage in found.passages for m in passage.matches)
        assert found.longest == max((passage.symbols for passage in found.passages), default=0)

    @given(pairs())
    def test_coverage_is_the_share_of_symbols_in_matches(self, texts):
        found = compared(texts, ROBUST)
        for side, share in (("left", found.left_coverage), ("right", found.right_coverage)):
            text = texts[side == "right"]
            inside = covered(text, [getattr(match, side) for match in found.matches])
            assert share == pytest.approx(inside.sum() / max(1, len(text)))


class TestGuarantee:
    """Every shared passage of at least t symbols is shown, on both sides, but for fewer than k symbols of it."""

    @given(pairs(), st.sampled_from([ROBUST, EXACT]))
    @example(("aaaaaabbaaaaaaaaaaaaaabb", "aaaaaaaabaaaaa"), EXACT)
    @examples(200)
    def test_every_long_passage_is_shown(self, texts, scheme):
        assume(scheme is EXACT or not any(map(has_ties, texts)))
        found = compared(texts, scheme)
        left = covered(texts[0], [match.left for match in found.matches])
        right = covered(texts[1], [match.right for match in found.matches])
        for a, b, length in common(texts[0], texts[1], T):
            assert (~left[a : a + length]).sum() < K
            assert (~right[b : b + length]).sum() < K

    @given(st.text("abcd", min_size=T, max_size=30), letters, letters, letters, letters)
    @examples(100)
    def test_a_passage_is_found_wherever_it_stands(self, passage, before, after, other_before, other_after):
        left, right = before + passage + after, other_before + passage + other_after
        found = whorl.compare(left, right, EXACT)
        spans = ((left, len(before), "left"), (right, len(other_before), "right"))
        for text, start, side in spans:
            inside = covered(text, [getattr(match, side) for match in found.matches])
            assert (~inside[start : start + len(passage)]).sum() < K


class TestPositionIndependence:
    """What stands elsewhere in a document does not matter, but for the windows that reach over an edge."""

    @given(letters, st.text("abcd", min_size=T, max_size=30), letters, st.sampled_from([ROBUST, EXACT]))
    def test_a_passage_keeps_its_fingerprints(self, before, passage, after, scheme):
        alone = set(whorl.fingerprint(passage, scheme).hashes.tolist())
        assert alone <= set(whorl.fingerprint(before + passage + after, scheme).hashes.tolist())

    @given(st.lists(st.text("abcd", min_size=T, max_size=25), min_size=2, max_size=5), st.randoms(), pairs())
    @examples(60)
    def test_moving_paragraphs_costs_their_edges_only(self, paragraphs, chance, others):
        moved = list(paragraphs)
        chance.shuffle(moved)
        one, two = ("".join(order) for order in (paragraphs, moved))
        other = "".join(others)
        # t - 1 windows reach over the edge between two paragraphs, and each chooses one fingerprint.
        most = (T - 1) * (len(paragraphs) - 1)
        counts = [whorl.compare(text, other, ROBUST).shared_fingerprints for text in (one, two)]
        assert abs(counts[0] - counts[1]) <= most
        fingerprints = [set(whorl.fingerprint(text, ROBUST).hashes.tolist()) for text in (one, two)]
        assert len(fingerprints[0] - fingerprints[1]) <= most

    @given(unrepeated(), added, added, st.sampled_from([ROBUST, EXACT]))
    def test_adding_to_a_document_hides_nothing(self, texts, before, after, scheme):
        found = compared(texts, scheme)
        longer = whorl.compare(before + texts[0] + after, texts[1], scheme)
        assert longer.shared_fingerprints >= found.shared_fingerprints

    @given(pairs(), added, added, st.sampled_from([ROBUST, EXACT]))
    @example(("aaaabbbbaaaabbbbaaaabbbbc", "aaaabbbbcaaaabbbbaaaabbbb"), "w", "", ROBUST)  # one of three is hidden
    def test_nor_all_of_what_is_repeated(self, texts, before, after, scheme):
        """Of pieces that occur several times, another one may be chosen, and hide its neighbour."""
        assume(scheme == EXACT or not any(map(has_ties, texts)))
        found = compared(texts, scheme)
        longer = whorl.compare(before + texts[0] + after, texts[1], scheme)
        assert longer.shared_fingerprints > 0 or all(match.symbols < T for match in found.matches)


class TestInsensitivity:
    """Spacing, case and punctuation do not matter."""

    @given(prose, st.data())
    @examples(40)
    def test_a_text_in_another_form_is_the_same_text(self, text, data):
        other = "".join(
            data.draw(between) if letter == " " else letter.upper() if data.draw(st.booleans()) else letter
            for letter in text
        )
        assume(len(symbols(text)) >= K)
        found = whorl.compare(text, other, ROBUST)
        assert (found.similarity, found.left_coverage, found.right_coverage) == (1, 1, 1)
        (match,) = found.matches
        assert match.symbols == len(symbols(text)) == len(symbols(other))

    @given(prose, prose)
    def test_nor_do_they_change_a_comparison(self, one, two):
        plain = whorl.compare(one, two, ROBUST)
        formed = whorl.compare(one.upper().replace(" ", "\n\n"), two.title().replace(" ", "... "), ROBUST)
        assert (plain.score, plain.left_coverage, plain.longest) == (formed.score, formed.left_coverage, formed.longest)
        assert [match.symbols for match in plain.matches] == [match.symbols for match in formed.matches]


class TestSymmetry:
    """Which document is the left one does not matter."""

    @given(pairs(), st.sampled_from([ROBUST, EXACT]))
    @examples(150)
    def test_the_other_way_round(self, texts, scheme):
        there, back = compared(texts, scheme), compared(texts[::-1], scheme)
        assert (there.score, there.similarity, there.containment) == (back.score, back.similarity, back.containment)
        assert there.shared_fingerprints == back.shared_fingerprints
        assert (there.left_coverage, there.right_coverage) == (back.right_coverage, back.left_coverage)
        assert sorted(there.matches) == sorted((right, left, count) for left, right, count in back.matches)

    @given(pairs(), st.sampled_from([ROBUST, EXACT]))
    @example(HARD_TO_CHAIN[0], ROBUST)
    @example(HARD_TO_CHAIN[1], ROBUST)
    @example(HARD_TO_CHAIN[2], EXACT)
    @examples(100)
    def test_nor_for_the_passages(self, texts, scheme):
        there, back = compared(texts, scheme), compared(texts[::-1], scheme)
        mirrored = [(passage.right, passage.left, passage.symbols) for passage in back.passages]
        assert sorted((passage.left, passage.right, passage.symbols) for passage in there.passages) == sorted(mirrored)
        assert there.longest == back.longest


class TestScores:
    @given(st.text("abcd", min_size=K, max_size=60))
    @example("a" * 60)
    def test_identical_documents_are_alike(self, text):
        found = whorl.compare(text, text, ROBUST)
        assert (found.similarity, found.containment) == (1, 1)
        assert found.score == min(1, (len(text) / (ENOUGH * T)) ** 0.5)
        assert (found.left_coverage, found.right_coverage) == (1, 1)

    @given(pairs())
    @example(("bcbaccaaccaaaccb", "bcbacaaccbaaaaa"))  # two short matches, neither with a fingerprint
    def test_they_are_shares(self, texts):
        """Whatever has a score has matches; a match as long as the guarantee has a score."""
        found = compared(texts, ROBUST)
        assert 0 <= found.similarity <= found.containment <= 1
        assert found.score == (found.similarity + found.containment) / 2 * found.score_parts.damping
        assert (found.shared_fingerprints > 0) == (found.score > 0)
        assert found.score == 0 or found.matches != ()
        assert found.score > 0 or all(match.symbols < T for match in found.matches)

    @given(pairs())
    def test_passages_are_as_long_as_the_guarantee_unless_a_document_is_shorter(self, texts):
        shortest = min(ROBUST.guarantee or 0, *map(len, texts))
        assert all(passage.symbols >= shortest for passage in compared(texts, ROBUST).passages)

    @given(pairs())
    def test_they_are_those_of_the_fingerprints_inside_passages(self, texts):
        """By their definition: fingerprints whose k symbols are all marked, on both sides."""
        found, marked, everything = compared(texts, ROBUST), [], []
        for text, side in zip(texts, ("left", "right"), strict=True):
            inside = covered(text, [getattr(match, side) for match in found.matches])
            chosen = whorl.fingerprint(text, ROBUST)
            rows = zip(chosen.hashes.tolist(), chosen.positions.tolist(), strict=True)
            everything.append(set(chosen.hashes.tolist()))
            marked.append({hash_ for hash_, at in rows if inside[at : at + K].all()})
        shared, (one, two) = len(marked[0] & marked[1]), everything
        assert found.shared_fingerprints == shared
        assert found.similarity == pytest.approx(shared / max(1, len(one) + len(two) - shared))
        assert found.containment == pytest.approx(shared / max(1, min(len(one), len(two))))
        assert found.score_parts.matched == min(
            round(found.left_coverage * len(texts[0])), round(found.right_coverage * len(texts[1]))
        )

    def test_a_text_too_short_to_have_a_k_gram_has_nothing_in_common_with_itself(self):
        assert whorl.compare("abcd", "abcd", ROBUST).score == 0
