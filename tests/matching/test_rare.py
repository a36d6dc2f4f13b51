"""K-grams that stand once in each of two documents, against their definition."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.comparison.compare import _read
from whorl.matching.evidence import gather
from whorl.matching.matches import ORIGIN, rare_keys

K = 4
SCHEME = whorl.Scheme(k=K, w=3)

files = st.lists(st.text("ab", max_size=30), min_size=1, max_size=3)


def evidence_of(texts):
    return gather([_read(text, SCHEME)[0].evidence for text in texts])


def grams(side):
    """The k-grams of a document that are evidence, each with its places."""
    found: dict[bytes, list[int]] = {}
    for start, end in zip(side.bounds[:-1].tolist(), side.bounds[1:].tolist(), strict=True):
        for at in range(start, end - K + 1):
            found.setdefault(side.symbols[at : at + K].tobytes(), []).append(at)
    return found


@given(files, files)
@examples(200)
def test_keys_are_those_of_the_definition(lefts, rights):
    left, right = evidence_of(lefts), evidence_of(rights)
    found = rare_keys(left, right, (left.symbols, right.symbols), K).tolist()
    starts = [key & 0xFFFFFFFF for key in found]
    pairs = [(a, a - ((key >> 32) - ORIGIN)) for a, key in zip(starts, found, strict=True)]
    own, other = grams(left), grams(right)
    assert Counter(pairs) == Counter(
        (own[gram][0], other[gram][0]) for gram in own.keys() & other.keys() if len(own[gram]) == len(other[gram]) == 1
    )


def test_sanctioned_k_grams_find_nothing(tmp_path):
    """Shorter than the guarantee, between a person's own words: no evidence."""
    phrases = ("fill in your name and number here", "the answer goes below this line only")
    between = ("walnut harbour", "crystal engine")
    key = "and this long sentence was copied from one of them to the other as it stands"
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "form.txt").write_text(" . ".join(phrases))
    (tmp_path / "class").mkdir()
    for name, word in zip(("ann.txt", "bob.txt"), between, strict=True):
        (tmp_path / "class" / name).write_text(f"{phrases[0]} {word} {phrases[1]} {word} {word[::-1]} {key}")
    (plain,) = whorl.compare_all(tmp_path / "class", "text", threshold=0.0).pairs
    (pair,) = whorl.compare_all(tmp_path / "class", "text", threshold=0.0, base=tmp_path / "base").pairs
    assert len(plain.passages[0].matches) > 1
    assert [match.symbols for passage in pair.passages for match in passage.matches] == [len(key.replace(" ", ""))]
