"""Repeated passages: the definition by brute force, in small memory, and when hashes collide."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.clustering.repeats import BOILERPLATE, REPEAT, PassageFinder, Winnower
from whorl.clustering.store import PhaseStore
from whorl.errors import InputError
from whorl.kernel import native_shingles

# Few different tokens, so that repeats are frequent, overlap each other and themselves.
documents = st.lists(st.lists(st.integers(0, 2), max_size=30), max_size=6)
FILES = ("documents", *PassageFinder.FILES)
ODD = 0x9E3779B97F4A7C15


def is_repeated(texts: list[list[int]], t: int) -> list[list[bool]]:
    """Whether each token is in a window of t tokens that occurred before: the definition."""
    seen, tokens = set(), [[False] * len(text) for text in texts]
    for number, text in enumerate(texts):
        for start in range(len(text) - t + 1):
            window = tuple(text[start : start + t])
            if window in seen:
                tokens[number][start : start + t] = [True] * t
            seen.add(window)
    return tokens


def passages(
    texts: list[list[int]], t: int, *, memory: int = 1 << 30, together: int = 2, hosts=None, most=0, firsts=False
):
    winnower = Winnower(t)
    bounds = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    with tempfile.TemporaryDirectory() as folder, PhaseStore(Path(folder), FILES, 1) as store:
        finder = PassageFinder(store, winnower, memory)
        for first in range(0, len(texts), together):
            batch = texts[first : first + together]
            tokens = np.array([token * ODD % 2**64 for text in batch for token in text], np.uint64)
            read = winnower.read(tokens, np.cumsum([0, *map(len, batch)], dtype=np.int64))
            store.append({"documents": bytes(len(batch)), **finder.contents(read)}, len(batch))
        return finder.passages(bounds, None if hosts is None else np.array(hosts, np.int64), most, firsts).copy()


def marked(texts: list[list[int]], rows) -> list[list[bool]]:
    tokens = [[False] * len(text) for text in texts]
    for row in rows:
        tokens[row["document"]][row["start"] : row["end"]] = [True] * int(row["end"] - row["start"])
    return tokens


@given(documents, st.integers(2, 8), st.sampled_from([64, 640, 1 << 30]), st.integers(1, 3))
def test_exactly_the_repeats_of_t_tokens_are_passages(texts, t, memory, together):
    rows = passages(texts, t, memory=memory, together=together)
    assert marked(texts, rows) == is_repeated(texts, t)
    for row in rows:
        copy = texts[row["source"]][row["at"] : row["at"] + t]
        assert copy == texts[row["document"]][row["start"] : row["start"] + t]
        assert (row["source"], row["at"]) < (row["document"], row["start"])
    places = [(row["document"], row["start"], row["end"]) for row in rows]
    assert places == sorted(places)


@given(documents, st.integers(2, 5))
def test_windows_of_one_hash_are_compared_token_by_token(texts, t):
    values = native_shingles.values

    def colliding(*args):
        return values(*args) & np.uint64(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_shingles, "values", colliding)
        assert marked(texts, passages(texts, t)) == is_repeated(texts, t)


MENU = list(range(100, 110))


def page(number: int) -> list[int]:
    return [*MENU, *range(1000 * number, 1000 * number + 20)]


def test_boilerplate_is_what_many_documents_of_one_host_have():
    texts = [page(1), page(2), page(3), page(4), page(1)[10:]]
    rows = passages(texts, 10, hosts=[0, 0, 0, 1, 1], most=2)
    assert [(row["document"], row["kind"]) for row in rows] == [
        (1, BOILERPLATE), (2, BOILERPLATE), (3, REPEAT), (4, REPEAT)
    ]  # fmt: skip
    everywhere = passages(texts, 10, hosts=[0, 0, 0, 1, 1], most=2, firsts=True)
    assert [row["document"] for row in everywhere if row["kind"] == BOILERPLATE] == [0, 1, 2]
    assert all(row["kind"] == REPEAT for row in passages(texts, 10, hosts=[-1] * 5, most=2, firsts=True))


def test_a_document_counts_once_for_its_host():
    texts = [[*MENU, 1, *MENU, 2, *MENU, 3], [*MENU, 4]]
    assert {int(row["kind"]) for row in passages(texts, 10, hosts=[0, 0], most=2)} == {REPEAT}


def test_a_passage_has_at_least_two_tokens():
    with pytest.raises(InputError, match="tokens: 1 is out of range"):
        Winnower(1)
