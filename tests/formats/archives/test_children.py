"""The children of a folder or an archive."""

from pathlib import Path

import pytest

from tests.formats.archives.packing import PACKERS, tarred, zipped
from whorl.errors import DocumentError
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import children
from whorl.model import Document


def grouped(path: Path) -> dict[str, list[str]]:
    """Each child and its documents, in the order in which they come."""
    groups: dict[str, list[str]] = {}
    for child, _, item in children(path):
        groups.setdefault(child, []).extend([item.name] if isinstance(item, Document) else [])
    return groups


def test_children_of_a_folder(tmp_path):
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / "a.py").write_text("x")
    (tmp_path / "bob.zip").write_bytes(zipped({"work/b.py": "x", "work/c.py": "x"}))
    (tmp_path / "carol.py").write_text("x")
    (tmp_path / "dave").mkdir()
    assert grouped(tmp_path) == {
        "alice": ["alice/a.py"],
        "bob.zip": ["bob.zip/work/b.py", "bob.zip/work/c.py"],
        "carol.py": ["carol.py"],
        "dave": [],
    }


FILES: dict[str, str | bytes] = {
    "alice/a.py": "1",
    "alice/sub/b.py": "2",
    "bob.zip": zipped({"x.py": "3", "y.py": "4"}),
    "carol.py": "5",
}
CHILDREN = {
    "alice": ["alice/a.py", "alice/sub/b.py"],
    "bob.zip": ["bob.zip/x.py", "bob.zip/y.py"],
    "carol.py": ["carol.py"],
}


@pytest.mark.parametrize("ending", ["zip", *PACKERS])
@pytest.mark.parametrize("wrapper", ["", "homework/"])
def test_children_of_an_archive(tmp_path, ending, wrapper):
    files = {wrapper + name: content for name, content in FILES.items()}
    if wrapper:
        files["__MACOSX/._homework"] = "what a Mac adds"
    path = tmp_path / f"class.{ending}"
    path.write_bytes(zipped(files) if ending == "zip" else PACKERS[ending](tarred(files)))
    groups = grouped(path)
    assert groups.pop("__MACOSX", []) == []
    assert groups == {child: [wrapper + name for name in names] for child, names in CHILDREN.items()}


def test_a_wrapper_is_looked_through_once(tmp_path):
    path = tmp_path / "class.zip"
    path.write_bytes(zipped({"outer/inner/a.py": "1", "outer/inner/b.py": "2"}))
    assert grouped(path) == {"inner": ["outer/inner/a.py", "outer/inner/b.py"]}


def test_mixed_members_of_a_tar_archive_are_read_once(tmp_path):
    path = tmp_path / "class.tar.gz"
    path.write_bytes(PACKERS["tar.gz"](tarred({"a/1": "1", "b/1": "2", "a/2": "3", "b/2": "4"})))
    assert grouped(path) == {"a": ["a/1", "a/2"], "b": ["b/1", "b/2"]}


def test_a_missing_path_is_said_at_once(tmp_path):
    with pytest.raises(DocumentError):
        children(tmp_path / "nowhere", Rules())
