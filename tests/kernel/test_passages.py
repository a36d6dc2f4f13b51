"""The loops that make passages of matches: the compiled ones equal their specification."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import passages as specification
from tests.kernel.test_matching import WIDTHS, equal
from whorl.kernel import native_passages

links = st.lists(
    st.tuples(*[st.integers(0, 40)] * 2, st.integers(1, 9), *[st.integers(0, 1)] * 2, st.integers(0, 40)), max_size=12
)


@given(links, st.integers(1, 6), st.integers(0, 20), st.integers(0, 9), st.integers(0, 10), st.integers(0, 30))
@examples(400)
def test_chains_of_matches(rows, k, reach, look, sure, enough):
    rows.sort()
    columns = [np.array([row[column] for row in rows], np.int32) for column in range(5)]
    weights = np.array([row[5] / 3 for row in rows], np.float64)
    arguments = *columns, weights, k, reach, 20.0, look, sure, float(enough)
    assert equal(native_passages.chain(*arguments), specification.chain(*arguments))


runs = st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=5), max_size=4)


@given(runs, st.booleans())
@examples(300)
def test_places_of_runs_are_counted_once(groups, ascend):
    groups = [sorted(group) if ascend else group for group in groups]
    table = np.array([run for group in groups for run in group], np.int32).reshape(-1, 2).T.copy()
    bounds = np.cumsum([0, *map(len, groups)])
    counted, expected = (module.united(*table, bounds) for module in (native_passages, specification))
    assert (counted is None) == (expected is None)
    assert counted is None or counted.tolist() == expected.tolist()


spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=9)


def edges(spans) -> tuple[np.ndarray, np.ndarray]:
    """The starts and the ends of spans, given by their starts and lengths."""
    return np.array([start for start, _ in spans], np.int64), np.array([sum(span) for span in spans], np.int64)


@given(spans, spans)
@examples(300)
def test_unions_of_spans_and_what_lies_inside_them(outer, inner):
    union = native_passages.joined(*edges(outer))
    assert equal(union, specification.joined(*edges(outer)))
    expected = specification.within(*edges(inner), *union)
    assert native_passages.within(*edges(inner), *union).tolist() == expected.tolist()


@given(spans, spans.filter(len), st.data())
@examples(300)
def test_symbols_of_runs_outside_of_spans(outer, symbols, data):
    run = st.integers(0, len(symbols)).flatmap(
        lambda begin: st.tuples(st.just(begin), st.integers(0, len(symbols) - begin))
    )
    groups = data.draw(st.lists(st.lists(run, max_size=3), max_size=3))
    table = np.array([run for group in groups for run in group], np.int32).reshape(-1, 2).T.copy()
    union = specification.joined(*edges(outer))
    arguments = *edges(symbols), *table, np.cumsum([0, *map(len, groups)]), *map(np.ascontiguousarray, union)
    assert native_passages.uncovered(*arguments).tolist() == specification.uncovered(*arguments).tolist()


marked = st.lists(st.tuples(st.integers(0, 255), st.booleans(), st.integers(0, 9)), max_size=30)


@given(marked, st.integers(1, 5), st.sampled_from(WIDTHS))
@examples(300)
def test_statements_of_a_stream(rows, shortest, width):
    stream = np.array([symbol for symbol, _, _ in rows], width)
    marks = np.array([is_first << 31 | rewrites for _, is_first, rewrites in rows], np.uint32)
    arguments = stream, marks, shortest
    assert equal(native_passages.statements(*arguments), specification.statements(*arguments))
