"""Build the source distribution and, from it, the wheel; refuse either if it has a file that does not belong there.

``python tools/make_distributions.py [FOLDER]``; the folder is ``dist`` unless it is named. The tools are those of
this environment: nothing is fetched.
"""

import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

# What each may have, by names below its top folder. Sources are what git knows; of what is built, the kernel alone.
_PACKAGE = (
    r"whorl/(\w+/)*(\w+\.py|py\.typed)",
    r"whorl/formats/\w+\.(bin|LICENSE)",
    r"whorl/kernel/\w+\.(h|pxd|pyi)",
    r"whorl/report/(scripts/[\w-]+\.js|styles/[\w-]+\.css|templates/\w+\.html)",
    r"whorl/service/page/(static/[\w.-]+|templates/\w+\.html)",
)
WHEEL = re.compile(
    "|".join(
        [
            *_PACKAGE,
            r"whorl/kernel/(memoryviews|native\w*)\.[\w.-]+\.so",
            r"whorl/formats/code/normal/\w+\.[\w.-]+\.so",
            r"whorl-[\w.]+\.dist-info/(METADATA|RECORD|WHEEL|entry_points\.txt|top_level\.txt|licenses/[\w./]+)",
        ]
    )
)
SOURCE = re.compile(
    "|".join(
        [
            *(f"src/{pattern}" for pattern in _PACKAGE),
            r"src/whorl\.egg-info/[\w-]+(\.\w+)?",
            r"LICENSE|MANIFEST\.in|PKG-INFO|README\.md|pyproject\.toml|setup\.cfg|setup\.py",
        ]
    )
)


def strays(names: Iterable[str], allowed: re.Pattern[str]) -> list[str]:
    """Return the files that do not belong into a distribution."""
    return sorted(name for name in names if not name.endswith("/") and not allowed.fullmatch(name))


def in_source(path: Path) -> list[str]:
    """Return the names of a source distribution's files, below its top folder."""
    with tarfile.open(path) as archive:
        return [member.name.partition("/")[2] for member in archive if member.isfile()]


def in_wheel(path: Path) -> list[str]:
    """Return the names of a wheel's files."""
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def built(folder: Path) -> tuple[Path, Path]:
    """Build both into a folder: the source distribution, and the wheel from what is in it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    source, wheel = (max(folder.glob(pattern), key=lambda path: path.stat().st_mtime) for pattern in ("*.gz", "*.whl"))
    return source, wheel


def main(folder: Path) -> None:
    """Build both, and check them."""
    source, wheel = built(folder)
    for path, stray in ((source, strays(in_source(source), SOURCE)), (wheel, strays(in_wheel(wheel), WHEEL))):
        if stray:
            sys.exit(f"{path}: these files do not belong there: {', '.join(stray)}")
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
