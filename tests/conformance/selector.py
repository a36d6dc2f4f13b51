"""What every selector must do, on the k-grams of documents. A selector's tests inherit this and name a scheme."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from tests.kernel import specification
from whorl.engine import fingerprints as engine
from whorl.engine.hashing import Hasher, Key
from whorl.threads import Prefetch


def documents(longest=250):
    """Streams from constant to random, of any width."""
    return st.tuples(st.sampled_from([1, 2, 26, 200, 100_000]), st.integers(0, 2**32), st.integers(0, longest)).map(
        lambda drawn: np.random.default_rng(drawn[1]).integers(
            0, drawn[0], drawn[2], dtype=np.uint8 if drawn[0] < 256 else np.uint32
        )
    )


class SelectorConformance:
    """Inherit, and say which selector with which parameters; ``promises`` if it has the guarantee."""

    name: str
    parameters: dict[str, Any]
    promises = True

    def scheme(self, k):
        return whorl.Scheme(k=k, select=self.name, **self.parameters)

    def fingerprint(self, symbols, k, key=Key.PUBLIC):
        return whorl.fingerprint(symbols, self.scheme(k).with_key(key.id), key=key)

    @given(data=st.data(), k=st.integers(1, 20), key=st.binary(min_size=16, max_size=16))
    @examples(300)
    def test_every_shared_passage_of_t_symbols_is_found(self, data, k, key):
        """Two documents that share any t symbols share a fingerprint, and it lies within the passage in both."""
        if not self.promises:
            pytest.skip("this selector promises nothing")
        t = self.scheme(k).guarantee
        passage = data.draw(documents().filter(lambda d: len(d) > 0)).tolist()
        passage = np.resize(np.array(passage, np.uint32), t + data.draw(st.integers(0, 30)))
        inside = []
        for _ in range(2):
            before, after = (data.draw(documents(60)).astype(np.uint32) for _ in range(2))
            fingerprints = self.fingerprint(np.concatenate((before, passage, after)), k, Key(key))
            low, high = len(before), len(before) + len(passage) - k
            inside.append(
                {
                    h
                    for h, at in zip(fingerprints.hashes.tolist(), fingerprints.positions.tolist(), strict=True)
                    if low <= at <= high
                }
            )
        assert inside[0] & inside[1]

    @given(left=documents(), right=documents(), k=st.integers(1, 12))
    def test_equal_hashes_are_equal_grams(self, left, right, k):
        """So nothing shorter than k ever matches."""
        grams: dict[int, tuple[int, ...]] = {}
        for symbols in (left, right):
            fingerprints = self.fingerprint(symbols, k)
            for hashed, at in zip(fingerprints.hashes.tolist(), fingerprints.positions.tolist(), strict=True):
                gram = tuple(symbols[at : at + k].tolist())
                assert grams.setdefault(hashed, gram) == gram

    @given(symbols=documents(700), k=st.integers(1, 12), run=st.integers(40, 300), threads=st.integers(1, 3))
    @examples(150)
    def test_neither_runs_nor_threads_change_anything(self, symbols, k, run, threads):
        whole = self.fingerprint(symbols, k)
        with pytest.MonkeyPatch.context() as patch, Prefetch(threads) as ahead:
            patch.setattr(engine, "RUN", run)
            divided = engine.select_symbols(symbols, self.scheme(k), Key.PUBLIC, ahead)
        assert divided.positions.tolist() == whole.positions.tolist()
        assert divided.hashes.tolist() == whole.hashes.tolist()
        assert divided.symbols == whole.symbols

    @given(symbols=documents(), k=st.integers(1, 12))
    @examples(50)
    def test_the_specification_agrees(self, symbols, k):
        compiled = self.fingerprint(symbols, k)
        with pytest.MonkeyPatch.context() as patch:
            specification.replace_native(patch)
            specified = self.fingerprint(symbols, k)
        assert compiled.positions.tolist() == specified.positions.tolist()
        assert compiled.hashes.tolist() == specified.hashes.tolist()

    @given(symbols=documents(), k=st.integers(1, 12))
    def test_positions_ascend_and_hashes_are_theirs(self, symbols, k):
        fingerprints = self.fingerprint(symbols, k)
        positions = fingerprints.positions.astype(np.int64)
        assert (np.diff(positions) > 0).all()
        assert np.array_equal(Hasher(Key.PUBLIC, k).identity(symbols, positions), fingerprints.hashes)

    @given(symbols=documents(60), k=st.integers(1, 30))
    def test_the_short_document_rule(self, symbols, k):
        fingerprints = self.fingerprint(symbols, k)
        if len(symbols) < k:
            assert len(fingerprints) == 0
        elif self.promises:
            assert len(fingerprints) >= 1
