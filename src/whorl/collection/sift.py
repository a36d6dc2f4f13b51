"""Which files of a tree are taken. The tree may be on the disk or in an archive: the rules are the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from whorl.collection import generated, ignores
from whorl.collection.faults import RefusedError, reason
from whorl.collection.names import matchable, printable
from whorl.collection.patterns import Pattern
from whorl.collection.rules import Rules
from whorl.model import Skipped

T = TypeVar("T")


class Folder(Protocol[T]):
    """A folder of a tree. Reading it may raise OSError or ``RefusedError``."""

    def entries(self) -> "Sequence[Entry[T]]":
        """What is in it, by name."""
        ...

    def has(self, name: str) -> bool:
        """Whether a file of this name is in it."""
        ...

    def ignore_file(self) -> bytes:
        """What its .gitignore says; asked only if there is one."""
        ...

    def count(self) -> int | None:
        """How many files are below it, if that is known without looking."""
        ...


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A file, a folder, or what is refused for a reason."""

    name: str
    file: T | None = None
    folder: Folder[T] | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A file that the rules let through. ``included``: it matches ``include``, or none is given."""

    name: str
    file: T
    included: bool


@dataclass(frozen=True, slots=True)
class _Place(Generic[T]):
    """A folder on the way: its path from the root with a "/" at the end, and what holds in it."""

    folder: Folder[T]
    path: str
    included: bool
    ignores: ignores.Ignores


class Sieve(Generic[T]):
    """The rules, applied to one tree. ``prefix`` is the name of the tree itself: "" or ``class.zip/``."""

    def __init__(self, rules: Rules, allowance: ignores.Allowance, prefix: str = "", included: bool = False) -> None:
        self._rules = rules
        self._allowance = allowance
        self._prefix = prefix
        self._include, self._exclude = rules.included(), rules.excluded()
        self._included = included or not self._include

    def sift(self, root: Folder[T]) -> Iterator[Found[T] | Skipped]:
        """Every file of the tree, or why it or its folder is left out, by name."""
        stack = [self._inside(_Place(root, "", self._included, ignores.Ignores()))]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif isinstance(step, _Place):
                stack.append(self._inside(step))
            else:
                yield step

    def only_folder(self, root: Folder[T]) -> str:
        """The name of the one folder that is all there is, beside what the rules leave out; "" if there is more."""
        steps = self._inside(_Place(root, "", self._included, ignores.Ignores()))
        kept = [step for step in steps if not isinstance(step, Skipped)]
        return kept[0].path[:-1] if len(kept) == 1 and isinstance(kept[0], _Place) else ""

    def _inside(self, place: _Place[T]) -> Iterator[_Place[T] | Found[T] | Skipped]:
        try:
            entries = place.folder.entries()
        except (OSError, RefusedError) as error:
            yield self._skipped(place.path, reason(error))
            return
        if not entries:
            yield self._skipped(place.path, "empty")
        names = {entry.name for entry in entries}
        layer, fault = self._ignores(place, names)
        if fault:
            yield self._skipped(place.path + ignores.NAME, fault)
        for entry in entries:
            yield self._judge(entry, place, layer, names)

    def _ignores(self, place: _Place[T], names: set[str]) -> tuple[ignores.Ignores, str]:
        if not self._rules.gitignore or ignores.NAME not in names or not place.folder.has(ignores.NAME):
            return place.ignores, ""
        try:
            data = place.folder.ignore_file()
        except (OSError, RefusedError) as error:
            return place.ignores, f"not applied: {reason(error)}"
        return place.ignores.within(matchable(place.path), data, self._allowance)

    def _judge(
        self, entry: Entry[T], place: _Place[T], layer: ignores.Ignores, names: set[str]
    ) -> _Place[T] | Found[T] | Skipped:
        path = place.path + entry.name
        is_folder = entry.folder is not None
        fault = entry.refused or self._unwanted(entry, path, layer, names)
        if fault:
            return self._skipped(path + "/" * is_folder, fault)
        included = place.included or self._matches(self._include, path, is_folder)
        if entry.folder is not None:
            return _Place(entry.folder, path + "/", included, layer)
        assert entry.file is not None
        return Found(self._prefix + path, entry.file, included)

    def _unwanted(self, entry: Entry[T], path: str, layer: ignores.Ignores, names: set[str]) -> str:
        is_folder = entry.folder is not None
        if self._matches(self._exclude, path, is_folder):
            return "excluded by a pattern"
        if not self._rules.generated and (meaning := _meaning(entry, names)):
            return meaning
        if not self._rules.hidden and entry.name.startswith("."):
            return "hidden"
        return "ignored by a .gitignore" if layer.ignore(matchable(path), is_folder) else ""

    def _matches(self, patterns: tuple[Pattern, ...], path: str, is_folder: bool) -> bool:
        name = matchable(self._prefix + path) if patterns else b""
        return any(pattern.matches(name, is_folder) for pattern in patterns)

    def _skipped(self, path: str, why: str) -> Skipped:
        return Skipped(printable(self._prefix + path) or "./", why)


def _meaning(entry: Entry[T], names: set[str]) -> str:
    if entry.folder is None:
        return generated.file_meaning(entry.name)
    meaning = generated.folder_meaning(entry.name, names, entry.folder)
    count = entry.folder.count() if meaning else None
    return meaning if count is None else f"{meaning}: {count:,} {'file' if count == 1 else 'files'}"
