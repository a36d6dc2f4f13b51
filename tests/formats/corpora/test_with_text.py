"""A text in a line of JSON is replaced, and all other bytes stay."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.formats.corpora.jsonl import object_of, with_text
from whorl.formats.corpora.streams import NumberedLine

# Lines whose text is @: all of them are refused by the quick reader of lines but the first two.
LINES = [
    '{"text": @}',
    ' {"id":1 ,"text"\t:  @ , "n": 1.10}\r',
    '{"caf\\u00e9": 1.10, "text": @}',
    '{"text": @, "n": NaN, "big": 1e400, "zero": -0, "long": 12345678901234567890.12345678901234567890}',
    '{"text": @, "meta": {"title": "broken \\ud83d emoji", "deep": [{"text": "no"}]}}',
    '{"meta": {"text": "no", "n": NaN}, "te\\u0078t": @, "é": Infinity}',
    '{"text": "first", "n": NaN, "text": @}',
    '{"text": 5, "n": -Infinity, "text":@}',
    '\ufeff{"n": NaN, "text": @}',
    '{"n": NaN, "": {}, "a": [], "b": [1, {"c": "}"}], "text": @ }',
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("text", ['"a text"', '"a \\"te\\u0078t\\" 😀 \\ud83d\\ude00"', '""'])
def test_only_the_bytes_of_the_text_change(line, text):
    before = line.replace("@", text).encode()
    assert (object_of(NumberedLine(1, before), 1000) or {})["text"] == json.loads(text)
    assert with_text(before, "text", 'n"é\n') == line.replace("@", '"n\\"é\\n"').encode()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), st.text(), st.text(), st.booleans(), st.booleans())
def test_any_object(values, column, text, is_ascii, is_odd):
    values = {**values, column: "before", **({"é\ud800": {"n": float("nan")}} if is_odd and is_ascii else {})}
    line = json.dumps(values, ensure_ascii=is_ascii)
    written = with_text(line.encode(), column, text)
    assert repr(json.loads(written)) == repr({**values, column: text})


@pytest.mark.parametrize("unit", ["line", "paragraph", "passage"])
def test_half_a_surrogate_pair_beside_the_text_stays(tmp_path, unit):
    repeated = "a paragraph that is repeated in here twice for sure " + " ".join(f"w{n}" for n in range(60))
    other = "and something else follows that is long enough to stay here"
    kept = b'{"text": "%s"}\n' % repeated.encode()
    broken = b'{"text": "%s\\n\\n%s", "meta": {"title": "broken \\ud83d emoji", "n": 1.10}}\n'
    path = tmp_path / "a.jsonl"
    path.write_bytes(kept + broken % (repeated.encode(), other.encode()))
    whorl.dedup(path, tmp_path / "out", unit=unit)
    written = (tmp_path / "out" / "a.jsonl").read_bytes()
    left = b"\\n" * (unit == "line") + other.encode()
    assert written == kept + broken.replace(b"%s\\n\\n%s", left)
