"""The kind of a file: by its first bytes, or by the tool that generated it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol

from whorl.formats.binary import MAGIC, binary, is_clean


class FileLookup(Protocol):
    """A folder that says whether it holds a file."""

    def has(self, name: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class ToolFolder:
    """A folder name that a tool uses. One of ``beside`` (a name, or "*" and an ending) must lie beside it, and
    ``inside`` in it.

    ``tool_files`` matches the beginning of the path of a program that the tool itself puts into the folder. It counts
    only if a path in the folder matches ``proof``. ``packages``: files in a folder with a package.json are the tool's.
    """

    meaning: str
    beside: tuple[str, ...] = ()
    inside: str = ""
    tool_files: str = ""
    proof: str = ""
    packages: bool = False

    def applies(self, neighbours: Collection[str], folder: FileLookup) -> bool:
        """Return whether the conditions hold."""
        if self.inside and not folder.has(self.inside):
            return False
        return not self.beside or any(_is_there(name, neighbours) for name in self.beside)

    def foreign_programs(self, paths: Collection[str]) -> Iterator[str]:
        """Yield the programs in such a folder, by path, that the tool did not put there."""
        packages = {path.removesuffix("/package.json") for path in paths if path.endswith("/package.json")}
        is_proven = not self.proof or any(re.match(self.proof, path) for path in paths)
        for path in paths:
            if not is_program(path) or (self.tool_files and is_proven and re.match(self.tool_files, path)):
                continue
            if not self.packages or _package(path) not in packages:
                yield path


_HISTORY = ToolFolder("a version history")
_CACHE = ToolFolder("a cache")
_EDITOR = ToolFolder("settings of an editor")
_INSTALLED = r"(?:lib|lib64)/(?:python|pypy)[^/]*/|Lib/site-packages/|(?:bin|Scripts|include|Include|share|etc)/"
_SITE = r"(?:[^/]+/)?(?:(?:lib|lib64)/(?:python|pypy)[^/]*|Lib)/site-packages/[^/]+\.(?:dist|egg)-info(?:/|$)"
_VENV = ToolFolder("a Python environment", inside="pyvenv.cfg", tool_files=_INSTALLED, proof=_SITE)
_VENVS = ToolFolder("Python environments", tool_files=rf"[^/]+/(?:{_INSTALLED})", proof=_SITE)
_BUILD = "a build's output"
_ANY = r".+"
_GRADLE = ("build.gradle", "build.gradle.kts")
_PYTHON = ("setup.py", "setup.cfg", "pyproject.toml")
_DOTNET = ("*.csproj", "*.vbproj", "*.fsproj", "*.sln", "*.vcxproj")
# Scripts that a bundler writes: in folders of its own, or with a mark or a digest in their names.
_BUNDLED = (
    r"(?:.*/)?(?:static|assets|chunks|_next|vendor|server)/|"
    r".*(?:\.min|\.bundle|\.chunk|[.-](?=[\w]*\d)\w{6,20})\.(?:js|mjs|cjs)$|"
    r"(?:.*/)?(?:bundle|vendors?|runtime|polyfills|service-worker|workbox-\w+)\b[^/]*\.js$"
)
_GRADLE_BUILD = r"(?:generated|reports|docs|scripts|install|intermediates|kotlin|tmp|distributions)/"
_CMAKE_BUILD = r"(?:.*/)?(?:CMakeFiles|_deps|[^/]*_autogen)/"
_MAVEN_BUILD = r"(?:generated-[^/]*|site|apidocs|reports|surefire-reports|failsafe-reports|staging)/"
_CARGO_BUILD = r"(?:[^/]+/)?(?:debug|release)/build/[^/]+/out/|doc/|package/"
_SBT_BUILD = r"scala-[^/]*/(?:src_managed|api)/|streams/"

FOLDERS: dict[str, tuple[ToolFolder, ...]] = {
    ".git": (_HISTORY,),
    ".hg": (_HISTORY,),
    ".svn": (_HISTORY,),
    "node_modules": (
        ToolFolder(
            "dependencies",
            tool_files=r"\.(?:bin|cache|pnpm|vite|yarn-state)(?:/|\b)",
            proof=r".*/package\.json$",
            packages=True,
        ),
    ),
    "__pycache__": (_CACHE,),
    ".gradle": (_CACHE,),
    ".ipynb_checkpoints": (ToolFolder("a notebook editor's copies", tool_files=r"[^/]+-checkpoint\.\w+$"),),
    ".mypy_cache": (_CACHE,),
    ".pytest_cache": (_CACHE,),
    ".ruff_cache": (_CACHE,),
    ".tox": (_VENVS,),
    ".nox": (_VENVS,),
    ".venv": (_VENV,),
    "venv": (_VENV,),
    "env": (_VENV,),
    ".idea": (_EDITOR,),
    ".vs": (_EDITOR,),
    ".vscode": (_EDITOR,),
    ".settings": (_EDITOR,),
    ".mvn": (ToolFolder("a build tool's settings", tool_files=r"wrapper/MavenWrapperDownloader\.java$"),),
    ".next": (ToolFolder(_BUILD, tool_files=_ANY, proof=r"BUILD_ID$|build-manifest\.json$"),),
    ".yarn": (ToolFolder("dependencies", tool_files=r"(?:releases|plugins|sdks|unplugged|cache)/"),),
    "__MACOSX": (ToolFolder("added by macOS"),),
    "target": (
        ToolFolder(_BUILD, ("pom.xml",), tool_files=_MAVEN_BUILD),
        ToolFolder(_BUILD, ("Cargo.toml",), tool_files=_CARGO_BUILD),
        ToolFolder(_BUILD, ("build.sbt",), tool_files=_SBT_BUILD),
    ),
    "build": (
        ToolFolder(_BUILD, _GRADLE, tool_files=_GRADLE_BUILD),
        ToolFolder(_BUILD, ("CMakeLists.txt",), tool_files=_CMAKE_BUILD, proof=r"CMakeCache\.txt$"),
        ToolFolder(_BUILD, ("package.json",), tool_files=_BUNDLED),
        ToolFolder(_BUILD, _PYTHON),
    ),
    "dist": (ToolFolder(_BUILD, ("package.json",), tool_files=_BUNDLED), ToolFolder(_BUILD, _PYTHON)),
    "out": (ToolFolder(_BUILD, ("*.iml",)), ToolFolder(_BUILD, _GRADLE, tool_files=_GRADLE_BUILD)),
    "bin": (ToolFolder(_BUILD, (*_DOTNET, ".classpath", *_GRADLE)),),
    "obj": (
        ToolFolder(_BUILD, _DOTNET, tool_files=r"(?i).*\.(?:AssemblyInfo|AssemblyAttributes|g|g\.i)\.(?:cs|vb|fs)$"),
    ),
}

FILES: dict[str, str] = {
    ".DS_Store": "added by macOS",
    "Thumbs.db": "added by Windows",
}

# Languages in which tools keep settings and reports: a file in one of them is no sign of somebody's work.
_DATA = frozenset({"css", "html", "spice"})


def folder_row(name: str, neighbours: Collection[str], folder: FileLookup) -> ToolFolder | None:
    """Return the row of a folder if a tool made it."""
    return next((row for row in FOLDERS.get(name, ()) if row.applies(neighbours, folder)), None)


def file_meaning(name: str) -> str:
    """Return what a file is if a tool made it; else ""."""
    return FILES.get(name, "")


def is_program(name: str) -> bool:
    """Return whether a file has the name of a program or of a notebook."""
    return _extension(name) in _programs()


def is_known(name: str) -> bool:
    """Return whether a file has the name of anything that can be read."""
    from whorl.formats.detection import extensions

    return _extension(name) in extensions()


@cache
def _programs() -> frozenset[str]:
    from whorl.formats.code.languages import ROWS  # whoever indexes texts does without them

    return frozenset({"ipynb", *(extension for row in ROWS if row.name not in _DATA for extension in row.extensions)})


def _extension(name: str) -> str:
    stem, dot, extension = name.rpartition("/")[2].lstrip(".").rpartition(".")
    return extension.lower() if stem and dot else ""


def _package(path: str) -> str:
    """Return the package of a file in node_modules: a folder, or a folder in a scope."""
    parts = path.split("/")
    return "/".join(parts[: 2 if path.startswith("@") else 1])


def _is_there(name: str, neighbours: Collection[str]) -> bool:
    if name.startswith("*"):
        return any(neighbour.endswith(name[1:]) for neighbour in neighbours)
    return name in neighbours


# Bytes that decide. Git looks at 8,000 for a NUL; a tar header needs 512.
HEAD = 8192

What = Literal["document", "zip", "tar", "gzip", "bzip2", "xz", "zstd", "binary"]


@dataclass(frozen=True, slots=True)
class FileKind:
    """The kind of a file; ``reason`` says why a binary file has no text."""

    what: What
    reason: str = ""
    is_known: bool = False
    """Whether the first bytes name the format of a binary file."""

    @property
    def is_archive(self) -> bool:
        return self.what not in ("document", "binary")

    @property
    def has_text(self) -> bool:
        """Whether a binary file may have text, which another format would show: the reason says which."""
        return "; " in self.reason

    @property
    def is_packed(self) -> bool:
        """Whether it is one compressed stream, which may hold a tar archive."""
        return self.what in PACKERS.values()


DOCUMENT = FileKind("document")

_DOCUMENTS = (
    b"%PDF-",
    b"%!",  # PostScript
    b"\x04%!",  # PostScript behind a printer's end of transmission
    b"\xc5\xd0\xd3\xc6",  # EPS with a preview
    b"{\\rtf",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # Word, Excel and PowerPoint before 2007
)
_PDF_WITHIN = 1024  # readers of PDF allow this much before the first mark

# Office files and EPUB are zip files that are read as a whole.
OFFICE = (
    ".docx", ".docm", ".dotx", ".dotm", ".xlsx", ".xlsm", ".xltx", ".pptx", ".pptm", ".ppsx", ".potx",
    ".odt", ".ott", ".ods", ".odp", ".odg", ".odf", ".epub", ".pages", ".numbers", ".key",
)  # fmt: skip

PACKERS: dict[bytes, What] = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_PACKER_MAGIC = tuple(PACKERS)
_ARCHIVE_ENDINGS: dict[str, What] = {
    ".zip": "zip", ".jar": "zip", ".tar": "tar", ".tar.gz": "gzip", ".tgz": "gzip", ".tar.bz2": "bzip2",
    ".tbz2": "bzip2", ".tbz": "bzip2", ".tar.xz": "xz", ".txz": "xz", ".tar.zst": "zstd", ".tzst": "zstd",
}  # fmt: skip


def kind(name: str, head: bytes) -> FileKind:
    """Return what a file is. Its first bytes decide; its name decides where they are ambiguous."""
    if head.startswith(_DOCUMENTS) or b"%PDF-" in head[:_PDF_WITHIN]:
        return DOCUMENT
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return DOCUMENT if name.lower().endswith(OFFICE) else FileKind("zip")
    if is_tar_header(head):
        return FileKind("tar")
    if head.startswith(_PACKER_MAGIC) and not is_clean(head):
        return FileKind(next(packer for magic, packer in PACKERS.items() if head.startswith(magic)))
    return _by_content(name, head)


def named_archive(name: str) -> What | None:
    """Return the kind of archive that a file name states."""
    lower = name.lower()
    return next((what for ending, what in _ARCHIVE_ENDINGS.items() if lower.endswith(ending)), None)


def is_tar_header(block: bytes) -> bool:
    """Return whether a block begins with a tar header: a valid checksum, and NUL bytes as padding."""
    return len(block) >= 512 and block[0] != 0 and b"\0" in block[:512] and header_sum(block[:512])


def header_sum(block: bytes) -> bool:
    """Return whether a tar header's checksum is right: the sum of its bytes, with the checksum field as blanks.

    Some old writers summed signed bytes, so each byte from 128 on counts 256 less.
    """
    stated = block[148:156].strip(b" \x00")
    if not stated or not all(0x30 <= byte <= 0x37 for byte in stated):
        return False
    summed = block[:148] + b" " * 8 + block[156:]
    total = sum(summed)
    return int(stated, 8) == total or int(stated, 8) == total - 256 * sum(byte >= 0x80 for byte in summed)


def _by_content(name: str, head: bytes) -> FileKind:
    meaning = binary(head, is_program=is_program(name))
    if not meaning:
        return DOCUMENT
    promised = named_archive(name)
    is_known = head.startswith(tuple(MAGIC))
    return (
        FileKind(promised)
        if promised is not None and not is_known
        else FileKind("binary", f"binary: {meaning}", is_known)
    )
