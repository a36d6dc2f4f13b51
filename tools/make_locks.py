"""Make the lock files in requirements/: every package at one version, with the hashes of all its files, for pip.

The versions are the newest that ``pyproject.toml`` allows, the same in all files, and good for every Python and system
that Whorl runs on. Neither a path nor a host is named: pip asks the registry that it is configured for.
"""

import subprocess
import sysconfig
from pathlib import Path

FOLDER = Path("requirements")

# File → what of pyproject.toml it has. The first has everything; the others take its versions.
DEVELOPMENT = "development.txt"
PLAIN = "plain.txt"
LOCKS = {
    DEVELOPMENT: ["--extra", "all", "--extra", "spark", "--group", "dev"],
    PLAIN: [],
    "container.txt": ["--extra", "documents", "--extra", "languages", "--extra", "serve"],
}
BUILD = "build.txt"


def lock(name: str, sources: list[str], constraints: list[str]) -> None:
    """Resolve and write one file."""
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    form = ["--universal", "--generate-hashes", "--no-annotate", "--upgrade", "--quiet"]
    header = ["--custom-compile-command", "make lock", "--no-emit-index-url", "--no-emit-find-links"]
    command = [str(uv), "pip", "compile", *form, *header, *sources, *constraints, "--output-file", str(FOLDER / name)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Make all files again."""
    FOLDER.mkdir(exist_ok=True)
    constraints = ["--constraint", str(FOLDER / DEVELOPMENT)]
    for name, parts in LOCKS.items():
        lock(name, ["pyproject.toml", *parts], [] if name == DEVELOPMENT else constraints)
    lock(BUILD, ["--group", "build"], constraints)


if __name__ == "__main__":
    main()
