"""The stores that are tortured: how each is made, changed and read. The changes of a writer have numbers."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.index.corpus import prose
from whorl import Document, Scheme
from whorl.errors import WhorlError
from whorl.index.index import Index
from whorl.registry.registry import Registry
from whorl.sandbox.pool import Sandbox
from whorl.service.database import ServiceDatabase
from whorl.service.jobs import JobQueue, JobState
from whorl.storage import store
from whorl.sweep.sweep import Sweep

SCHEME = Scheme(k=8, w=4)
PATIENCE = 60.0


class Kind(ABC):
    """A kind of store. Its content is a set of names."""

    name: str

    # Changes of one life of a writer.
    life = 12

    @abstractmethod
    def create(self, folder: Path) -> None:
        """Make an empty one."""

    @abstractmethod
    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        """Make the changes of some numbers, and say of each that it is durable."""

    @abstractmethod
    def names(self, folder: Path) -> set[str]:
        """Check all of a store, and give what is in it."""

    def change(self, who: int, number: int) -> tuple[str, str]:
        """What a change does, and to which name."""
        return "add", f"{who}-{number}"

    def opened(self, folder: Path) -> Any:
        """An object that is written to, for interrupts."""
        raise NotImplementedError

    def once(self, opened: Any, number: int) -> None:
        """One change of an object."""
        raise NotImplementedError


class Indexes(Kind):
    """An index: documents come and go, segments are written and merged."""

    name = "index"

    def create(self, folder: Path) -> None:
        Index.create(folder, SCHEME).close()

    def opened(self, folder: Path) -> Index:
        store.FLUSH_DOCUMENTS, store.FAN = 4, 2
        return Index.open(folder, wait=PATIENCE)

    def change(self, who: int, number: int) -> tuple[str, str]:
        return ("remove", f"{who}-{number - 2}") if number % 5 == 4 else ("add", f"{who}-{number}")

    def once(self, opened: Any, number: int) -> None:
        verb, name = self.change(0, number)
        self._apply(opened, verb, name)
        opened.search(prose(number, 12), passages=False)

    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        with self.opened(folder) as index:
            for number in numbers:
                self._apply(index, *self.change(who, number))
                if number % 7 == 6:
                    index.compact()
                acknowledge(number)

    def _apply(self, index: Any, verb: str, name: str) -> None:
        if verb == "remove":
            index.remove(name)
        else:
            index.add(Document(name, text_of(name)))

    def names(self, folder: Path) -> set[str]:
        with Index.open(folder) as index:
            index.verify()
            names = {entry.name for entry in index.entries()}
            for name in names:
                assert index.text(name) == text_of(name)
                assert index.search(text_of(name), passages=False)[0].document.name == name
            return names


class Registries(Indexes):
    """A registry."""

    name = "registry"

    def create(self, folder: Path) -> None:
        Registry.create(folder).close()

    def opened(self, folder: Path) -> Any:
        store.FLUSH_DOCUMENTS, store.FAN = 4, 2
        return Registry.open(folder, wait=PATIENCE)

    def once(self, opened: Any, number: int) -> None:
        verb, name = self.change(0, number)
        self._apply(opened, verb, name)
        opened.search(text_of(name))

    def names(self, folder: Path) -> set[str]:
        with Registry.open(folder) as registry:
            registry.verify()
            names = {entry.name for entry in registry.entries()}
            for name in names:
                assert registry.search(text_of(name), count=False)[0].document.name == name
            return names


class Sweeps(Kind):
    """A store of sweeps."""

    name = "sweep"

    def create(self, folder: Path) -> None:
        Sweep.create(folder).close()

    def opened(self, folder: Path) -> Sweep:
        return Sweep.open(folder)

    def once(self, opened: Any, number: int) -> None:
        name = f"0-{number}"
        opened.add([Document(name, text_of(name))], f"2026-01-{1 + number % 28:02}", wait=PATIENCE)

    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        with Sweep.open(folder) as sweep:
            for number in numbers:
                name = f"{who}-{number}"
                sweep.add([Document(name, text_of(name))], f"2026-01-{1 + number % 28:02}", wait=PATIENCE)
                acknowledge(number)

    def names(self, folder: Path) -> set[str]:
        with Sweep.open(folder) as sweep:
            sweep.verify()
            names = {str(row[1]) for row in sweep._store.scan("pages", "id, url")}
            for name in names:
                assert sweep.show(name)
            return names


class Services(Kind):
    """A service's database, with jobs and their results."""

    name = "service"

    def create(self, folder: Path) -> None:
        folder.mkdir()
        ServiceDatabase(folder / "service.sqlite").close()
        descriptor = os.open(folder.parent, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    def opened(self, folder: Path) -> ServiceDatabase:
        return ServiceDatabase(folder / "service.sqlite")

    def once(self, opened: Any, number: int) -> None:
        opened.write("INSERT OR IGNORE INTO collections VALUES ('', ?, NULL, 0)", f"0-{number}")

    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        with ServiceDatabase(folder / "service.sqlite") as database:
            jobs = JobQueue(database, folder / "jobs", limit=100_000)
            for number in numbers:
                if number % 4 == 3:
                    self._job(jobs, f"{who}-{number}")
                else:
                    database.write("INSERT INTO collections VALUES ('', ?, NULL, 0)", f"{who}-{number}")
                acknowledge(number)

    def _job(self, jobs: JobQueue, name: str) -> None:
        """A job that is done at once, by its own process."""
        prepared = jobs.prepare()
        _put(jobs.inputs(prepared) / "upload", name)
        jobs.submit("compare", None, None, {"name": name}, prepared)
        while (job := jobs.claim()) is not None and job.id != prepared:
            jobs.requeue(job.id)
        _make(jobs.results(prepared))
        _put(jobs.results(prepared) / "report", name * 100)
        jobs.finish(prepared, {})

    def names(self, folder: Path) -> set[str]:
        with ServiceDatabase(folder / "service.sqlite") as database:
            database.verify()
            jobs = JobQueue(database, folder / "jobs", limit=100_000)
            jobs.verify()
            names = {str(row[0]) for row in database.read("SELECT name FROM collections")}
            for job in jobs.listed(None, limit=100_000, everyone=True):
                name = str(job.settings["name"])
                if job.state is JobState.DONE:
                    assert (jobs.results(job.id) / "report").read_text() == name * 100
                    names.add(name)
                else:
                    assert (jobs.inputs(job.id) / "upload").read_text() == name
            return names


class Sandboxes(Kind):
    """No store, but an object that must not be stuck after an interrupt either."""

    name = "sandbox"

    def create(self, folder: Path) -> None:
        folder.mkdir()

    def write(self, folder: Path, who: int, numbers: range, acknowledge: Callable[[int], object]) -> None:
        with self.opened(folder) as sandbox:
            for number in numbers:
                self.once(sandbox, number)
                acknowledge(number)

    def names(self, folder: Path) -> set[str]:
        return set()

    def opened(self, folder: Path) -> Sandbox:
        return Sandbox(2)

    def once(self, opened: Any, number: int) -> None:
        assert opened.call("operator:add", number, 1) == number + 1
        outcomes = opened.map("operator:neg", [(each,) for each in range(8)])
        assert [outcome.result() for outcome in outcomes] == [-each for each in range(8)]


KINDS: tuple[Kind, ...] = (Indexes(), Registries(), Sweeps(), Services())


@cache
def text_of(name: str) -> str:
    """The text of a document: long enough for every kind."""
    who, _, number = name.partition("-")
    return prose(100_000 * int(who) + int(number), 60)


def _make(folder: Path) -> None:
    try:
        folder.mkdir()
    except OSError as error:
        raise WhorlError(f"{folder}: {error.strerror}") from error


def _put(path: Path, text: str) -> None:
    """Write what a request or a job writes; what the system refuses then is told, as they tell it."""
    try:
        path.write_text(text)
    except OSError as error:
        raise WhorlError(f"{path}: {error.strerror}") from error


def expected(kind: Kind, present: set[str], who: int, numbers: range) -> set[str]:
    """What a writer's changes make of what was there."""
    for number in numbers:
        verb, name = kind.change(who, number)
        present = present | {name} if verb == "add" else present - {name}
    return present
