"""From symbols to hashes: keys, the order and the identity of k-grams, and the papers' own rolling hashes."""
