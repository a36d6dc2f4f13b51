"""The contents of an archive as a tree of folders, so that the same rules hold in it as on the disk."""

from dataclasses import dataclass, field
from typing import Generic

from whorl.collection import ignores
from whorl.collection.budget import Budget
from whorl.collection.members import Archive, Listed, M
from whorl.collection.names import matchable
from whorl.collection.sift import Entry


@dataclass(slots=True)
class ArchiveFolder(Generic[M]):
    """A folder in an archive."""

    archive: Archive[M]
    folders: "dict[str, ArchiveFolder[M]]" = field(default_factory=dict)
    files: dict[str, M] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def entries(self) -> list[Entry[M]]:
        """By name; a file goes before a folder of the same name."""
        found: list[Entry[M]] = [Entry(name, refused=why) for name, why in self.refused.items()]
        found += [Entry(name, file=file) for name, file in self.files.items()]
        found += [Entry(name, folder=folder) for name, folder in self.folders.items()]
        return sorted(found, key=lambda entry: matchable(entry.name))

    def has(self, name: str) -> bool:
        """Whether a file of this name is in it."""
        return name in self.files

    def ignore_file(self) -> bytes:
        """What its .gitignore says."""
        return self.archive.note(self.files[ignores.NAME], ignores.MOST)

    def count(self) -> int:
        """All files below it."""
        total, open_folders = 0, [self]
        while open_folders:
            folder = open_folders.pop()
            total += len(folder.files)
            open_folders += folder.folders.values()
        return total


class Contents(Generic[M]):
    """The tree of an archive, and what cannot be put into it: ``faults`` are names and reasons; "" is the archive."""

    def __init__(self, archive: Archive[M], budget: Budget) -> None:
        self.root: ArchiveFolder[M] = ArchiveFolder(archive)
        self.members: list[M] = []
        self.faults: list[tuple[str, str]] = []
        self.archive = archive
        self._budget = budget
        for item in archive.listing():
            if isinstance(item, Listed):
                self._refuse(item)
            else:
                self._put(item)

    def _put(self, member: M) -> None:
        folder = self._folder(member.parts[:-1])
        if member.parts[-1] in folder.files:
            again = "/".join(member.parts)
            self.faults.append((again, "replaced by a later member of the same name in the archive"))
        folder.files[member.parts[-1]] = member
        self.members.append(member)

    def _refuse(self, item: Listed) -> None:
        if item.refused and item.parts:
            self._folder(item.parts[:-1]).refused[item.parts[-1]] = item.refused
        elif item.refused:
            self.faults.append((item.name, item.refused))
        else:
            self._folder(item.parts)

    def _folder(self, parts: tuple[str, ...]) -> ArchiveFolder[M]:
        """The folder of this path; those that are new count as entries, for a long path makes many."""
        folder = self.root
        for part in parts:
            inner = folder.folders.get(part)
            if inner is None:
                self._budget.enter()
                inner = folder.folders[part] = ArchiveFolder(self.archive)
            folder = inner
        return folder
