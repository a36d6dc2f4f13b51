"""``whorl.decontaminate``: items of evaluation sets in a corpus."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import whorl
from whorl.cli import main
from whorl.errors import InputError

WORDS = [
    f"{left}{right}" for left in ("ba", "ke", "li", "mo", "nu", "ra") for right in ("da", "fin", "gor", "pel", "sto")
]


def prose(seed: int, words: int = 120) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) + chosen.choice(WORDS) for _ in range(words))


LONG = (
    "A train leaves the old harbour at noon with forty two passengers, and at each of the seven stations three of them "
    "get off while two others board. How many people are on the train when it arrives at the lighthouse?"
)
SHORT = "Which keeper counted the seals in winter?"  # seven words
EIGHT = "Which keeper counted the grey seals in winter?"
PHRASE = "Which of the following is the best answer"
ITEMS: list[dict[str, Any]] = [
    {"id": 7, "question": LONG},
    {"id": "eight", "question": EIGHT},
    {"id": "phrase", "question": PHRASE},
    {"id": "short", "question": SHORT},
    {"id": "absent", "question": prose(99, 30)},
]
EDITED = LONG.replace("forty two", "fifty one").replace("harbour", "port").replace("when it arrives", "once it comes")


def corpus() -> list[dict[str, Any]]:
    """Row 1 is an item, row 2 embeds one with edits, row 3 embeds the short one, and the others have the phrase."""
    rows: list[dict[str, Any]] = [
        {"id": "r1", "text": LONG.upper()},
        {"id": "r2", "text": f"{prose(2)} {EDITED} {prose(3)}"},
        {"id": "r3", "text": f"{prose(4)}. {EIGHT.lower()} {prose(5)}"},
        {"id": "r4", "text": None},
    ]
    return rows + [{"id": f"c{seed}", "text": f"{prose(seed)} {PHRASE} {prose(seed + 50)}"} for seed in range(10, 22)]


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    path = tmp_path / "evals.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    return path


def stored(path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(corpus()), path, row_group_size=2)
    else:
        path.write_bytes(gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in corpus())))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def leaks(folder: Path) -> list[dict[str, Any]]:
    return list(pq.read_table(folder / "_whorl" / "leaks.parquet").to_pylist())


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.parquet"])
def test_rows_with_items_are_dropped_and_listed(tmp_path, evals, name):
    result = whorl.decontaminate(stored(tmp_path / name), tmp_path / "out", evals, workers=1)
    assert rows_of(tmp_path / "out" / name) == corpus()[3:]
    listed = leaks(tmp_path / "out")
    assert [(leak["row"], leak["item"], leak["against"]) for leak in listed] == [
        (1, "7", "evals.jsonl"), (2, "7", "evals.jsonl"), (3, "eight", "evals.jsonl")
    ]  # fmt: skip
    assert (result.report["removed"], result.report["items"], result.report["short_items"]) == (3, 4, 1)
    assert listed[0]["score"] == 1
    assert 0.6 <= listed[1]["score"] < 1
    text = corpus()[2]["text"]
    assert text[listed[2]["start"] : listed[2]["end"]] == EIGHT.lower().rstrip("?")
    whorl.decontaminate(tmp_path / name, tmp_path / "two", evals, workers=2)
    assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_cutting_leaves_the_rest(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    whorl.decontaminate(path, tmp_path / "out", evals, action="cut")
    left = {row["id"]: row["text"] for row in rows_of(tmp_path / "out" / path.name)}
    assert "r1" not in left  # nothing of it is left
    assert left["r3"] == f"{prose(4)}. {prose(5)}"
    assert prose(2) in left["r2"]
    assert "seven stations" not in left["r2"]


def test_marking_writes_spans_beside_the_data(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    whorl.decontaminate(path, tmp_path / "out", evals, action="mark")
    marks = rows_of(tmp_path / "out" / path.name)
    assert [row["id"] for row in marks] == [row["id"] for row in corpus()]
    [[start, end, score]] = marks[2]["attributes"]["whorl__leak"]
    assert (corpus()[2]["text"][start:end], score) == (EIGHT.lower().rstrip("?"), 1)
    assert marks[5]["attributes"] == {"whorl__leak": []}


def test_a_phrase_in_many_documents_is_no_leak_unless_common_allows_it(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    whorl.decontaminate(path, tmp_path / "out", evals, common=100)
    assert sum(leak["item"] == "phrase" for leak in leaks(tmp_path / "out")) == 12


@pytest.mark.parametrize(
    "setting",
    [
        {"common": 0},
        {"common": -1},
        {"common": "9"},
        {"shortest": 0},
        {"shortest": -1},
        {"threshold": 0},
        {"threshold": "1"},
    ],
)
def test_numbers_out_of_range_are_refused(tmp_path, evals, setting):
    """With common=0 every run of words was common: no leak was found, and the run reported success."""
    with pytest.raises(InputError, match=f"^{next(iter(setting))}: .* is out of range; give "):
        whorl.decontaminate([{"text": LONG}], against=evals, **setting)


def test_words_of_an_item_scattered_over_a_document_are_no_leak(tmp_path, evals):
    words = LONG.split()
    parts = [" ".join(words[at : at + 5]) for at in range(0, len(words), 5)]
    path = tmp_path / "a.jsonl"
    text = " ".join(f"{part} {prose(seed, 60)}" for seed, part in enumerate(parts))
    path.write_text(json.dumps({"text": text}) + "\n")
    assert whorl.decontaminate(path, tmp_path / "out", evals).report["removed"] == 0


def test_items_of_other_columns_and_tables(tmp_path):
    table = tmp_path / "evals.parquet"
    pq.write_table(pa.Table.from_pylist([{"task": EIGHT, "answer": LONG}]), table)
    path = stored(tmp_path / "a.jsonl.gz")
    with pytest.raises(InputError, match="name the columns of texts with --item"):
        whorl.decontaminate(path, tmp_path / "out", table)
    with pytest.raises(InputError, match=r"no column 'nothing' \(--item\)"):
        whorl.decontaminate(path, tmp_path / "out", table, items=["nothing"])
    whorl.decontaminate(path, tmp_path / "out", [table], items=["task", "answer"])
    assert [leak["row"] for leak in leaks(tmp_path / "out")] == [1, 2, 3]
    for wrong, words in (({"action": "hide"}, "action: 'hide'"), ({"threshold": 2}, "threshold: 2")):
        with pytest.raises(InputError, match=words):
            whorl.decontaminate(path, tmp_path / "no", table, items=["task"], **wrong)


def test_the_command(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    command = ["decontaminate", str(path), "--against", str(evals), "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(main, [*command, "--item", "question"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("15 documents: 12 stay, 3 removed; 3 items found; ")
    assert "1 item of fewer than 8 words was not looked for" in result.stderr


def folder_of_files(path: Path) -> Path:
    """Text files with an item, with an item in other text, and with none; a page; an image; and Latin-1."""
    contents = {
        "leak.txt": LONG.encode(),
        "x/inside.md": f"﻿{prose(2)}. {LONG} {prose(3)}\r\n".encode(),
        "clean.txt": prose(6).encode(),
        "page.html": f"<html><body><p>{prose(7)}</p></body></html>".encode(),
        "image.png": b"\x89PNG\r\n\x1a\n\0\0",
        "latin.txt": f"{prose(8)} déjà vu".encode("latin-1"),
    }
    for name, data in contents.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


@pytest.mark.parametrize("action", ["drop", "cut"])
def test_text_files_are_searched(tmp_path, evals, action):
    folder, out = folder_of_files(tmp_path / "corpus"), tmp_path / "out"
    report = whorl.decontaminate(folder, out, evals, action=action).report
    written = {str(path.relative_to(out)) for path in out.rglob("*.*") if "_whorl" not in path.parts}
    # What is not searched is copied, and named.
    assert written - {"x/inside.md"} == {"clean.txt", "page.html", "image.png", "latin.txt"}
    assert (out / "clean.txt").read_bytes() == (folder / "clean.txt").read_bytes()
    if action == "cut":
        assert (out / "x" / "inside.md").read_bytes() == f"﻿{prose(2)}. {prose(3)}\r\n".encode()
    else:
        assert "x/inside.md" not in written
    assert (report["documents"], report["removed"]) == (3, 2 if action == "drop" else 1)
    assert report["kinds"] == {"leak": 2}
    assert {row["file"]: row["removed"] for row in report["files"]}["leak.txt"] == 1
    leaks = pq.read_table(out / "_whorl" / "leaks.parquet").to_pylist()
    assert [(leak["file"], leak["row"], leak["item"]) for leak in leaks] == [
        ("leak.txt", 0, "7"),
        ("x/inside.md", 0, "7"),
    ]
    text = (folder / "x" / "inside.md").read_text("utf-8")
    assert LONG.startswith(f"﻿{prose(2)}. {LONG}"[leaks[1]["start"] : leaks[1]["end"]])
    assert text.count(LONG) == 1


def test_files_that_are_not_searched_make_the_exit_status_1(tmp_path, evals):
    folder = folder_of_files(tmp_path / "corpus")
    command = ["decontaminate", str(folder), "--against", str(evals), "-o"]
    result = CliRunner().invoke(main, [*command, str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "page.html: html: only plain text and tables are searched" in result.stderr
    assert "latin.txt: not UTF-8: not searched" in result.stderr
    assert "image.png: binary: a PNG image" in result.stderr
    for name in ("page.html", "latin.txt"):
        (folder / name).unlink()
    assert CliRunner().invoke(main, [*command, str(tmp_path / "other")]).exit_code == 0


def test_text_files_are_marked(tmp_path, evals):
    folder, out = folder_of_files(tmp_path / "corpus"), tmp_path / "out"
    whorl.decontaminate(folder, out, evals, action="mark")
    written = {str(path.relative_to(out)) for path in out.rglob("*.*") if "_whorl" not in path.parts}
    assert written == {"leak.txt.jsonl", "x/inside.md.jsonl", "clean.txt.jsonl"}
    line = json.loads((out / "leak.txt.jsonl").read_text())
    assert line == {"id": "leak.txt", "attributes": {"whorl__leak": [[0, len(LONG) - 1, 1.0]]}}
    assert json.loads((out / "clean.txt.jsonl").read_text())["attributes"] == {"whorl__leak": []}


THAI = "กขคงจฉชซญดตถทนบปผพฟมยรลวสหอ"


def letters(seed: int, count: int) -> str:
    return "".join(random.Random(seed).choices(THAI, k=count))


def leaked(tmp_path: Path, rows: list[str], items: list[str]) -> list[tuple[int, str, int, int, int]]:
    """Return row, item, words and span of every leak."""
    corpus, evals = tmp_path / "corpus.jsonl", tmp_path / "evals.jsonl"
    corpus.write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    evals.write_text("".join(json.dumps({"id": f"i{at}", "question": item}) + "\n" for at, item in enumerate(items)))
    whorl.decontaminate(corpus, tmp_path / "out", against=evals, action="mark")
    leaks = pq.read_table(tmp_path / "out" / "_whorl" / "leaks.parquet").to_pylist()
    return [(leak["row"], leak["item"], leak["words"], leak["start"], leak["end"]) for leak in leaks]


@pytest.mark.parametrize("count", [20, 60, 200])
def test_items_of_a_script_without_spaces_are_found_whole(tmp_path, count):
    item = letters(1, count)
    rows = [letters(2, 300) + item + letters(3, 300), item, letters(4, 900), f"read this: {item}, and answer"]
    found = leaked(tmp_path, rows, [item])
    assert [(row, start, end) for row, _, _, start, end in found] == [
        (1, 300, 300 + count), (2, 0, count), (4, 11, 11 + count),
    ]  # fmt: skip
    assert {words for _, _, words, _, _ in found} == {count * 2 // 5}


def test_a_letter_is_no_word(tmp_path):
    """Eight letters of Thai are three words: too short an item, and no proof where they occur."""
    item = letters(1, 60)
    assert leaked(tmp_path, [letters(5, 400) + item[:12] + letters(6, 400)], [item]) == []
    run = whorl.decontaminate(
        tmp_path / "corpus.jsonl", tmp_path / "short", against=_table(tmp_path, [letters(1, 12), letters(2, 40)])
    )
    assert (run.report["items"], run.report["short_items"]) == (1, 1)


def _table(folder: Path, items: list[str]) -> Path:
    path = folder / "more.jsonl"
    path.write_text("".join(json.dumps({"question": item}) + "\n" for item in items))
    return path


def test_one_letter_in_twenty_replaced(tmp_path):
    item = letters(1, 200)
    changed = "".join("ฮ" if at % 20 == 10 else letter for at, letter in enumerate(item))
    assert [(row, item) for row, item, *_ in leaked(tmp_path, [letters(2, 300) + changed], [item])] == [(1, "i0")]


def test_items_that_are_common_are_counted(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    assert whorl.decontaminate(path, tmp_path / "out", evals).report["common_items"] == 1
    report = whorl.decontaminate(path, tmp_path / "more", evals, common=12).report
    assert (report["common_items"], report["removed"]) == (0, 15)
    leak = tmp_path / "leak.jsonl"
    leak.write_text("".join(json.dumps({"text": f"{prose(seed)} {LONG}"}) + "\n" for seed in range(15)))
    done = CliRunner().invoke(
        main, ["decontaminate", str(leak), "--against", str(evals), "-o", str(tmp_path / "third")]
    )
    assert "0 items found" in done.stdout
    assert "1 of 4 items cannot be found: nearly all of their words are phrases of many documents or it" in done.stderr
    assert "raise --common" in done.stderr


@pytest.mark.parametrize("from_python", [True, False])
def test_evaluations_must_be_files(tmp_path, evals, monkeypatch, from_python):
    monkeypatch.chdir(tmp_path)
    path = stored(tmp_path / "a.jsonl.gz")
    for wrong, words in ((".", "is a folder; name the tables of items in it"), ("nope.jsonl", "no such file")):
        if from_python:
            with pytest.raises(InputError, match=words):
                whorl.decontaminate(path, tmp_path / "out", wrong)
        else:
            done = CliRunner().invoke(main, ["decontaminate", str(path), "--against", wrong, "-o", "out"])
            assert done.exit_code != 0
            assert isinstance(done.exception, SystemExit)
        assert not (tmp_path / "out").exists()


def test_a_missing_column_of_ids_is_named(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    with pytest.raises(InputError, match=r"evals.jsonl: no column 'name' \(--id\); there are 'id', 'question'"):
        whorl.decontaminate(path, tmp_path / "out", evals, id="name")
    evals.write_text(json.dumps({"name": "q", "question": LONG}) + "\n")
    assert whorl.decontaminate(path, tmp_path / "named", evals, id="name").report["removed"] == 2
    with pytest.raises(InputError, match=r"a.jsonl.gz: no column 'name' \(--id\); there are 'id', 'text'"):
        whorl.decontaminate(path, tmp_path / "out", evals, id="name", action="mark")
    assert not (tmp_path / "out").exists()


def test_items_that_cannot_be_read_are_named(tmp_path, evals):
    path = stored(tmp_path / "a.jsonl.gz")
    evals.write_text(evals.read_text() + '{"id": 1.5, "question": "' + EIGHT + '"}\n')
    with pytest.raises(InputError, match=r"evals.jsonl: row 6: 'id' is a number, neither a string nor a whole number"):
        whorl.decontaminate(path, tmp_path / "out", evals)
    evals.write_text(json.dumps({"prompt": [{"role": "user"}], "question": LONG, "input": None}) + "\n")
    assert whorl.decontaminate(path, tmp_path / "other", evals).report["items"] == 1
    with pytest.raises(InputError, match="row 1: 'prompt' is a list, not a text"):
        whorl.decontaminate(path, tmp_path / "out", evals, items=["prompt"])


def test_items_of_bytes_are_texts(tmp_path):
    path, evals = stored(tmp_path / "a.jsonl.gz"), tmp_path / "evals.parquet"
    pq.write_table(pa.table({"question": pa.array([LONG.encode()])}), evals)
    assert whorl.decontaminate(path, tmp_path / "out", evals).report["removed"] == 2
    pq.write_table(pa.table({"question": pa.array([b"\xff\xfe" + LONG.encode()])}), evals)
    with pytest.raises(InputError, match=r"evals\.parquet: row 1: not UTF-8"):
        whorl.decontaminate(path, tmp_path / "other", evals)
