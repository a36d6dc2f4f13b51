"""An index built on Spark answers as one that was built here."""

import zipfile
from dataclasses import replace

import pytest

from whorl.errors import InputError
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import walk
from whorl.index.index import Index
from whorl.model import Document, Skipped


@pytest.fixture
def library(tmp_path):
    """Texts with copies in a folder with an archive, an empty file and one that is no text."""
    folder = tmp_path / "library"
    folder.mkdir()
    words = [f"word{number}" for number in range(600)]
    texts = {f"text{number:02}.txt": " ".join(words[number * 17 : number * 17 + 90]) for number in range(30)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "empty.txt").write_text("")
    (folder / "picture.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(400))
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("inside.txt", " ".join(words[100:200]))
    return folder


def built(spark, folder, paths, stages, **more):
    from whorl.spark.index import build

    place = Index.create(folder, "text")
    count, skipped = build(spark, place, paths, Rules(), _named, stages=str(stages), **more)
    return place, count, skipped


def _named(path, inside):
    return f"{path.name}/{inside}"


def hits_of(index, query):
    hits = index.search(query, limit=50)
    return [(hit.document.id, hit.document.name, replace(hit, document=None)) for hit in hits]


def test_answers_are_those_of_an_index_built_here(spark, tmp_path, library, monkeypatch):
    monkeypatch.setattr("whorl.engine.hashing.Key.random", classmethod(lambda cls: cls(bytes(range(16)))))
    there, count, skipped = built(
        spark, tmp_path / "spark.index", [library], tmp_path / "stages", facts={"contact": "us"}
    )
    here = Index.create(tmp_path / "local.index", "text")
    items = list(walk(library))
    for item in items:
        if not isinstance(item, Skipped):
            here.add(Document(_named(library, item.name), item.content, contact="us"))
    assert count == len(here) == 31
    assert [item.name.partition("/")[2] for item in skipped] == [
        item.name for item in items if isinstance(item, Skipped)
    ]
    there.verify()
    assert there.stats().segments > 1
    assert there.stats().fresh == 0
    assert there.stats().postings == here.stats().postings
    rows = [
        [(e.id, e.name, e.digest, e.symbols, e.fingerprints, e.contact) for e in i.entries()] for i in (here, there)
    ]
    assert rows[0] == rows[1]
    for query in ("text03.txt", "text29.txt"):
        found = hits_of(there, (library / query).read_text())
        assert found == hits_of(here, (library / query).read_text())
        assert len(found) > 3
    # It is an index like any other.
    there.add(Document("new", " ".join(f"new{number}" for number in range(80))))
    there.remove("library/text03.txt")
    there.compact()
    assert there.stats().segments == 1
    assert len(there) == 31
    there.verify()


def test_what_is_not_empty_and_what_is_named_twice_is_refused(spark, tmp_path, library):
    from whorl.spark.index import build

    place = Index.create(tmp_path / "one.index", "text")
    place.add(Document("old", (library / "text00.txt").read_text()))
    with pytest.raises(InputError, match="only an empty index"):
        build(spark, place, [library], Rules(), _named, stages=str(tmp_path / "two"))
    with pytest.raises(InputError, match="name it once"):
        build(spark, place, [library, library / "text01.txt"], Rules(), _named, stages=str(tmp_path / "three"))
