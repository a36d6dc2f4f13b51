"""Documents that are set aside, against the definition: the first of those that are equal original for the others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.clustering.records import RECORD
from whorl.clustering.result import KINDS, set_aside

# The digest of the content, and whether it could not be read.
rows = st.lists(st.tuples(st.integers(1, 6), st.booleans()), max_size=12)


@given(rows)
def test_the_first_of_equals_stands_for_the_others(made):
    records = np.zeros(len(made), RECORD)
    records["reason"] = [3 if unread else -1 for _, unread in made]
    records["content"][:, 0] = [content for content, _ in made]
    # Contents decide their symbols, symbols their shingles, as in documents of one format; 0 is none.
    records["lexical"][:, 1] = [content // 2 for content, _ in made]
    records["shingle"][:, 0] = [content // 4 for content, _ in made]
    found = set_aside(records)
    for number, (content, unread) in enumerate(made):
        if unread:
            assert found.original[number] == number
            assert not found.is_there[number]
            continue
        ways = [("identical", lambda one: one), ("lexical", lambda one: one // 2), ("shingle", lambda one: one // 4)]
        firsts = {
            kind: min(other for other, (one, gone) in enumerate(made) if not gone and way(one) == way(content))
            for kind, way in ways
            if way(content)
        }
        original = min(firsts.values())
        assert found.original[number] == original
        kinds = [kind for kind, first in firsts.items() if first == original]
        assert KINDS[found.kinds[number]] == ("unique" if original == number else kinds[0])
        assert found.rows[number] == (original == number)
