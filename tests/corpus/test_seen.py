"""The table of ids answers as a set does."""

from hypothesis import given
from hypothesis import strategies as st

from whorl.corpus import seen as module
from whorl.corpus.seen import Seen


@given(st.lists(st.text(max_size=3)))
def test_it_answers_as_a_set(ids):
    seen, known = Seen(), set()
    for identity in ids:
        assert seen.add(identity) == (identity not in known)
        known.add(identity)


def test_many_tables_of_memory_and_of_files(monkeypatch):
    monkeypatch.setattr(module, "_FIRST", 8)
    monkeypatch.setattr(module, "_IN_MEMORY", 4096)
    seen = Seen()
    assert all(seen.add(str(number)) for number in range(20_000))
    assert not any(seen.add(str(number)) for number in range(20_000))
    assert seen.add("\ud800")


@given(st.lists(st.binary(min_size=16, max_size=16) | st.integers(0, 3).map(lambda n: bytes([n]) * 16)))
def test_digests(digests):
    seen, known = Seen(), set()
    for digest in digests:
        assert (digest in seen) == (digest in known)
        assert seen.add_digest(digest) == (digest not in known)
        known.add(digest)
        assert digest in seen
    assert "text" not in seen
