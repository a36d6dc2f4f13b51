"""Sanctioned material is no evidence, and takes nothing that is a document's own."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.engine.documents import read_whole, read_wholes
from whorl.matching.evidence import evidence, gather, inside, sift
from whorl.matching.starter_code import StarterCode, merge_spans
from whorl.scheme import resolve

SCHEME = whorl.Scheme(k=5, w=4)
letters = st.text("abcd", max_size=80)
bases = st.text("abcd", min_size=SCHEME.k, max_size=80)


def sanction(*texts: str) -> StarterCode:
    return StarterCode([("text", text, _whole(text).stream) for text in texts], SCHEME, whorl.Key.PUBLIC)


def _whole(text: str):
    return read_whole(whorl.Document("", text), SCHEME, whorl.Key.PUBLIC)


def _part(text: str, *bases: str):
    whole = _whole(text)
    return sift(whole.stream, whole.fingerprints, sanction(*bases).spans("text", text, whole.stream))


@given(letters, bases)
def test_what_is_covered_is_what_the_definition_says(text, base):
    """A symbol of prose is sanctioned if it is in a k-gram that stands in the base."""
    k = SCHEME.k
    known = {base[i : i + k] for i in range(len(base) - k + 1)}
    expected = np.zeros(len(text), bool)
    for start in range(len(text) - k + 1):
        if text[start : start + k] in known:
            expected[start : start + k] = True
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
    assert _part("abcdefgh").sanctioned == ()
    assert sift(_whole("abcdefgh").stream, _whole("abcdefgh").fingerprints, None).covered is None


def test_equal_ones_pickle_alike_before_and_after_use():
    one, two = sanction("the template"), sanction("the template")
    one.spans("text", "a text", _whole("a text").stream)
    assert pickle.dumps(one) == pickle.dumps(two)
    again = pickle.loads(pickle.dumps(one))
    text = "here is the template again"
    assert again.spans("text", text, _whole(text).stream) == two.spans("text", text, _whole(text).stream)


CODE = resolve("code")


def _read_code(text: str):
    (whole,) = read_wholes([whorl.Document("a.py", text)], CODE, whorl.Key.PUBLIC, normal_form=True)
    assert not isinstance(whole, Exception)
    assert whole.normal_form is not None
    return whole


def test_what_comes_from_the_template_is_no_evidence_in_any_stream():
    """A function of the template that is inlined, remarks inside it, and what stands between two edits."""
    area = "def area(width, height):\n    size = width * height + 1\n    return size\n\n\n"
    base = f"{area}def show(value):\n    print(value)\n"
    own = "\n\nfor row in rows:\n    seen[row] = seen.get(row, 0) + weights[row] * factor\n"
    text = base.replace("    return", "    # a remark\n    return") + own
    whole, given_one = _read_code(text), _read_code(base)
    spans = StarterCode([("python", base, given_one.stream)], CODE, whorl.Key.PUBLIC).spans(
        "python", text, whole.stream
    )
    around = merge_spans(spans, text, whole.stream)
    for stream in (whole.stream, whole.normal_form.stream, whole.normal_form.standing):
        is_given = inside(stream, around)
        begins = text.index("for row")
        assert is_given.tolist() == (stream.starts < begins).tolist()
    assert [text[start:end] for start, end in spans][-1].endswith("print(value)")
