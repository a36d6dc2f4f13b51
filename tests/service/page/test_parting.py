"""A zip file told apart by its directory: both parts together are the whole, and each is a zip file that is read."""

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from whorl.errors import InputError
from whorl.formats.archives.walk import children
from whorl.service.page.zip_split import directory, part

NAMES = st.lists(
    st.tuples(st.sampled_from(["anna", "bert", "carla", "vorlage ä"]), st.sampled_from(["a.txt", "b/c.txt", "d.txt"])),
    min_size=1, max_size=9, unique=True,
)  # fmt: skip


def packed(files: dict[str, str], before: bytes = b"") -> bytes:
    made = io.BytesIO()
    made.write(before)
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def written(folder: Path, content: bytes) -> Path:
    path = folder / "class.zip"
    path.write_bytes(content)
    return path


def read(path: Path) -> dict[str, set[str]]:
    """The children as a comparison reads them."""
    found: dict[str, set[str]] = {}
    for member in children(path):
        found.setdefault(member.child, set()).add(str(member.inside))
    return found


@given(NAMES, st.data())
@examples(30)
def test_the_two_parts_are_the_whole(tmp_path_factory, names, data):
    folder = tmp_path_factory.mktemp("parts")
    path = written(folder, packed({f"class/{child}/{file}": f"{child} {file}" for child, file in names}))
    found = directory(path)
    assert set(found.children) == {child for child, _ in names}
    chosen = frozenset(data.draw(st.sets(st.sampled_from(found.children))))
    part(path, found, chosen, folder / "base.zip", keep=True)
    part(path, found, chosen, folder / "rest.zip", keep=False)
    for target, kept in (("base.zip", chosen), ("rest.zip", set(found.children) - chosen)):
        with zipfile.ZipFile(folder / target) as archive:
            assert archive.testzip() is None
            expected = {f"class/{child}/{file}": f"{child} {file}" for child, file in names if child in kept}
            assert {name: archive.read(name).decode() for name in archive.namelist()} == expected


def test_a_comparison_reads_both_parts(tmp_path):
    path = written(tmp_path, packed({"anna/a.py": "x = 1\n" * 9, "bert/a.py": "y = 2\n" * 9, "t/a.py": "z\n" * 9}))
    part(path, directory(path), frozenset({"t"}), tmp_path / "rest.zip", keep=False)
    part(path, directory(path), frozenset({"t"}), tmp_path / "base.zip", keep=True)
    assert set(read(tmp_path / "rest.zip")) == {"anna", "bert"}
    assert {name for inside in read(tmp_path / "base.zip").values() for name in inside} == {"a.py"}


def test_a_wrapper_is_looked_through_and_what_archivers_add_is_nobodys(tmp_path):
    names = ["hw/anna.py", "hw/bert/x.py", "__MACOSX/hw/._anna.py", "hw/.DS_Store", "hw/__MACOSX/x"]
    path = written(tmp_path, packed(dict.fromkeys(names, "x = 1")))
    assert directory(path).children == ("anna.py", "bert")


def test_files_at_the_top_are_children(tmp_path):
    assert directory(written(tmp_path, packed({"a.py": "", "b.py": ""}))).children == ("a.py", "b.py")
    assert directory(written(tmp_path, packed({"a.py": "x"}))).children == ("a.py",)


def test_names_that_lead_out_are_no_children(tmp_path):
    path = written(tmp_path, packed({"../x": "", "/etc/passwd": "", "ok/a": "", "ok2/b": ""}))
    assert directory(path).children == ("ok", "ok2")


def test_something_before_the_archive_stays_there(tmp_path):
    path = written(tmp_path, packed({"anna/a.txt": "text of anna", "t/a.txt": "template"}, before=b"#!/bin/sh\n" * 5))
    part(path, directory(path), frozenset({"t"}), tmp_path / "rest.zip", keep=False)
    with zipfile.ZipFile(tmp_path / "rest.zip") as archive:
        assert archive.read("anna/a.txt") == b"text of anna"


def test_a_name_that_is_not_utf8_stays_as_it_is(tmp_path):
    content = packed({"cafX/a.txt": "text", "t/a.txt": "template"}).replace(b"cafX", b"caf\x82")
    path = written(tmp_path, content)
    assert directory(path).children == ("café", "t")
    part(path, directory(path), frozenset({"t"}), tmp_path / "rest.zip", keep=False)
    assert set(read(tmp_path / "rest.zip")) == {"a.txt"} or set(read(tmp_path / "rest.zip")) == {"café"}


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"no zip file at all" * 99, b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_zip_file_is_reported(tmp_path, content):
    with pytest.raises(InputError, match=r"class\.zip"):
        directory(written(tmp_path, content))


@given(st.binary(max_size=400))
@examples(60)
def test_damage_is_reported_and_nothing_else(tmp_path_factory, noise):
    whole = packed({"anna/a.txt": "x" * 50, "t/b.txt": "y" * 50})
    path = written(tmp_path_factory.mktemp("damage"), whole[: -len(noise) - 1 or None] + noise)
    with suppress(InputError):
        assert all(isinstance(child, str) for child in directory(path).children)
