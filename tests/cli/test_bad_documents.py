"""Documents that cannot be read, or hold nothing: every command says so in one line that names the document once."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.formats.documents.writers import pdf
from whorl.cli import main

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."

UNREADABLE = {
    "secret.pdf": "cannot be read as PDF: it is encrypted: save it without a password",
    "broken.pdf": "cannot be read as PDF: not a PDF, or damaged",
    "zeros.txt": "binary (it has NUL bytes), not text",
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("song.txt").write_text(SONG)
    Path("secret.pdf").write_bytes(pdf([["x"]], encrypt=True))
    Path("broken.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<<>>\n")
    Path("zeros.txt").write_bytes(bytes(5000))
    Path("scan.pdf").write_bytes(pdf([[], []]))
    for empty in ("empty.txt", "empty.pdf"):
        Path(empty).touch()
    assert run("index", "build", "index", "song.txt").exit_code == 0
    return Path("index")


@pytest.mark.parametrize(("name", "reason"), UNREADABLE.items())
def test_an_unreadable_file_is_named_once_by_every_command(index, name, reason):
    for command in (["check", index], ["search", index], ["fingerprint"]):
        result = run(*command, name)
        (line,) = result.stderr.splitlines()
        assert result.exit_code == 1
        assert f": {name}: {reason}" in line
        assert line.count(name) == 1
    added = run("index", "add", index, name)
    (line,) = added.stderr.splitlines()
    assert line.startswith(f"skipped: {name}: ")
    assert line.count(name) == 1
    assert added.stdout == "nothing to add\n"
    assert run("index", "list", index).stdout.split()[-1] == "song.txt"


def test_a_scanned_document_is_said_to_have_no_text(index):
    checked = run("check", index, "scan.pdf")
    assert checked.stderr == "skipped: scan.pdf: no text: scanned pages need OCR first\n"
    assert checked.exit_code == 1
    searched = run("search", index, "scan.pdf")
    assert "note: no text: scanned pages need OCR first" in searched.output
    added = run("index", "add", index, "scan.pdf")
    assert added.output == "1 added\nnote: 1 document has no text to compare: scan.pdf. Scanned pages need OCR first\n"
    assert '"without_text": []' in run("index", "add", index, "song.txt", "scan.pdf", "--format", "json").stdout


def test_an_empty_file(index):
    assert run("check", index, "empty.txt").stderr == "skipped: empty.txt: no text to check\n"
    assert run("check", index, "empty.pdf").stderr == "skipped: empty.pdf: cannot be read as PDF: it is empty\n"
    assert "note: no text to search for" in run("search", index, "empty.txt").output
    assert run("search", index, "empty.pdf").stderr == "Error: empty.pdf: cannot be read as PDF: it is empty\n"
    added = run("index", "add", index, "empty.txt", "empty.pdf")
    assert added.stderr == "skipped: empty.txt: empty\nskipped: empty.pdf: empty\n"
    assert added.exit_code == 0


def test_a_text_that_is_too_short_to_search_for_is_said_to_be(index):
    Path("line.txt").write_text("Lorem ipsum")
    found = run("search", index, "line.txt").output
    assert "note: too short: only 10 characters; nothing shorter than 20 can be found" in found
    assert "too short" in run("search", index, "line.txt", "--format", "json").stdout


def test_many_documents_without_text_are_counted(index):
    for number in range(5):
        Path(f"blank{number}.txt").write_text(" \n")
    added = run("index", "add", index, *sorted(Path().glob("blank*.txt")))
    expected = "note: 5 documents have no text to compare: blank0.txt, blank1.txt, blank2.txt and 2 more\n"
    assert added.stderr == expected


def test_a_table_of_queries_names_a_row_once(index):
    Path("rows.jsonl").write_text('{"text": "a", "id": "x.pdf"}\n{"text": "keeper", "id": "y"}\n')
    result = run("search", index, "rows.jsonl", "--as", "pdf")
    assert result.exit_code == 1
    assert all(line.count("x.pdf") == 1 for line in result.stderr.splitlines() if "x.pdf" in line)
    assert "skipped: x.pdf: PDF is binary: give bytes or a file, not a string" in result.stderr


def test_a_table_without_the_column_is_named_once(index):
    Path("folder").mkdir()
    Path("folder/rows.jsonl").write_text('{"body": "a"}\n')
    result = run("index", "add", index, "folder")
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: folder/rows.jsonl: no column 'text'")
    assert line.count("rows.jsonl") == 1


@pytest.mark.parametrize(
    ("name", "start", "reason"),
    [
        ("large.txt", SONG.encode() * 400, "too large: 1.0 GB, of at most 128.0 MB as one document. Divide it"),
        ("large.pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", "too large: 1.0 GB, of at most 256.0 MB as one document"),
        ("large.bin", b"", "binary"),
    ],
)
def test_a_gigabyte_is_refused_before_it_is_read(index, monkeypatch, name, start, reason):
    with Path(name).open("wb") as file:
        file.write(start)
        file.truncate(1 << 30)
    monkeypatch.setattr("whorl.formats.encoding.Source.blocks", lambda *_: pytest.fail("it is read"))
    for command in ("search", "index add", "check"):
        result = run(*command.split(), index, name)
        (line,) = result.stderr.splitlines()
        assert f"{name}: {reason.replace('128.0', '32.0') if command == 'check' else reason}" in line, command
        assert result.exit_code == (0 if command == "index add" and name == "large.bin" else 1)
    assert run("index", "list", index).stdout.split()[-1] == "song.txt"
