"""Sanctioned material is no evidence, and takes nothing that is a document's own."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.fingerprinting.whole import read_whole
from whorl.hashing.hasher import hasher
from whorl.matching.evidence import evidence, gather, sift
from whorl.matching.sanction import Sanction

SCHEME = whorl.Scheme(k=5, w=4)
letters = st.text("abcd", max_size=80)
bases = st.text("abcd", min_size=SCHEME.k, max_size=80)


def sanction(*texts: str) -> Sanction:
    return Sanction([_whole(text).stream for text in texts], hasher(whorl.Key.PUBLIC, SCHEME.k))


def _whole(text: str):
    return read_whole(whorl.Document("", text), SCHEME, whorl.Key.PUBLIC)


def _part(text: str, *bases: str):
    whole = _whole(text)
    return sift(whole.stream, whole.fingerprints, sanction(*bases))


@given(letters, bases)
def test_what_is_covered_is_what_the_definition_says(text, base):
    """A symbol is sanctioned in a run of at least t symbols whose every k-gram stands in the base."""
    k, t = SCHEME.k, SCHEME.k + 3
    assert SCHEME.guarantee == t
    known = {base[i : i + k] for i in range(len(base) - k + 1)}
    expected = np.zeros(len(text), bool)
    for start in range(len(text)):
        for end in range(start + t, len(text) + 1):
            if all(text[i : i + k] in known for i in range(start, end - k + 1)):
                expected[start:end] = True
    found = _part(text, base).covered
    assert found is not None
    assert found.tolist() == expected.tolist()


@given(letters, bases)
def test_no_evidence_touches_what_is_sanctioned(text, base):
    part = _part(text, base)
    own = evidence(part)
    assert part.covered is not None
    assert "".join(map(chr, own.symbols)) == "".join(np.array(list(text), "U1")[~part.covered])
    known = {base[i : i + SCHEME.k] for i in range(len(base) - SCHEME.k + 1)}
    for place in own.places.tolist():
        gram = "".join(map(chr, own.symbols[place : place + SCHEME.k]))
        assert gram not in known
        assert gram in text
        assert not any(place < bound < place + SCHEME.k for bound in own.bounds.tolist())


@given(st.lists(letters, max_size=4), bases)
def test_files_in_a_row_keep_their_spans_and_bounds(texts, base):
    own = [evidence(_part(text, base)) for text in texts]
    row = gather(own)
    assert len(row) == sum(map(len, own))
    assert len(row.bounds) == len(row.files) + 1
    assert row.bounds[0] == 0
    assert row.bounds[-1] == len(row)
    for first, last, file in zip(row.bounds[:-1], row.bounds[1:], row.files, strict=True):
        for at in range(first, last):
            assert texts[file][row.starts[at] : row.ends[at]] == chr(row.symbols[at])
    keys = list(zip(row.hashes.tolist(), row.places.tolist(), strict=True))
    assert keys == sorted(keys)


def test_spans_of_the_sanctioned_text():
    base = "the template of the exercise"
    text = f"My own words. {base.upper()}! And mine again."
    assert [text[start:end] for start, end in _part(text, base).sanctioned] == [base.upper()]


def test_an_empty_base_sanctions_nothing():
    assert not sanction()
    assert _part("abcdefgh").covered is None
