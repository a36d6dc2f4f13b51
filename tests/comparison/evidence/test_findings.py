"""Evidence is found where it was planted, between those who share it, and nowhere else."""

import json
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparison.evidence.planting import NAMES, planted, programs, written
from whorl.comparison import compare
from whorl.comparison.evidence import findings as evidence_findings
from whorl.comparison.evidence.finding import Findings, SubmissionTexts, Text
from whorl.comparison.evidence.findings import AHEAD, MOST_FINDINGS, TraceReader, find, findings
from whorl.comparison.evidence.oddities import PLACED
from whorl.engine.cache import ReadCache
from whorl.model import Span
from whorl.sandbox import Outcome, Sandbox, default_sandbox
from whorl.threads import Answer

PAIR = (2, 5)
TWO = tuple(NAMES[number] for number in PAIR)


def found_in(texts, **options):
    return findings(written(texts), **options)


def test_nothing_is_found_in_an_honest_class():
    assert found_in(programs()) == Findings({}, {})


@pytest.mark.parametrize(
    ("kind", "change", "word"),
    [
        ("literal", lambda text: text + 'print("the quick brown fox")\n', "the quick brown fox"),
        ("literal", lambda text: text + "print(86371)\n", "86371"),
        ("comment", lambda text: text + "# I do not know why this works\n", "I do not know why this works"),
        ("blanks", lambda text: text.replace("return kept", "return kept   "), "3 blanks at the end of a line"),
        ("blanks", lambda text: text.replace("(values, limit)", "(values , limit)"), "before a comma"),
        ("misspelling", lambda text: text.replace("separate", "seperate"), "“seperate”, where others write “separate”"),
        ("misspelling", lambda text: text.replace("receive", "recieve"), "“recieve”, where others write “receive”"),
        ("misspelling", lambda text: text.replace("position", "postion"), "“postion”, where others write “position”"),
    ],
)
def test_what_two_share_is_found_between_them_alone(kind, change, word):
    found = found_in(planted(change, *TWO))
    assert list(found.pairs) == [PAIR]
    assert found.submissions == {}
    (finding,) = found.of_pair(*reversed(PAIR))
    assert finding.kind == kind
    assert word in finding.words
    assert "none of the other 8 submissions does" in finding.words
    assert [place.submission for place in finding.places] == list(PAIR)


def test_places_are_lines():
    found = found_in(
        planted(lambda text: "# my very own remark\n" + text, TWO[0]) | {TWO[1]: "\n\n# my very own remark\n"}
    )
    (finding,) = found.of_pair(*PAIR)
    assert [(place.file, place.line) for place in finding.places] == [(f"{TWO[0]}.txt", 1), (f"{TWO[1]}.txt", 3)]


def test_a_misspelling_is_placed_in_the_first_file_that_has_it_and_quoted_from_the_first_who_writes_it():
    class_ = written(programs())
    for number, tail in zip(PAIR, ("x = Seperate\ny = seperate\n", "\ny = seperate\nx = Seperate\n"), strict=True):
        plain = class_[number].files[0]
        others = (Text("tail.txt", "python", tail), Text("later.txt", "python", tail))
        class_[number] = SubmissionTexts(class_[number].name, (plain, *others))
    finding = next(each for each in findings(class_).of_pair(*PAIR) if each.kind == "misspelling")
    assert "“Seperate”, where others write “separate”" in finding.words
    assert [(place.file, place.line) for place in finding.places] == [("tail.txt", 1), ("tail.txt", 2)]


def test_texts_are_read_again_where_a_word_is_misspelled():
    class_ = written(planted(lambda text: text.replace("separate", "seperate"), *TWO))
    read = []

    def texts_of(numbers):
        read.extend(numbers)
        return [class_[number] for number in numbers]

    assert find(TraceReader(iter(class_)), (), texts_of) == findings(class_)
    assert tuple(read) == PAIR


def many(count: int) -> list[SubmissionTexts]:
    """Submissions with a piece of starter code, and pairs of neighbours that share a remark."""
    given = "int n = 12345 ;\n"
    return [
        SubmissionTexts(
            f"s{number}",
            (
                Text("a.java", "java", f'{given}x = "of {number} alone";  \n// a remark of pair {number // 2}\n', (),
                     (Span(0, len(given)),)),
                Text("b.java", "java", f"// ca\u200bf\u00e9 {'и'.join('abcde')} \ud800 {number} \n" * (number % 4)),
            ),
        )
        for number in range(count)
    ]  # fmt: skip


def read(*arguments) -> list[Any]:
    """Return what a reader reads, as plain values: words have no order, and JSON knows no tuples."""
    every = [
        (names, traces._replace(words=" ".join(sorted(traces.words.split()))))
        for names, traces in TraceReader(*arguments)
    ]
    return json.loads(json.dumps(every))  # type: ignore[no-any-return]


@pytest.fixture
def sandbox():
    with Sandbox(2) as sandbox:
        yield sandbox


def test_workers_read_the_same_traces(sandbox, monkeypatch, tmp_path):
    monkeypatch.setattr(evidence_findings, "TASK", 300)
    class_ = many(40)
    expected = read(class_)
    assert any(traces.oddities.deceptions for _, traces in TraceReader(class_))
    assert read(class_, None, sandbox) == expected
    with ReadCache(tmp_path, 1 << 30) as cache:
        assert read(class_[:20], cache, sandbox) == expected[:20]
        monkeypatch.setattr(sandbox, "begin", Mock(wraps=sandbox.begin))
        assert read(class_, cache, sandbox) == expected
    sent = [name for call in sandbox.begin.mock_calls for name, _ in call.args[1]]
    assert sent == [f"s{number}" for number in range(20, 40)]


def test_workers_are_given_few_tasks_at_a_time(sandbox, monkeypatch):
    monkeypatch.setattr(evidence_findings, "TASK", 100)
    monkeypatch.setattr(sandbox, "begin", Mock(side_effect=lambda *_: Answer()))
    reader = TraceReader(many(40), None, sandbox)
    reader.begin()
    reader.begin()
    assert sandbox.begin.call_count == AHEAD * sandbox.workers


def test_what_waits_for_passages_is_limited(sandbox, monkeypatch):
    monkeypatch.setattr(evidence_findings, "TASK", 100)
    monkeypatch.setattr(evidence_findings, "ROOM", 250)
    class_ = many(12)
    reader = TraceReader(class_, None, sandbox)
    for _ in range(10):
        reader.begin()
    assert 250 <= sum(batch.letters for batch in reader._batches) < 250 + 300  # and the last task
    assert len(list(reader)) == 12


def test_large_texts_are_no_work_for_a_worker(sandbox, monkeypatch):
    monkeypatch.setattr(evidence_findings, "LARGE", 1)
    monkeypatch.setattr(sandbox, "begin", Mock(side_effect=AssertionError))
    class_ = many(8)
    assert read(class_, None, sandbox) == read(class_)


GOOD: list[Any] = [
    "word", {kind: [["k"], ["shown"], [0], [1]] for kind in PLACED}, [[1, 0, 0], [["k", 1, "w", "f", 1]]],
]  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON", "[" * 100_000, "{}", "[]", "[[]]", 7, None, b"[]",
        *(json.dumps([bad]) for bad in (
            [["word"], *GOOD[1:]], [1, *GOOD[1:]], [GOOD[0], {}, GOOD[2]], [GOOD[0], GOOD[1], [None]],
            [GOOD[0], GOOD[1], [[1, 0], []]], [GOOD[0], GOOD[1], [None, [["k"]]]], [GOOD[0], GOOD[1], ["abc", []]],
            [GOOD[0], GOOD[1] | {PLACED[0]: [["k"], ["shown"], [0], []]}, GOOD[2]],
            [GOOD[0], GOOD[1] | {PLACED[0]: [["k"], ["shown"], ["0"], [1]]}, GOOD[2]],
            [GOOD[0], GOOD[1] | {PLACED[0]: [["k"], [2], [0], [1]]}, GOOD[2]],
            [GOOD[0], GOOD[1] | {PLACED[0]: [["k"], ["shown"], [0]]}, GOOD[2]],
        )),
        json.dumps([GOOD, GOOD]),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_not_believed(answer):
    def answered(value):
        given: Answer[Outcome] = Answer()
        given.give(Outcome, value)
        return given

    assert evidence_findings._made(answered(json.dumps([GOOD])), 1) is not None
    assert evidence_findings._made(answered(answer), 1) is None


def test_a_worker_that_is_stopped_costs_no_findings(sandbox, monkeypatch):
    monkeypatch.setattr(evidence_findings, "TRACES", "os:abort")
    class_ = many(8)
    assert read(class_, None, sandbox) == read(class_)


def test_what_many_share_is_no_evidence():
    change = lambda text: text + "# taken from the lecture notes\n"  # noqa: E731
    assert found_in(planted(change, *NAMES[:3])).pairs == {}
    assert len(found_in(planted(change, *NAMES[:2])).pairs) == 1


def test_a_small_class_cannot_tell_what_is_rare():
    texts = planted(lambda text: text + 'print("the quick brown fox")\n', *NAMES[:2])
    assert found_in(dict(list(texts.items())[:4])).pairs == {}


def test_what_everybody_was_given_is_nobodys():
    texts = planted(lambda text: text + "# fill in the gaps below\n", *TWO)
    assert found_in(texts, base=written({"base": "# fill in the gaps below\n"})).pairs == {}


def test_a_pair_is_reported_so_much_and_no_more():
    many = "".join(f'print("a long literal {letter}")\n' for letter in "abcdefghijklmnop")
    result = found_in(planted(lambda text: text + many, *TWO)).of_pair(*PAIR)
    assert len(result) == MOST_FINDINGS
    assert result[-1].words.endswith("And 6 more.")


def test_words_of_prose_count_and_its_blanks_do_not():
    texts = {name: f"We recommend {name} for a garden , and accommodate it.  " for name in NAMES}
    texts |= {name: texts[name].replace("accommodate", "accomodate") for name in TWO}
    found = findings(written(texts, "text"))
    assert list(found.pairs) == [PAIR]
    assert [finding.kind for finding in found.of_pair(*PAIR)] == ["misspelling"]


@given(st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("\ud800\0(){}=\"'#/*\n\t ")), max_size=7))
def test_any_text_can_be_looked_at(texts):
    class_ = [
        SubmissionTexts(str(at), (Text("f", language, text),))
        for at, text in enumerate(texts)
        for language in ("java", "python")
    ]
    found = findings(class_)
    assert all(0 <= left < right < len(class_) for left, right in found.pairs)
    assert all(place.line >= 1 for result in found.pairs.values() for each in result for place in each.places)


def test_a_class_has_the_same_findings_whoever_reads_them(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "MANY", 4)
    for name, text in planted(lambda text: text + "# I do not know why this works\n", *TWO).items():
        (tmp_path / f"{name}.py").write_text(text)
    stages: list[str] = []

    def note_stage(stage, _done, _total):
        stages.append(stage)

    begun = Mock(side_effect=default_sandbox().begin)
    monkeypatch.setattr(Sandbox, "begin", begun)
    several = compare.compare_all(tmp_path, threads=2, progress=note_stage)
    assert [call.args[0] for call in begun.mock_calls] == [evidence_findings.TRACES]
    assert stages == sorted(stages, key=["reading", "comparing", "passages", "traits"].index)
    assert stages.count("traits") == len(NAMES)
    one = compare.compare_all(tmp_path, threads=1)
    assert len(begun.mock_calls) == 1
    assert several.findings == one.findings
    assert several.findings.pairs
