"""Files that a client sent, on their way into the folder of a job. Their names become paths, so they are looked at."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from whorl.service.naming import checked_name
from whorl.service.problems import Problem

# Folders inside each other: a class, a student, a project and some of its own.
DEEPEST = 20

# Bytes of one part of a path that every file system takes.
LONGEST_PART = 200


@dataclass(frozen=True, slots=True)
class Upload:
    """A file by the name that the client gives it, which may have folders before it; ``file`` is read once."""

    name: str
    file: IO[bytes]


def keep(uploads: Iterable[Upload], folder: Path) -> int:
    """Write uploads below a folder; how many they were."""
    count = 0
    for upload in uploads:
        target = folder.joinpath(*safe_parts(upload.name))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _free(target).open("xb") as written:
                shutil.copyfileobj(upload.file, written)
        except (FileExistsError, NotADirectoryError) as error:
            told = f"{upload.name}: a file stands where its folder should. Send one or the other."
            raise Problem(422, told) from error
        count += 1
    return count


def _free(path: Path) -> Path:
    """The path, or one with a number that no file has yet: two people may hand in files of one name."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return free


def safe_parts(name: str) -> tuple[str, ...]:
    """The parts of a client's path, none of which leads out of the folder or is hidden by its name."""
    parts = PurePosixPath(checked_name(name).replace("\\", "/")).parts
    if not parts or len(parts) > DEEPEST:
        raise _unusable(name)
    for part in parts:
        if part in ("/", ".", "..") or len(part.encode()) > LONGEST_PART:
            raise _unusable(name)
    return parts


def _unusable(name: str) -> Problem:
    return Problem(422, f"{name[:80]!r} is no name for a file here. Give a plain name, with folders before it at most.")
