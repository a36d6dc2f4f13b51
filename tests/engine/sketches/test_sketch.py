"""Sketches: made, merged, saved."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.sketches.universe import by_hand, keys, web
from tests.kernel import specification
from whorl.engine import sketches
from whorl.engine.estimates import estimate_resemblance
from whorl.engine.fingerprints import fingerprint
from whorl.engine.hashing import Key
from whorl.engine.sampling import RULES
from whorl.engine.sketches import Sketch, sketch, sketch_hashes
from whorl.errors import InputError, KeyMismatchError, SketchError, SketchFormatError, SketchMismatchError
from whorl.scheme import Scheme

identities = st.lists(st.integers(0, 50) | st.integers(0, 2**64 - 1), max_size=80).map(lambda n: np.array(n, np.uint64))
kinds = st.sampled_from(sorted(RULES))
TEXT = " ".join(str(number % 701) for number in range(3000))

# Magic, version 1, kind 1, level 0; ids of 32 bytes; size, shingles and number of hashes; hashes; checksum.
FROZEN = (
    b"WHORLSKT" + bytes([1, 0, 0, 0, 1, 0, 0, 0]) + b"web".ljust(32, b"\0") + b"public".ljust(32, b"\0")
    + b"".join(number.to_bytes(8, "little") for number in (4, 2, 2, 4, 8)) + bytes.fromhex("38fe29e6")
)  # fmt: skip


@pytest.fixture(params=sorted(RULES))
def kind(request):
    return request.param


class TestMaking:
    def test_of_a_document_as_of_its_identities(self, kind):
        full = Scheme(symbols="words", k=10, select="full")
        hashes = fingerprint(TEXT, full).hashes
        sketched = sketch(TEXT, kind, scheme=full)
        assert sketched == sketch_hashes(hashes, kind, scheme=full)
        assert sketched.shingles == len(hashes) == 2991
        assert len(sketched) > 20

    def test_in_small_blocks(self, kind, monkeypatch):
        expected = sketch(TEXT, kind, 40)
        monkeypatch.setattr("whorl.engine.sketches.BLOCK", 100)
        monkeypatch.setattr("whorl.engine.sketches.WAITING", 1)
        monkeypatch.setattr("whorl.formats.text.PIECE", 64)
        assert sketch(TEXT, kind, 40) == expected

    def test_both_kernels_agree(self, kind, monkeypatch):
        expected = sketch(TEXT[:600], kind, 5)
        specification.replace_native(monkeypatch)
        assert sketch(TEXT[:600], kind, 5).to_bytes() == expected.to_bytes()

    def test_an_empty_document(self, kind):
        sketched = sketch("", kind)
        assert (len(sketched), sketched.shingles, sketched.is_complete) == (0, 0, True)

    def test_a_key_gives_other_hashes(self, kind):
        first, second = (sketch(TEXT, kind, scheme=web(key), key=key) for key in keys(2, 1))
        assert not set(first.hashes.tolist()) & set(second.hashes.tolist())

    def test_a_repeated_page_is_no_larger(self, kind):
        assert sketch(f"{TEXT} " * 30, kind, 25).hashes.nbytes <= 8 * 200

    def test_memory_does_not_grow_with_the_document(self, kind, tmp_path):
        peaks = []
        for size in (2_000_000, 10_000_000):
            file = tmp_path / f"{size}.txt"
            file.write_bytes(np.random.default_rng(1).integers(ord("A"), ord("z"), size, dtype=np.uint8).tobytes())
            tracemalloc.start()
            sketch(file, kind, 2**20 if kind == "mod" else 100)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[1] < 1.5 * peaks[0]

    def test_wrong_input(self):
        with pytest.raises(KeyMismatchError):
            sketch("x", key=Key(b"0123456789abcdef"))
        with pytest.raises(KeyMismatchError):
            sketch_hashes(np.empty(0, np.uint64), key=Key(b"0123456789abcdef"))
        with pytest.raises(SketchError, match="uint64"):
            sketch_hashes(np.zeros(1, np.int64))


class TestUnion:
    @given(identities, identities, kinds, st.integers(1, 40))
    def test_the_union_of_sketches_is_the_sketch_of_the_union(self, a, b, kind, size):
        first, second = sketch_hashes(a, kind, size), sketch_hashes(b, kind, size)
        assert first.union(second) == sketch_hashes(np.concatenate([a, b]), kind, size)
        assert first.union(second) == second.union(first)

    @given(identities, identities, identities, kinds)
    def test_of_several(self, a, b, c, kind):
        first, second, third = (sketch_hashes(hashes, kind, 7) for hashes in (a, b, c))
        assert first.union(second, third) == first.union(second.union(third))
        assert first.union() is first

    @given(identities, identities, st.integers(1, 9), st.integers(1, 9))
    def test_of_different_sizes(self, a, b, m, n):
        together = np.concatenate([a, b])
        for kind, size in (("min", min(m, n)), ("adaptive", min(m, n)), ("mod", np.lcm(m, n).item())):
            sketched = sketch_hashes(a, kind, m).union(sketch_hashes(b, kind, n))
            assert sketched == sketch_hashes(together, kind, size)


class TestMismatch:
    @pytest.mark.parametrize(
        ("other", "what"),
        [
            (by_hand({1}, "mod", 1, scheme="other"), "scheme"),
            (by_hand({1}, "mod", 1, key="other"), "key"),
            (by_hand({1}, "min", 1), "kind"),
        ],
    )
    def test_they_are_never_compared(self, other, what):
        sketched = by_hand({1}, "mod", 1)
        for attempt in (sketched.union, lambda second: estimate_resemblance(sketched, second)):
            with pytest.raises(SketchMismatchError, match=f"different {what}s"):
                attempt(other)
        assert sketched != other
        assert issubclass(SketchMismatchError, InputError)


class TestValue:
    def test_it_cannot_be_changed(self):
        sketched = sketch(TEXT)
        with pytest.raises(AttributeError):
            sketched.size = 3  # type: ignore[misc]
        with pytest.raises(ValueError):
            sketched.hashes[0] = 1

    def test_it_is_a_key_of_dictionaries(self):
        assert {sketch(TEXT): 1}[sketch(TEXT)] == 1

    @pytest.mark.parametrize(
        "wrong",
        [
            ("min", 2, 0, "s", "k", 9, [3, 1]),
            ("min", 2, 0, "s", "k", 9, [1, 1]),
            ("min", 2, 0, "s", "k", 9, [1, 2, 3]),
            ("min", 2, 1, "s", "k", 9, [1]),
            ("min", 2, 0, "s", "k", 0, [1]),
            ("mod", 2, 0, "s", "k", 9, [1]),
            ("adaptive", 2, 1, "s", "k", 9, [1]),
            ("adaptive", 2, 65, "s", "k", 9, []),
            ("min", 2, 0, "é", "k", 9, [1]),
            ("min", 2, 0, "", "k", 9, [1]),
            ("min", 2, 0, "s", "k" * 33, 9, [1]),
        ],
    )
    def test_it_checks_itself(self, wrong):
        kind, size, level, scheme, key, shingles, hashes = wrong
        with pytest.raises(SketchError):
            Sketch(kind, size, level, scheme, key, shingles, np.array(hashes, np.uint64))


class TestFile:
    @given(identities, kinds, st.integers(1, 40))
    def test_round_trip(self, hashes, kind, size):
        sketched = sketch_hashes(hashes, kind, size)
        again = Sketch.from_bytes(sketched.to_bytes())
        assert again == sketched
        assert (again.shingles, again.level, again.size) == (sketched.shingles, sketched.level, sketched.size)
        assert not again.hashes.flags.writeable

    def test_every_flipped_bit_is_noticed(self, kind):
        data = bytearray(by_hand({0, 8, 16, 2**63}, kind, 4).to_bytes())
        for bit in range(8 * len(data)):
            data[bit // 8] ^= 1 << bit % 8
            with pytest.raises(SketchFormatError):
                Sketch.from_bytes(bytes(data))
            data[bit // 8] ^= 1 << bit % 8

    def test_every_cut_is_noticed(self):
        data = by_hand({0, 8, 16}, "min", 4).to_bytes()
        for length in range(len(data)):
            with pytest.raises(SketchFormatError):
                Sketch.from_bytes(data[:length])
        with pytest.raises(SketchFormatError):
            Sketch.from_bytes(data + b"\0")

    def test_frozen_bytes(self):
        data = by_hand({4, 8}, "mod", 4, scheme="web", key="public").to_bytes()
        assert data == FROZEN
        assert len(data) == 104 + 2 * 8 + 4

    def test_a_newer_format_is_distinguished_from_damage(self, monkeypatch):
        monkeypatch.setattr(sketches, "VERSION", 2)
        data = by_hand({4}, "min", 4).to_bytes()
        monkeypatch.undo()
        with pytest.raises(SketchFormatError, match="update Whorl"):
            Sketch.from_bytes(data)

    def test_a_right_checksum_does_not_make_it_right(self):
        data = sketches.pack("min", 0, "scheme", "key", 4, 9, np.array([3, 2], np.uint64))
        with pytest.raises(SketchFormatError, match="sorted"):
            Sketch.from_bytes(data)

    def test_there_is_one_way_to_write_a_sketch(self):
        packed = bytearray(by_hand({4}, "min", 4).to_bytes()[:-4])
        packed[14] = 1
        with pytest.raises(SketchFormatError, match="inconsistent"):
            Sketch.from_bytes(bytes(packed) + sketches._checksum(bytes(packed)))

    def test_a_few_hundred_bytes(self):
        assert len(sketch(TEXT, "adaptive", 50).to_bytes()) < 600
