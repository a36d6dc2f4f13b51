"""Rows of other packages: found wherever Python finds packages, and not looked for where nobody offers any."""

import importlib.metadata
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from zipfile import ZipFile

import pytest

from whorl.catalog import FRONTENDS, Catalog

OFFER = "[console_scripts]\nmine = mine:main\n\n[whorl.formats]\nmorse = json:loads\n"


def catalog():
    return Catalog(FRONTENDS.kind, FRONTENDS.group, FRONTENDS.declared)


def info(folder: Path, offer: str = OFFER) -> None:
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(offer)


def zipped(folder: Path, place: Path) -> Path:
    info(folder / "mine-1.dist-info")
    with ZipFile(place, "w") as archive:
        for path in (folder / "mine-1.dist-info").iterdir():
            archive.write(path, f"mine-1.dist-info/{path.name}")
    return place


@pytest.mark.parametrize("folder", ["mine-1.dist-info", "Mine-1.DIST-INFO", "mine.egg-info"])
def test_a_package_in_a_folder(monkeypatch, tmp_path, folder):
    info(tmp_path / folder)
    monkeypatch.syspath_prepend(tmp_path)
    assert "morse" in catalog().names()


def test_a_package_in_an_egg(monkeypatch, tmp_path):
    info(tmp_path / "mine-1-py3.egg" / "EGG-INFO")
    monkeypatch.syspath_prepend(tmp_path / "mine-1-py3.egg")
    assert "morse" in catalog().names()


def test_a_package_in_a_zip_file(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(zipped(tmp_path / "made", tmp_path / "mine.zip"))
    assert "morse" in catalog().names()


def test_a_package_in_the_folder_where_python_started(monkeypatch, tmp_path):
    info(tmp_path / "mine-1.dist-info")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert "morse" in catalog().names()


def test_a_package_that_another_finder_finds(monkeypatch, tmp_path):
    info(tmp_path / "mine-1.dist-info")

    class Finder:
        @staticmethod
        def find_spec(_name, _path=None, _target=None):
            return None

        @staticmethod
        def find_distributions(_context):
            return PathFinder.find_distributions(importlib.metadata.DistributionFinder.Context(path=[str(tmp_path)]))

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert "morse" in catalog().names()


def test_nothing_is_imported_where_nobody_offers_a_format(monkeypatch, tmp_path):
    info(
        tmp_path / "site" / "mine-1.dist-info",
        "[console_scripts]\nmine = mine:main\n\n[whorl.engine]\nx = json:loads\n",
    )
    info(tmp_path / "site" / "silent-1.dist-info", "")
    (tmp_path / "site" / "silent-1.dist-info" / "entry_points.txt").unlink()
    (tmp_path / "site" / "old.egg-info").write_text("Name: old\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), str(tmp_path / "missing")])
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_group: pytest.fail("asked"))
    assert set(catalog().names()) == set(FRONTENDS.declared)
