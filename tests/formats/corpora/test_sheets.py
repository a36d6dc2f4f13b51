"""Sheets: plain lines are read together, the others one by one, and nothing else differs."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.formats.corpora.making import in_sheets, jsonl, planted, split
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.read import read_sheets

lines = st.one_of(
    st.fixed_dictionaries(
        {"text": st.text() | st.sampled_from(["one two", " ", 7])},
        optional={
            "id": st.integers(0, 5) | st.sampled_from(["a", "b", "", "é\n", 1.5]) | st.none(),
            "url": st.sampled_from(["http://x/", None, []]),
            "date": st.sampled_from(["2024-01-02", 2024, None]),
            "more": st.sampled_from([{"deep": [1, {"er": None}]}, 1e9]),
        },
    ).map(json.dumps),
    st.sampled_from(["", " ", "{", "[]", '{"text": "\\ud83d"}', '{"te\\u0078t": "named with an escape"}', "x" * 200]),
)


@given(st.lists(lines), st.sampled_from(["\n", "\r\n"]), st.sampled_from([60, 10**6]))
def test_the_same_documents_and_faults(tmp_path_factory, rows, ending, most):
    path = planted(tmp_path_factory.mktemp("corpus"), "a.jsonl", ending.join(['{"text": "first"}', *rows]).encode())
    split(path, rules=Rules(member=most))


def test_a_folder_with_tables_and_pages_keeps_its_order(tmp_path):
    rows = [{"id": f"d{number}", "text": "one two three"} for number in range(5)]
    planted(tmp_path, "a.jsonl", jsonl(rows))
    planted(tmp_path, "b.txt", b"four five")
    planted(tmp_path, "c.jsonl", jsonl([*rows[3:], {"id": "b.txt", "text": "six"}, {"id": "new", "text": "seven"}]))
    records, faults = in_sheets(tmp_path)
    assert [record.id for record in records] == ["d0", "d1", "d2", "d3", "d4", "b.txt", "new"]
    assert [(fault.path, fault.row) for fault in faults] == [("c.jsonl", 1), ("c.jsonl", 2), ("c.jsonl", 3)]


def test_plain_lines_come_in_few_sheets(tmp_path):
    rows = jsonl([{"id": number, "text": f"a text of its own, {number} \n é"} for number in range(1000)])
    items = list(read_sheets(planted(tmp_path, "a.jsonl", rows)))
    assert all(isinstance(item, Sheet) for item in items)
    assert len(items) == 1
