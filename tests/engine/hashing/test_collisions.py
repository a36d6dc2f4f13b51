"""Collisions made against a public hash, and what becomes of them under a key."""

import numpy as np
import pytest

from tests.engine.hashing.lattice import colliding_pairs
from whorl.engine.hashing import BASE, Hasher, Key, karp_rabin, karp_rabin_improved

PAIRS = 10
MERSENNE = 2**61 - 1


@pytest.fixture(scope="module", params=[16, 20, 24])
def pairs(request):
    """Pairs of k-grams that collide under the public polynomial hash modulo 2^64."""
    collisions = colliding_pairs(request.param, BASE, 2**64)
    assert len(collisions) >= PAIRS
    return [tuple(np.frombuffer(gram, np.uint8) for gram in pair) for pair in collisions[:PAIRS]]


def test_they_collide_under_the_public_hash(pairs):
    for left, right in pairs:
        assert left.tobytes() != right.tobytes()
        for public in (karp_rabin, karp_rabin_improved):
            assert public(left, len(left)) == public(right, len(right))


def test_they_do_not_under_a_key(pairs):
    for secret in range(100):
        hasher = Hasher(Key(secret.to_bytes(16, "little")), len(pairs[0][0]))
        for left, right in pairs:
            first = np.zeros(1, np.int64)
            assert hasher.identity(left, first) != hasher.identity(right, first)
            assert hasher.order(left, hasher.k) != hasher.order(right, hasher.k)


def test_a_prime_modulus_is_broken_just_the_same():
    def public(gram):
        return sum(c * pow(BASE, len(gram) - 1 - j, MERSENNE) for j, c in enumerate(gram)) % MERSENNE

    collisions = colliding_pairs(20, BASE, MERSENNE)
    assert len(collisions) >= PAIRS
    assert all(left != right and public(left) == public(right) for left, right in collisions)
