"""Breaks public polynomial hashes: colliding k-grams of lower-case letters, by lattice reduction (LLL).

Two k-grams collide under Σ cⱼ·b^(k-1-j) mod m exactly if the vector of their differences lies in the lattice of all d
with Σ dⱼ·b^(k-1-j) ≡ 0 (mod m). Short vectors of it have small entries, which are differences of letters.
"""

LETTERS = 26


def colliding_pairs(k, base, modulus):
    """Pairs of different k-grams over a–z, as bytes, with the same hash."""
    powers = [pow(base, k - 1 - j, modulus) for j in range(k)]
    inverse = pow(powers[0], -1, modulus)
    basis = [[modulus] + [0] * (k - 1)]
    basis += [[-powers[j] * inverse % modulus] + [int(i == j) for i in range(1, k)] for j in range(1, k)]
    return [_grams(vector) for vector in reduced(basis) if 0 < max(map(abs, vector)) < LETTERS]


def _grams(difference):
    left, right = (bytes(ord("a") + max(0, sign * d) for d in difference) for sign in (1, -1))
    return left, right


def reduced(basis):
    """LLL with δ = 3/4 in whole numbers (Cohen, A Course in Computational Algebraic Number Theory, 2.6.7)."""
    b = [list(row) for row in basis]
    n = len(b)
    d = [1] + [0] * n
    lam = [[0] * n for _ in range(n)]

    def orthogonalise(i):
        for j in range(i + 1):
            u = _dot(b[i], b[j])
            for h in range(j):
                u = (d[h + 1] * u - lam[i][h] * lam[j][h]) // d[h]
            if j < i:
                lam[i][j] = u
            else:
                d[i + 1] = u

    def shorten(i, j):
        if 2 * abs(lam[i][j]) <= d[j + 1]:
            return
        q = (2 * lam[i][j] + d[j + 1]) // (2 * d[j + 1])
        b[i] = [x - q * y for x, y in zip(b[i], b[j], strict=True)]
        lam[i][j] -= q * d[j + 1]
        for h in range(j):
            lam[i][h] -= q * lam[j][h]

    def swap(i):
        b[i], b[i - 1] = b[i - 1], b[i]
        for j in range(i - 1):
            lam[i][j], lam[i - 1][j] = lam[i - 1][j], lam[i][j]
        m = lam[i][i - 1]
        new = (d[i - 1] * d[i + 1] + m * m) // d[i]
        for h in range(i + 1, reached + 1):
            old = lam[h][i]
            lam[h][i] = (d[i + 1] * lam[h][i - 1] - m * old) // d[i]
            lam[h][i - 1] = (new * old + m * lam[h][i]) // d[i + 1]
        d[i] = new

    orthogonalise(0)
    at, reached = 1, 0
    while at < n:
        if at > reached:
            reached = at
            orthogonalise(at)
        shorten(at, at - 1)
        if 4 * (d[at + 1] * d[at - 1] + lam[at][at - 1] ** 2) < 3 * d[at] ** 2:
            swap(at)
            at = max(1, at - 1)
        else:
            for j in range(at - 2, -1, -1):
                shorten(at, j)
            at += 1
    return b


def _dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))
