"""Keys and the hashes drawn from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.engine.hashing import Hasher, Key, karp_rabin, karp_rabin_improved
from whorl.errors import InputError

secrets = st.binary(min_size=16, max_size=16)

FROZEN_ORDER = [428851343, 4257190913, 3765546451]
FROZEN_IDENTITY = [9838672516711755806, 296484999330315793, 15490345393163007206]
FROZEN_FOLD = [1, 150, 3, 103, 5, 6]
FROZEN_WIDE = [8160181070602057288, 7518654024987910653]


class TestKey:
    def test_the_public_key_is_called_so(self):
        assert Key.PUBLIC.id == "public"
        assert Key.random().id != Key.random().id != "public"

    def test_the_secret_is_not_shown(self):
        key = Key(b"0123456789abcdef")
        assert "0123456789abcdef" not in repr(key)
        assert b"0123456789abcdef".hex() not in repr(key) + key.id

    @given(secrets)
    def test_hex(self, secret):
        assert Key.from_hex(secret.hex()) == Key(secret)

    @pytest.mark.parametrize("wrong", ["", "zz" * 16, "00" * 15, "00" * 17])
    def test_wrong_hex(self, wrong):
        with pytest.raises(InputError, match="key"):
            Key.from_hex(wrong)

    @given(secrets, st.integers(1, 20), st.integers(0, 20))
    def test_more_words_begin_with_the_same_ones(self, secret, count, more):
        key = Key(secret)
        assert np.array_equal(key.words("test", count + more)[:count], key.words("test", count))
        assert np.array_equal(key.words("test", count).astype("<u8").view("<u4"), key.half_words("test", 2 * count))


def test_the_same_everywhere():
    """Frozen: whoever changes these breaks every stored index and must raise scheme.REVISION."""
    symbols = np.frombuffer(b"adorunrunrunadorunrun", np.uint8)
    hasher = Hasher(Key(bytes(range(16))), 5)
    assert hasher.order(symbols, 5)[:3].tolist() == FROZEN_ORDER
    assert hasher.identity(symbols, np.arange(3)).tolist() == FROZEN_IDENTITY
    wide = np.array([1, 2**9, 3, 2**33, 5, 6], np.uint64)
    assert hasher.fold(wide).tolist() == FROZEN_FOLD
    assert hasher.identity(wide, np.arange(2)).tolist() == FROZEN_WIDE


@given(st.lists(st.integers(0, 255), min_size=1, max_size=60), st.data(), secrets)
def test_hashes_depend_on_the_gram_alone(symbols, data, secret):
    """Not on where it is, nor on what is around it."""
    k = data.draw(st.integers(1, len(symbols)))
    stream = np.array(symbols, np.uint8)
    hasher = Hasher(Key(secret), k)
    whole = hasher.identity(stream, np.arange(len(stream) - k + 1))
    for at in range(len(stream) - k + 1):
        alone = stream[at : at + k].copy()
        assert hasher.identity(alone, np.zeros(1, np.int64)) == whole[at]
        assert hasher.order(alone, k) == hasher.order(stream, k)[at]


def test_a_million_random_grams_do_not_collide():
    symbols = np.random.default_rng(6).integers(0, 256, 1_000_020, dtype=np.uint8)
    hashes = Hasher(Key.PUBLIC, 20).identity(symbols, np.arange(1_000_000))
    assert len(np.unique(hashes)) == 1_000_000


def test_every_bit_of_the_identity_is_fair():
    symbols = np.random.default_rng(7).integers(97, 123, 200_019, dtype=np.uint8)
    hashes = Hasher(Key.PUBLIC, 20).identity(symbols, np.arange(200_000))
    for bit in range(64):
        assert abs(np.mean(hashes >> np.uint64(bit) & np.uint64(1)) - 0.5) < 0.006


def test_one_changed_symbol_changes_half_of_the_bits():
    rng = np.random.default_rng(8)
    flips = []
    for k in (5, 20, 50):
        hasher = Hasher(Key.PUBLIC, k)
        for _ in range(300):
            gram = rng.integers(97, 123, k, dtype=np.uint8)
            other = gram.copy()
            other[rng.integers(k)] ^= 1
            first, second = (int(hasher.identity(g, np.zeros(1, np.int64))[0]) for g in (gram, other))
            flips.append((first ^ second).bit_count())
    assert 28 < np.mean(flips) < 36


def test_the_papers_hashes():
    """Section 2.2 in its own words, and the weakness of H: the last symbol moves only the low bits."""
    gram = np.array([3, 1, 4], np.uint8)
    assert karp_rabin(gram, 3, 10).tolist() == [314]
    assert karp_rabin_improved(gram, 3, 10).tolist() == [3140]
    left, right = (np.frombuffer(text, np.uint8) for text in (b"abcdefgh", b"abcdefgi"))
    assert int(karp_rabin(right, 8)[0]) - int(karp_rabin(left, 8)[0]) == 1
    assert int(karp_rabin_improved(right, 8)[0]) - int(karp_rabin_improved(left, 8)[0]) not in range(-(2**32), 2**32)
