"""The walk over folders: order, what is left out, and what is refused."""

import os
import re
import socket
from pathlib import Path

import pytest

from tests.formats.archives.packing import PACKERS, found, tarred, zipped
from whorl.errors import DocumentError
from whorl.formats.archives.names import RulesError
from whorl.formats.archives.rules import DEFAULT, Rules
from whorl.formats.archives.walk import walk
from whorl.model import Document, Skipped

GZIPPED = "binary: compressed by gzip, but not a tar archive; unpack it"


def plant(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def names(path: Path, rules: Rules = DEFAULT) -> list[str]:
    return [item.name for item in walk(path, rules) if isinstance(item, Document)]


def test_documents_come_by_name_and_lazily(tmp_path):
    plant(tmp_path, {"b/z.py": "z", "b/a.py": "a", "a.py": "a", "c.txt": "c", "B.txt": "B"})
    items = walk(tmp_path)
    assert next(items) == Document("B.txt", tmp_path / "B.txt")
    (tmp_path / "c.txt").unlink()
    assert [item.name for item in items] == ["a.py", "b/a.py", "b/z.py", "c.txt"]


def test_a_file_is_a_collection_of_one(tmp_path):
    plant(tmp_path, {"a.py": "x = 1"})
    assert list(walk(tmp_path / "a.py")) == [Document("a.py", tmp_path / "a.py")]


def test_a_given_link_is_followed_and_no_other(tmp_path):
    plant(tmp_path, {"real/a.py": "x"})
    (tmp_path / "given").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "loop").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "passwd").symlink_to("/etc/passwd")
    documents, skipped = found(tmp_path / "given")
    assert documents == {"a.py": b"x"}
    assert skipped == {"loop": "refused: a symbolic link", "passwd": "refused: a symbolic link"}


@pytest.mark.parametrize("missing", ["nowhere", "a\0b"])
def test_what_is_not_there(tmp_path, missing):
    with pytest.raises(DocumentError):
        walk(tmp_path / missing)


def test_a_pipe_as_the_path_is_refused_and_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DocumentError, match="pipe"):
        walk(tmp_path / "pipe")


def test_special_files_are_refused_and_do_not_block(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's path may have 107 bytes only
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    plant(tmp_path, {"a.py": "x"})
    documents, skipped = found(tmp_path)
    assert list(documents) == ["a.py"]
    assert skipped == {"pipe": "refused: a pipe", "socket": "refused: a socket"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_said(tmp_path):
    plant(tmp_path, {"a.py": "x", "b/c.py": "x", "d.py": "x"})
    (tmp_path / "a.py").chmod(0)
    (tmp_path / "b").chmod(0)
    documents, skipped = found(tmp_path)
    (tmp_path / "b").chmod(0o700)
    assert list(documents) == ["d.py"]
    assert skipped == {"a.py": "permission denied", "b/": "permission denied"}


def test_a_file_that_vanishes_is_said(tmp_path):
    plant(tmp_path, {"a.py": "a", "b.py": "b", "c/d.py": "d"})
    items = walk(tmp_path)
    next(items)
    (tmp_path / "b.py").unlink()
    (tmp_path / "c" / "d.py").unlink()
    (tmp_path / "c").rmdir()
    reason = "no such file or directory"
    assert list(items) == [Skipped("b.py", reason), Skipped("c/", reason)]


def test_names_are_one_printable_line(tmp_path):
    (tmp_path / "line\nbreak\x1b[31m.py").write_text("x")
    (tmp_path / "turn\u202eyp.exe").write_text("x")
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("x")
    (tmp_path / "été.py").write_text("x")
    documents, _ = found(tmp_path)
    assert list(documents) == ["caf\\xe9.py", "line\\x0abreak\\x1b[31m.py", "turn\\u202eyp.exe", "été.py"]


def test_generated_and_hidden_are_one_record_a_folder(tmp_path):
    plant(tmp_path, {
        "node_modules/x/i.js": "x", ".git/HEAD": "x", "__pycache__/a.pyc": "x", ".hidden": "x", "main.py": "x",
        "venv/pyvenv.cfg": "x", "venv/lib/a.py": "x", "mine/venv/a.py": "x", ".DS_Store": "x", "Thumbs.db": "x",
    })  # fmt: skip
    documents, skipped = found(tmp_path)
    assert list(documents) == ["main.py", "mine/venv/a.py"]
    assert skipped == {
        ".DS_Store": "added by macOS",
        ".git/": "a version history",
        ".hidden": "hidden",
        "Thumbs.db": "added by Windows",
        "__pycache__/": "a cache",
        "node_modules/": "dependencies",
        "venv/": "a Python environment",
    }
    everything = names(tmp_path, Rules(hidden=True, generated=True))
    assert ".git/HEAD" in everything
    assert "node_modules/x/i.js" in everything


@pytest.mark.parametrize(
    ("folder", "beside"),
    [("target", "Cargo.toml"), ("build", "build.gradle"), ("dist", "package.json"), ("bin", "App.csproj")],
)
def test_build_folders_need_a_witness(tmp_path, folder, beside):
    plant(tmp_path, {f"with/{folder}/a.c": "x", f"with/{beside}": "x", f"without/{folder}/a.c": "x"})
    documents, skipped = found(tmp_path)
    assert set(documents) == {f"with/{beside}", f"without/{folder}/a.c"}
    assert skipped == {f"with/{folder}/": "a build's output"}


def test_gitignore_files_nest(tmp_path):
    plant(tmp_path, {
        ".gitignore": "*.log\nout/\n", "a.log": "x", "out/x": "x", "b/.gitignore": "!keep.log\n", "b/keep.log": "x",
        "b/other.log": "x",
    })  # fmt: skip
    documents, skipped = found(tmp_path)
    assert list(documents) == ["b/keep.log"]
    assert skipped["out/"] == skipped["a.log"] == skipped["b/other.log"] == "ignored by a .gitignore"
    assert names(tmp_path, Rules(gitignore=False)) == ["a.log", "b/keep.log", "b/other.log", "out/x"]


def test_a_gitignore_that_is_a_link_is_not_read(tmp_path):
    plant(tmp_path / "outside", {"list": "*.py\n"})
    plant(tmp_path / "inside", {"a.py": "x"})
    (tmp_path / "inside" / ".gitignore").symlink_to(tmp_path / "outside" / "list")
    assert names(tmp_path / "inside") == ["a.py"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", "binary: a PNG image"),
        ("A.class", b"\xca\xfe\xba\xbe\0\0", "binary: a Java class or an executable"),
        ("a.out", b"\x7fELF\2", "binary: an executable"),
        ("a.dat", b"text\0text", "binary: it has NUL bytes"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c\0", "binary: a 7z archive; repack it as zip or tar"),
        ("a.lz4", b"\x04\x22\x4d\x18\x64\x40\xa7\0", "binary: an lz4 file; unpack it, or pack it with gzip or zstd"),
        ("a.txt.lz", b"LZIP\x01\x0c\0", "binary: an lzip file; unpack it, or pack it with gzip or zstd"),
        ("a.txt.Z", b"\x1f\x9d\x90t\xca", "binary: a file of compress; unpack it, or pack it with gzip or zstd"),
        ("empty.py", b"", "empty"),
        ("notes.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", GZIPPED),
    ],
)  # fmt: skip
def test_files_without_text(tmp_path, name, content, expected):
    plant(tmp_path, {name: content})
    assert found(tmp_path) == ({}, {name: expected})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("wide.txt", "text".encode("utf-16")),
        ("wider.txt", "text".encode("utf-32")),
        ("a.pdf", b"%PDF-1.4\n\0\0"),
        ("a.ps", b"%!PS-Adobe\n"),
        ("a.eps", b"\xc5\xd0\xd3\xc6\0\0"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"),
        ("a.rtf", b"{\\rtf1 }"),
        ("a.docx", zipped({"word/document.xml": "<x/>"})),
        ("renamed.zip", zipped({"[Content_Types].xml": "<x/>", "_rels/.rels": "<x/>"})),
        ("book", zipped({"mimetype": "application/epub+zip", "a.xhtml": "x"}, 0)),
        ("BZh.txt", b"BZh is how it begins"),
        ("text.zip", b"only a text"),
    ],
)
def test_documents_that_look_like_something_else(tmp_path, name, content):
    plant(tmp_path, {name: content})
    assert found(tmp_path) == ({name: content}, {})


def test_include_and_exclude(tmp_path):
    plant(
        tmp_path,
        {"a.py": "x", "b.c": "x", "old/a.py": "x", "src/readme": "x", "c.zip": zipped({"d.py": "x", "e.c": "x"})},
    )
    documents, skipped = found(tmp_path, Rules(include=("*.py", "/src/"), exclude=("old/",)))
    assert list(documents) == ["a.py", "c.zip/d.py", "src/readme"]
    outside = "matches no include pattern"
    assert skipped == {"b.c": outside, "c.zip/e.c": outside, "old/": "excluded by a pattern"}
    assert names(tmp_path, Rules(include=("*.zip",))) == ["c.zip/d.py", "c.zip/e.c"]


def test_include_selects_in_an_archive_that_is_named_itself(tmp_path):
    files = {"d.py": "x", "e.c": "x"}
    plant(tmp_path, {"c.zip": zipped(files), "t.tar": tarred(files)})
    rules = Rules(include=("*.py",))
    for name in ("c.zip", "t.tar"):
        assert found(tmp_path / name, rules) == ({"d.py": b"x"}, {"e.c": "matches no include pattern"})


def test_include_does_not_leave_out_a_document_that_is_named_itself(tmp_path):
    plant(tmp_path, {"a.c": "x", "a.docx": zipped({"word/document.xml": "<x/>"})})
    for name in ("a.c", "a.docx"):
        assert names(tmp_path / name, Rules(include=("*.py",))) == [name]


@pytest.mark.parametrize("ending", PACKERS)
def test_archives_in_a_folder_are_like_folders(tmp_path, ending):
    files = {"alice/a.py": "1", "bob.txt": "2"}
    plant(tmp_path, {"class.zip": zipped(files), f"more.{ending}": PACKERS[ending](tarred(files))})
    documents, skipped = found(tmp_path)
    assert skipped == {}
    assert documents == {
        "class.zip/alice/a.py": b"1", "class.zip/bob.txt": b"2",
        f"more.{ending}/alice/a.py": b"1", f"more.{ending}/bob.txt": b"2",
    }  # fmt: skip


def test_ten_thousand_files(tmp_path):
    for folder in range(10):
        plant(tmp_path / str(folder), {f"{file}.py": "x" for file in range(1000)})
    assert sum(isinstance(item, Document) for item in walk(tmp_path)) == 10_000


def test_a_folder_that_is_very_deep(tmp_path):
    deep = tmp_path.joinpath(*["d"] * 500)
    plant(deep, {"a.py": "x"})
    assert names(tmp_path) == ["d/" * 500 + "a.py"]


def test_rules_report_all_their_faults():
    with pytest.raises(RulesError) as caught:
        Rules(hidden=1, include="*.py", exclude=("!x", "a[", 3), member=0, ratio=1.5, nesting=99)  # type: ignore[arg-type]
    assert len(caught.value.faults) == 8
    assert {fault.partition(":")[0] for fault in caught.value.faults} == {
        "hidden", "include", "exclude", "member", "ratio", "nesting",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reason"),
    [("#*#", "escape the # as \\#"), (" ", "the pattern is empty"), ("[a", "a bracket or a backslash")],
)
def test_rules_say_why_a_pattern_can_match_nothing(text, reason):
    with pytest.raises(RulesError, match=re.escape(reason)):
        Rules(exclude=(text,))


def test_a_pattern_may_have_bytes_that_are_not_unicode(tmp_path):
    plant(tmp_path, {"a.py": "x", os.fsdecode(b"\xe9.py"): "x"})
    assert names(tmp_path, Rules(exclude=(os.fsdecode(b"\xe9*"),))) == ["a.py"]
