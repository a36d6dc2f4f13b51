"""What tools make or fetch: folders and files that are nobody's work, one row each.

The list is conservative. Names that people also give to their own folders (``build``, ``bin``) count only if a file
beside them says which tool owns the folder. Whatever a row leaves out is reported, so nothing hides in such a folder.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


class Holder(Protocol):
    """A folder that can be asked for a file."""

    def has(self, name: str) -> bool:
        """Whether a file of this name is in it."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """What a name means. One of ``beside`` (a name, or "*" and an ending) must be there; ``inside``, in the folder."""

    meaning: str
    beside: tuple[str, ...] = ()
    inside: str = ""

    def applies(self, neighbours: Collection[str], folder: Holder) -> bool:
        """Whether the conditions hold."""
        if self.inside and not folder.has(self.inside):
            return False
        return not self.beside or any(_is_there(name, neighbours) for name in self.beside)


_HISTORY = Row("a version history")
_CACHE = Row("a cache")
_EDITOR = Row("settings of an editor")
_VENV = Row("a Python environment", inside="pyvenv.cfg")
_GRADLE = ("build.gradle", "build.gradle.kts")
_PYTHON = ("setup.py", "setup.cfg", "pyproject.toml")
_DOTNET = ("*.csproj", "*.vbproj", "*.fsproj", "*.sln", "*.vcxproj")

FOLDERS: dict[str, tuple[Row, ...]] = {
    ".git": (_HISTORY,),
    ".hg": (_HISTORY,),
    ".svn": (_HISTORY,),
    "node_modules": (Row("dependencies"),),
    "__pycache__": (_CACHE,),
    ".gradle": (_CACHE,),
    ".ipynb_checkpoints": (Row("a notebook editor's copies"),),
    ".mypy_cache": (_CACHE,),
    ".pytest_cache": (_CACHE,),
    ".ruff_cache": (_CACHE,),
    ".tox": (Row("Python environments"),),
    ".venv": (_VENV,),
    "venv": (_VENV,),
    "env": (_VENV,),
    ".idea": (_EDITOR,),
    ".vs": (_EDITOR,),
    "__MACOSX": (Row("what a Mac adds to archives"),),
    "target": (Row("a build's output", ("Cargo.toml", "pom.xml", "build.sbt")),),
    "build": (Row("a build's output", (*_GRADLE, *_PYTHON, "CMakeLists.txt", "package.json")),),
    "dist": (Row("a build's output", (*_PYTHON, "package.json")),),
    "out": (Row("a build's output", ("*.iml", *_GRADLE)),),
    "bin": (Row("a build's output", (*_DOTNET, ".classpath", *_GRADLE)),),
    "obj": (Row("a build's output", _DOTNET),),
}

FILES: dict[str, str] = {
    ".DS_Store": "what a Mac adds to folders",
    "Thumbs.db": "what Windows adds to folders",
}


def folder_meaning(name: str, neighbours: Collection[str], folder: Holder) -> str:
    """What a folder is if a tool made it; else ""."""
    return next((row.meaning for row in FOLDERS.get(name, ()) if row.applies(neighbours, folder)), "")


def file_meaning(name: str) -> str:
    """What a file is if a tool made it; else ""."""
    return FILES.get(name, "")


def _is_there(name: str, neighbours: Collection[str]) -> bool:
    if name.startswith("*"):
        return any(neighbour.endswith(name[1:]) for neighbour in neighbours)
    return name in neighbours
