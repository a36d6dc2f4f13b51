"""The winnowing paper's own words as programs: as literal as can be, and as slow."""


def definition_1(hashes, w):
    """In each window select the minimum hash value. If there is more than one, select the rightmost occurrence."""
    selected = set()
    for start in range(len(hashes) - w + 1):
        window = hashes[start : start + w]
        selected.add(max(start + i for i in range(w) if window[i] == min(window)))
    return sorted(selected)


def definition_3(hashes, w):
    """… If possible break ties by selecting the same hash as the window one position to the left. If not, select the
    rightmost minimal hash."""
    selected, before = set(), None
    for start in range(len(hashes) - w + 1):
        window = hashes[start : start + w]
        minimal = [start + i for i in range(w) if window[i] == min(window)]
        before = before if before in minimal else minimal[-1]
        selected.add(before)
    return sorted(selected)


def good_bad_ugly(hashes, p, w):
    """Good if a hash is 0 mod p; Bad if it and the w - 1 hashes to its left are not Good; Ugly otherwise."""
    good = [value % p == 0 for value in hashes]
    bad = [at >= w - 1 and not any(good[at - w + 1 : at + 1]) for at in range(len(hashes))]
    return [at for at in range(len(hashes)) if good[at] or bad[at]]


def figure_5(hashes, w, robust=False):
    """The loop of Figure 5, line by line; yields the global position of ``min`` at the end of each iteration.

    Two things differ from the print: (r - 1) % w is taken as it is meant (in C it is -1 for r = 0), and a hash may be
    as large as INT_MAX stands for, so infinity fills the buffer.
    """
    h = [float("inf")] * w
    r = least = 0
    for position, value in enumerate(hashes):
        r = (r + 1) % w
        h[r] = value
        if least == r:
            i = (r - 1) % w
            while i != r:
                if h[i] < h[least]:
                    least = i
                i = (i - 1 + w) % w
        elif h[r] < h[least] or (h[r] == h[least] and not robust):
            least = r
        yield position - (r - least) % w
