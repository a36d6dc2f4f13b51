"""The secret key of an index is in one file, which its owner alone can read, and nowhere else."""

import base64
import json
import pickle
import stat

import pytest

import whorl
from tests.index.corpus import prose
from whorl import Document
from whorl.engine.hashing import Key
from whorl.errors import DamageError, StoreIOError
from whorl.index.index import Index


@pytest.fixture
def used(tmp_path):
    """An index that did everything that leaves bytes on the disk."""
    with Index.create(tmp_path / "index") as index:
        for number in range(5):
            index.add(Document(f"{number}", prose(number)), sanctioned=number == 3)
        index.flush()
        index.remove("1")
        index.add(Document("2", prose(7)))
        index.compact()
        index.add(Document("8", prose(8)))
        yield index


def forms(index: Index) -> list[bytes]:
    """How the secret could be written."""
    secret = index._key.secret
    shown = [secret.hex(), secret.hex().upper(), repr(secret)[2:-1], str(int.from_bytes(secret, "little"))]
    return [secret, secret[::-1], base64.b64encode(secret), *(form.encode() for form in shown)]


def test_one_file_has_it(used):
    holding = [
        path.name
        for path in used.folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms(used))
    ]
    assert holding == ["secret.key"]
    assert stat.S_IMODE((used.folder / "secret.key").stat().st_mode) == 0o600


def test_nothing_that_is_shown_has_it(used):
    hits = used.search(prose(2))
    shown = [
        repr(used), str(used), repr(used._key), repr(used.scheme), used.scheme.to_json(), used.scheme.to_toml(),
        repr(hits), repr(used.stats()), *(json.dumps(entry.as_dict()) + repr(entry) for entry in used.entries()),
    ]  # fmt: skip
    assert not any(form in text.encode() for text in shown for form in forms(used))


def test_no_error_has_it(used):
    path = used.folder / "secret.key"
    right = path.read_text()
    result = []
    for wrong in (right[:-3], right[:5], Key.random().secret.hex(), right.replace(right[3], "x"), "", "\udcff"):
        path.write_text(wrong, errors="surrogateescape")
        with pytest.raises(DamageError, match=r"secret\.key: damaged") as error:
            Index.open(used.folder)
        result.append(str(error.value) + repr(error.value) + repr(error.value.__cause__))
    path.unlink()
    with pytest.raises(StoreIOError, match=r"secret\.key: cannot read") as gone:
        Index.open(used.folder)
    result.append(str(gone.value))
    assert not any(form in text.encode() for text in result for form in forms(used))
    assert not any(right[:16] in text for text in result)


def test_every_index_has_its_own(tmp_path):
    with Index.create(tmp_path / "a") as one, Index.create(tmp_path / "b") as two:
        assert one._key != two._key
        assert one.scheme != two.scheme
        one.add(Document("x", prose(1)))
        two.add(Document("x", prose(1)))
        prints = [whorl.fingerprint(prose(1), index.scheme, key=index._key).hashes for index in (one, two)]
        assert not set(prints[0].tolist()) & set(prints[1].tolist())
        assert one.search(prose(1))[0].shared == len(set(prints[0].tolist()))


def test_an_entry_can_be_sent_to_another_process(used):
    """What is handed out holds no connection and no key."""
    hits = used.search(prose(2))
    data = pickle.dumps(hits)
    assert pickle.loads(data) == hits
    assert not any(form in data for form in forms(used))
