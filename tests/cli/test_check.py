"""``whorl check``: figures, JSON, the report, and manuscripts that cannot be read."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.formats.documents.writers import pdf
from whorl.cli import main

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."
OWN = "Nothing in this sentence was ever written down by anybody else before today."


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("song.txt").write_text(SONG)
    Path("tale.txt").write_text(TALE)
    Path("draft.txt").write_text(f'{OWN}\n\n{SONG}\n\nAs they say: "{TALE}"\n')
    assert run("index", "build", "index", "song.txt", "tale.txt", "--label", "title=Old Song").exit_code == 0
    return Path("index")


def test_a_table_has_both_figures_and_the_sources(index):
    result = run("check", index, "draft.txt")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == [
        "draft.txt",
        "  34% similar; 70% without exclusions",
        "  34%  Old Song  (song.txt), 1 passage",
    ]


def test_json_has_everything(index):
    (check,) = json.loads(run("check", index, "draft.txt", "--count-quotations", "--format", "json").stdout)
    assert check["similarity"]["raw"] == check["similarity"]["counted"]
    assert [source["document"]["name"] for source in check["sources"]] == ["tale.txt", "song.txt"]
    (passage,) = check["sources"][1]["passages"]
    assert passage["left"]["text"].rstrip(".") == passage["right"]["text"].rstrip(".") == SONG[:-1]
    assert passage["left"]["start_line"] == 3


def test_the_report_is_a_folder_that_a_new_one_replaces(index):
    for manuscripts in (["draft.txt"], ["draft.txt", "song.txt"]):
        result = run("check", index, *manuscripts, "--report", "report")
        assert result.exit_code == 0, result.output
        assert f"report: {Path('report/index.html').resolve()}" in result.output
    page = Path("report/index.html").read_text()
    assert "2 manuscripts" in page
    assert sorted(path.name for path in Path("report").glob("*.html")) == ["0001.html", "0002.html", "index.html"]
    Path("other").mkdir()
    Path("other/mine").touch()
    result = run("check", index, "draft.txt", "--report", "other")
    assert (result.exit_code, "not empty" in result.stderr) == (1, True)


def test_one_that_cannot_be_read_does_not_stop_the_others(index):
    Path("empty.txt").touch()
    Path("secret.pdf").write_bytes(pdf([["x"]], encrypt=True))
    result = run("check", index, "empty.txt", "secret.pdf", "draft.txt")
    assert result.exit_code == 1
    assert "34% similar" in result.stdout
    assert "skipped: empty.txt: no text to check" in result.stderr
    assert "secret.pdf: " in result.stderr
    assert "it is encrypted: save it without a password" in result.stderr
    result = run("check", index, "missing.txt")
    assert (result.exit_code, "missing.txt: cannot be read" in result.stderr) == (1, True)


@pytest.mark.parametrize("command", [("check", "index"), ("search", "index"), ("fingerprint",)])
class TestPipes:
    """Their content comes only once, so it must not be read twice, to find the format and to find the text."""

    def test_a_pipe_gives_what_its_file_gives(self, index, command):
        outputs = []
        for content in ("draft.txt", "pipe"):
            reading, writing = os.pipe()
            os.write(writing, Path("draft.txt").read_bytes())
            os.close(writing)
            name = f"/dev/fd/{reading}" if content == "pipe" else content
            result = run(*command, name)
            assert result.exit_code == 0, result.output
            outputs.append(result.output.replace(name, "it"))
            os.close(reading)
        assert outputs[0] == outputs[1]

    def test_standard_input(self, index, command):
        text = Path("draft.txt").read_bytes()
        result = CliRunner().invoke(main, [*command, "-"], input=text)
        assert result.output == run(*command, "draft.txt").output.replace("draft.txt", "-")

    def test_a_device_is_refused(self, index, command):
        result = run(*command, "/dev/zero")
        assert (result.exit_code, result.stderr) == (1, "Error: /dev/zero: a device or a socket: name a file\n")


def test_base_is_left_out(index):
    assert "   0% similar; 70% without exclusions" in run("check", index, "draft.txt", "--base", "song.txt").output
    Path("nothing").mkdir()
    assert "--base: nothing: no documents found" in run("check", index, "draft.txt", "--base", "nothing").stderr


def test_passages_that_are_left_out_are_not_counted(index):
    gap = " ".join(f"Line number {number} of the gap." for number in range(99))
    Path("both.txt").write_text(f"{SONG} {gap} {TALE}")
    Path("draft.txt").write_text(f'As they say: "{TALE}"\n\n{gap[::-1]}\n\n{SONG}\n')
    assert run("index", "build", "one", "both.txt").exit_code == 0
    assert run("check", "one", "draft.txt").output.splitlines()[-1].endswith("both.txt, 1 passage")
    everything = run("check", "one", "draft.txt", "--count-quotations")
    assert everything.output.splitlines()[-1].endswith("both.txt, 2 passages")


def test_each_row_of_a_table_is_a_manuscript(index):
    rows = [{"key": "a", "body": SONG}, {"key": "b", "body": OWN}, {"key": "c", "body": ""}]
    Path("drafts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = ("--id-column", "key", "--text-column", "body")
    result = run("check", index, "draft.txt", "drafts.jsonl", *columns, "--format", "json")
    shares = {check["name"]: round(check["similarity"]["counted"], 2) for check in json.loads(result.stdout)}
    assert shares == {"draft.txt": 0.34, "a": 1, "b": 0}
    assert (result.exit_code, result.stderr) == (0, "skipped: drafts.jsonl, row 3: 'body' is empty\n")
    wrong = run("check", index, "drafts.jsonl", "--text-column", "nope")
    assert "drafts.jsonl: no column 'nope' (--text-column); there are 'key', 'body'" in wrong.stderr
    Path("folder").mkdir()
    Path("drafts.jsonl").rename("folder/drafts.jsonl")
    Path("draft.txt").rename("folder/draft.txt")
    inside = run("check", index, "folder", *columns)
    assert "  34% similar" in inside.stdout
    assert inside.stderr == "skipped: folder/drafts.jsonl: a table: name the file itself to check its rows\n"
    assert inside.exit_code == 0


def test_a_scanned_base_is_named(index):
    Path("scan.pdf").write_bytes(pdf([[]]))
    result = run("check", index, "draft.txt", "--base", "scan.pdf")
    assert result.exit_code == 1
    assert result.stderr == "Error: --base: scan.pdf: no text: scanned pages need OCR first\n"
    Path("phrases").mkdir()
    Path("scan.pdf").rename("phrases/scan.pdf")
    Path("phrases/song.txt").write_text(SONG)
    result = run("check", index, "draft.txt", "--base", "phrases")
    assert "   0% similar" in result.stdout
    assert (result.exit_code, result.stderr) == (
        1, "skipped: phrases/scan.pdf: in the base: no text: scanned pages need OCR first\n"
    )  # fmt: skip


def test_a_base_that_cannot_be_read_is_no_fault_of_the_manuscript(index):
    Path("junk.docx").write_bytes(b"no office file" * 100)
    result = run("check", index, "draft.txt", "--base", "junk.docx")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: --base: junk.docx: cannot be read as DOCX" in result.stderr
    Path("phrases").mkdir()
    Path("phrases/song.txt").write_text(SONG)
    Path("phrases/junk.docx").write_bytes(b"no office file" * 100)
    result = run("check", index, "draft.txt", "--base", "phrases")
    assert "   0% similar; 70% without exclusions" in result.output
    assert (result.exit_code, "skipped: phrases/junk.docx: in the base: cannot be read" in result.stderr) == (1, True)


def test_prose_in_the_base_of_programs(index):
    Path("copy.py").write_text("def f(a, b):\n    return [a * n + b for n in range(b) if n % 3 != a]\n")
    assert run("index", "build", "code.index", "copy.py", "--scheme", "code").exit_code == 0
    Path("LICENSE.txt").write_text("Permission is hereby granted, free of charge, to any person.")
    result = run("check", "code.index", "copy.py", "--base", "LICENSE.txt", "--format", "spdx")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: --base: LICENSE.txt: cannot tell the programming language" in result.stderr
    Path("template").mkdir()
    Path("template/README.txt").write_text("Fill in the function.")
    Path("template/copy.py").write_text(Path("copy.py").read_text())
    result = run("check", "code.index", "copy.py", "--base", "template")
    assert (result.exit_code, "   0% similar; 100% without exclusions" in result.stdout) == (0, True)


def test_labels_owners_and_dates_choose_the_sources(index):
    Path("mit.txt").write_text(f"{TALE} And so on.")
    labels = ("--label", "licence=MIT", "--label", "version=2", "--owner", "Ann", "--date", "2021-03")
    assert run("index", "add", index, "mit.txt", *labels).exit_code == 0
    Path("query.txt").write_text(TALE)
    found = run("search", index, "query.txt", "--label", "licence=*")
    assert "mit.txt  (Ann)" in found.output
    assert "tale.txt" not in found.output
    assert "licence=MIT, version=2" in found.output
    assert "mit.txt" not in run("search", index, "query.txt", "--exclude-label", "licence=*").output
    assert "mit.txt" in run("check", index, "query.txt", "--label", "licence=MIT").output
    for option in (("--exclude-owner", "A*"), ("--exclude-label", "version=?"), ("--exclude-before", "2022")):
        result = run("check", index, "query.txt", *option)
        assert "left out: mit.txt" in result.output, option
        assert "100%  Old Song  (tale.txt)" in result.output
    wrong = run("check", index, "query.txt", "--exclude-after", "May")
    assert (wrong.exit_code, "Invalid value for '--exclude-after': 'May' is no date" in wrong.stderr) == (2, True)


def test_the_figures_do_not_depend_on_the_limit(index):
    full, short = (run("check", index, "draft.txt", "--count-quotations", "--limit", n).output for n in (9, 1))
    assert full.splitlines()[1] == short.splitlines()[1]
    assert short.splitlines()[-1].split() == ["34%", "1", "source", "more"]


def test_deep_is_said_in_the_table(index):
    words = f"{SONG} {TALE}".split()
    changed = " ".join("quite" if number % 6 == 0 else word for number, word in enumerate(words))
    Path("both.txt").write_text(f"{SONG} {TALE}")
    assert run("index", "add", index, "both.txt").exit_code == 0
    Path("changed.txt").write_text(changed)
    result = run("check", index, "changed.txt", "--deep", "--deep-seconds", 30)
    assert result.exit_code == 0, result.output
    assert "both.txt, 1 passage, 1 with changed words" in result.output
    assert "note: Changed words were looked for in" in result.output
