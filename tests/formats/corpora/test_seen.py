"""The table of ids answers as a set does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel import specification
from whorl.formats.corpora import records as module
from whorl.formats.corpora.records import DigestSet


@given(st.lists(st.text(max_size=3)))
def test_it_answers_as_a_set(ids):
    seen, known = DigestSet(), set()
    for identity in ids:
        assert seen.add(identity) == (identity not in known)
        known.add(identity)


def test_many_tables_of_memory_and_of_files(monkeypatch):
    monkeypatch.setattr(module, "_FIRST", 8)
    monkeypatch.setattr(module, "_IN_MEMORY", 4096)
    seen = DigestSet()
    ids = [str(number).encode() for number in range(20_000)]
    assert seen.add_all(ids).all()
    assert not seen.add_all(ids).any()
    assert seen.add("\ud800")


def rows(digests):
    return np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)


DIGEST = st.binary(min_size=16, max_size=16) | st.integers(0, 3).map(lambda n: bytes([n]) * 16)


@pytest.mark.parametrize("kernel", ["native", "specification"])
@given(st.lists(st.lists(DIGEST)))
def test_digests(kernel, batches):
    with pytest.MonkeyPatch.context() as patch:
        if kernel == "specification":
            specification.replace_native(patch)
        seen, known = DigestSet(), set[bytes]()
        for batch in batches:
            assert seen.known(rows(batch)).tolist() == [digest in known for digest in batch]
            new = [digest not in {*known, *batch[:place]} for place, digest in enumerate(batch)]
            assert seen.add_digests(rows(batch)).tolist() == new
            known.update(batch)
            assert seen.known(rows(batch)).all()
