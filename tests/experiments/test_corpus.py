"""The corpus of Debian's manuals: which packages, which pages, which texts."""

import gzip
import shutil
import subprocess

import pytest
from experiments.corpus.__main__ import table, technical_table
from experiments.corpus.apt import Package, _madison, archive
from experiments.corpus.manuals import chosen, technical
from experiments.corpus.pages import Unpacked, _inside, unpack
from experiments.corpus.technical import Documents, kind_of, prose, unpack_technical, unzipped
from experiments.corpus.texts import drawn, lot, read, text, write, write_rows

PACKAGE = Package("bookworm", "manual-doc", "1:2.0-1")


def test_manuals_are_chosen_by_their_whole_names():
    names = ["python3.11-doc", "python3.11", "postgresql-doc-15", "postgresql-doc", "libstdc++-12-doc", "git-doc-x"]
    assert chosen([*names, *names]) == ["libstdc++-12-doc", "postgresql-doc-15", "python3.11-doc"]


def test_what_apt_tells_of_versions_is_read():
    result = (
        "git-doc | 1:2.39.5-0 | http://host/debian bookworm/main arm64 Packages\n git | 1:2 | x bookworm/main Sources\n"
    )
    assert list(_madison(result)) == [Package("bookworm", "git-doc", "1:2.39.5-0")]


def test_a_downloaded_package_is_found_by_its_version(tmp_path):
    (tmp_path / "manual-doc_1%3a2.0-1_all.deb").touch()
    assert archive(tmp_path, PACKAGE).exists()
    assert not archive(tmp_path, Package("trixie", "manual-doc", "3.0")).exists()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("./usr/share/doc/x/index.html", "x/index.html"),
        ("./usr/share/x/A.HTM", "usr/share/x/A.HTM"),
        ("./usr/share/doc/x/a.txt", None),
        ("./../etc/a.html", None),
        ("/etc/a.html", None),
    ],
)
def test_only_pages_that_stay_inside_are_unpacked(name, place):
    found = _inside(name)
    assert (None if found is None else found.as_posix()) == place


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs Debian's dpkg-deb")
def test_the_pages_of_a_package_are_written(tmp_path):
    home = tmp_path / "build"
    (home / "DEBIAN").mkdir(parents=True)
    (home / "DEBIAN" / "control").write_text(
        "Package: manual-doc\nVersion: 2\nArchitecture: all\nMaintainer: x\nDescription: x\n"
    )
    pages = home / "usr/share/doc/manual"
    pages.mkdir(parents=True)
    (pages / "a.html").write_text("<p>text")
    (pages / "a.png").write_bytes(b"x")
    (pages / "link.html").symlink_to("a.html")
    subprocess.run(
        ["dpkg-deb", "--build", "--root-owner-group", home, tmp_path / "x.deb"], check=True, capture_output=True
    )
    found = unpack(tmp_path / "x.deb", PACKAGE, tmp_path / "out")
    assert found == Unpacked(PACKAGE, 1, 7)
    assert (tmp_path / "out/bookworm/manual-doc/manual/a.html").read_text() == "<p>text"
    assert "| manual-doc | bookworm | 1:2.0-1 | 1 | 0.0 |" in table([found])


def test_technical_packages_are_chosen_by_their_whole_names():
    assert technical(["manpages", "manpages-de", "git-man", "r-doc-pdf", "git-manual"]) == [
        "git-man",
        "manpages",
        "r-doc-pdf",
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("./usr/share/man/man1/ls.1.gz", "man"),
        ("./usr/share/man/de/man1/ls.1.gz", None),
        ("./usr/share/doc/x/book.PDF", "pdf"),
        ("./usr/share/doc/x/policy.pdf.gz", "pdf"),
        ("./usr/share/doc/x/a.html", None),
        ("./../a.pdf", None),
    ],
)
def test_books_and_pages_of_the_manual_are_known_by_their_place(name, kind):
    assert kind_of(name) == kind


def test_the_text_of_a_page_of_the_manual_is_what_is_no_request():
    page = (
        b'.TH LS 1\n.\\" a comment\n\'br\\}\nlist \\fBall\\fR files \\f(CWhere\\fP \\-a\\&\n.PP\nwords \\" not these\n'
    )
    assert prose(page) == b"list all files here -a\nwords \n"


def test_what_is_packed_is_unpacked_and_what_is_damaged_left_out():
    assert unzipped(b"%PDF") == b"%PDF"
    assert unzipped(gzip.compress(b".TH LS 1")) == b".TH LS 1"
    assert unzipped(gzip.compress(b"x" * 1000)[:-9]) is None
    assert unzipped(b"\x1f\x8bnothing") is None


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs Debian's dpkg-deb")
def test_the_technical_documents_of_a_package_are_written(tmp_path):
    home = tmp_path / "build"
    (home / "DEBIAN").mkdir(parents=True)
    (home / "DEBIAN" / "control").write_text(
        "Package: manual-doc\nVersion: 2\nArchitecture: all\nMaintainer: x\nDescription: x\n"
    )
    for place, data in (
        ("man/man1/a.1.gz", gzip.compress(b".TH A 1\nTo be.\n")),
        ("doc/m/b.pdf", b"%PDF"),
        ("doc/m/c.txt", b""),
    ):
        path = home / "usr/share" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    subprocess.run(
        ["dpkg-deb", "--build", "--root-owner-group", home, tmp_path / "x.deb"], check=True, capture_output=True
    )
    found = unpack_technical(tmp_path / "x.deb", PACKAGE, tmp_path / "out")
    assert found == Documents(PACKAGE, 1, 4, 1, 7)
    assert (tmp_path / "out/man/bookworm/manual-doc/a.1.txt").read_bytes() == b"To be.\n"
    assert "| manual-doc | bookworm | 1:2.0-1 | 1 | 0.0 | 1 | 0.0 |" in technical_table([found])


def test_versions_of_a_page_are_drawn_together(tmp_path):
    assert lot("bookworm/python3.11-doc/html/a.html") == lot("trixie/python3.13-doc/html/a.html")
    assert lot("bookworm/python3.11-doc/html/a.html") != lot("bookworm/python3.11-doc/html/b.html")
    for release in ("one", "two"):
        for name in "abcdef":
            path = tmp_path / release / "doc" / f"{name}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    order = [name[-6] for name in drawn(tmp_path)]
    assert order[::2] == order[1::2]
    assert len(order) == 12


def test_texts_are_written_until_there_are_enough(tmp_path):
    rows = [{"id": str(number), "text": "é" * 50, "url": ""} for number in range(9)]
    made = write_rows(rows, tmp_path / "out.jsonl", 250)
    assert (made.pages, made.size) == (3, 300)
    assert list(read(made.path)) == rows[:3]


def test_the_text_of_pages_is_extracted_and_short_ones_are_left_out(tmp_path):
    pages = tmp_path / "pages" / "one" / "doc"
    pages.mkdir(parents=True)
    (pages / "long.html").write_text("<title>T</title><p>" + "some words " * 40)
    (pages / "short.html").write_text("<p>Moved")
    assert text(pages / "short.html").strip() == "Moved"
    made = write(tmp_path / "pages", tmp_path / "out.jsonl", 10**6, workers=1)
    (row,) = read(made.path)
    assert row["id"] == "one/doc/long.html"
    assert row["url"] == "file:///one/doc/long.html"
    assert row["text"].split()[-2:] == ["some", "words"]
