"""The example programs: a few tasks, each with independent solutions in three languages, and cases to run them on."""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("programs")

# The languages of the examples, by the ends of their files' names.
SUFFIXES = {".java": "java", ".py": "python", ".js": "javascript"}
LANGUAGES = tuple(sorted(SUFFIXES.values()))


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its task, who wrote it, and its files by name. The first file is the one that is run."""

    task: str
    author: str
    language: str
    files: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The file that is run."""
        return self.files[0][1]

    @property
    def name(self) -> str:
        """A name that no other program of its language has."""
        return f"{self.task}-{self.author}"

    def with_text(self, text: str) -> "Program":
        """Return the same program with another text in the file that is run."""
        return replace(self, files=((self.files[0][0], text), *self.files[1:]))


@dataclass(frozen=True, slots=True)
class Case:
    """What a program is given, and what it must print."""

    input: str
    output: str


@cache
def programs(language: str) -> tuple[Program, ...]:
    """Return the examples in a language, by task and author."""
    found = [path for path in FOLDER.glob("*/*") if SUFFIXES.get(path.suffix) == language]
    return tuple(
        Program(path.parent.name, path.stem.lower(), language, ((path.name, path.read_text("utf-8")),))
        for path in sorted(found)
    )


@cache
def cases(task: str) -> tuple[Case, ...]:
    """Return the cases of a task."""
    return tuple(Case(**case) for case in json.loads((FOLDER / task / "cases.json").read_text("utf-8")))
