"""Stores that earlier versions made are read and written, or refused in words that say what to do."""

import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.index.corpus import prose
from whorl import Document, InputError
from whorl.cli import main
from whorl.clustering.query import Clusters
from whorl.errors import StoreFormatError
from whorl.index.index import Index
from whorl.index.store import IndexStore
from whorl.registry.registry import Registry
from whorl.registry.store import RegistryStore
from whorl.service.database import VERSION as SERVICE
from whorl.service.database import ServiceDatabase
from whorl.storage.connection import CHECKSUM, Connection
from whorl.storage.database import Database
from whorl.sweep.store import SweepStore
from whorl.sweep.sweep import Sweep

HERE = Path(__file__).parent


@pytest.fixture
def unpacked(tmp_path):
    def unpack(name: str) -> Path:
        folder: Path = tmp_path / name
        with tarfile.open(HERE / f"{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        return folder

    return unpack


@pytest.mark.parametrize("store", [IndexStore, RegistryStore, SweepStore])
def test_there_is_a_store_of_each_format(store: type[Database]):
    for version in range(1, store.version_of_format + 1):
        assert (HERE / f"{store.kind}-{version}.tar.gz").exists()


def test_an_index_of_format_1(unpacked):
    folder = unpacked("index-1")
    with Index.open(folder) as index:
        index.verify()
        assert [entry.name for entry in index.entries()] == ["a", "b"]
        text = index.text("a")
        assert index.search(text)[0].document.name == "a"
        index.add(Document("c", prose(1)))
        index.compact()
    with Index.open(folder) as index:
        index.verify()
        assert len(index) == 3
        assert index.search(text)[0].resemblance == 1.0


def test_a_registry_of_format_1(unpacked):
    folder = unpacked("registry-1")
    with Registry.open(folder) as registry:
        registry.verify()
        assert [entry.name for entry in registry.entries()] == ["a", "b"]
        registry.add(Document("c", prose(1, 400)))
        registry.compact()
    with Registry.open(folder) as registry:
        registry.verify()
        assert registry.search(prose(1, 400))[0].document.name == "c"


def test_a_sweep_of_format_1_is_refused(unpacked):
    with pytest.raises(StoreFormatError, match="sweep format 1 is older than what this Whorl reads, 2: build it again"):
        Sweep.open(unpacked("sweep-1"))


def test_a_sweep_of_format_2(unpacked):
    with Sweep.open(unpacked("sweep-2")) as sweep:
        sweep.verify()
        assert sweep.sweeps() == ["2025-01-01", "2025-02-01"]
        assert [len(cluster) for cluster in sweep.clusters()] == [2]
        sweep.add([Document("c", prose(1, 100))], "2025-03-01")
        sweep.verify()
        assert [answer.state for answer in sweep.screen([prose(1, 100), prose(2, 100)])] == ["duplicate", "new"]
        with pytest.raises(InputError, match="an earlier version of Whorl made it; build it again"):
            sweep.add_new([prose(2, 100)], "2025-03-01")


def test_a_sweep_of_format_3(unpacked):
    with Sweep.open(unpacked("sweep-3")) as sweep:
        sweep.verify()
        assert [len(cluster) for cluster in sweep.clusters()] == [2]
        assert sweep.add_new([Document("d", prose(1, 100))], "2025-03-01").stored == 3
        sweep.verify()


def test_a_clustering_of_format_2_is_read_and_not_gone_on_from(unpacked):
    folder = unpacked("clustering-2")
    assert Clusters.open(folder).find("a.txt")
    done = CliRunner().invoke(main, ["cluster", "-o", str(folder), "--threshold", "0.4"])
    assert done.exit_code == 1
    assert "written by another version of Whorl; start over with --fresh" in done.output


def test_a_service_of_format_1_is_brought_up_to_date(unpacked):
    path = unpacked("service-1") / "service.sqlite"
    for _ in range(2):
        with ServiceDatabase(path) as database:
            assert database.read("SELECT name FROM collections") == [("essays",)]
            assert database.read("PRAGMA user_version") == [(SERVICE,)]
            database.write("INSERT OR IGNORE INTO collections VALUES ('', 'more', NULL, 0)")
            database.write("DELETE FROM collections WHERE name = 'more'")
            database.verify()
    connection = Connection(path)
    assert connection.sqlite.reserve_bytes() == CHECKSUM
    connection.close()
