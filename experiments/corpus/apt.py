"""Debian packages of several releases, by apt with lists of its own: the machine's lists and settings stay as they are.

The repository is the one that the machine's own apt uses.
"""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Names that go into one command: a command line has a limit.
MANY = 200


@dataclass(frozen=True, order=True)
class Package:
    """A package as one release has it."""

    release: str
    name: str
    version: str


class Apt:
    """apt with its state below a folder."""

    def __init__(self, folder: Path, releases: Sequence[str]) -> None:
        self._releases = releases
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        sources = folder / "sources.list"
        sources.write_text("".join(f"deb {repository()} {release} main\n" for release in releases))
        settings = {
            "Dir::Etc::sourcelist": sources,
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::lists": folder / "lists",
            "Dir::Cache": folder / "cache",
            # As the person who asks: apt's own user may not write into the folder.
            "APT::Sandbox::User": "root",
        }
        self._options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]

    def update(self) -> None:
        """Fetch the lists of packages."""
        _output("apt-get", *self._options, "update", "-q")

    def names(self) -> list[str]:
        """Of all packages of all releases."""
        return _output("apt-cache", *self._options, "pkgnames").split()

    def packages(self, names: Sequence[str]) -> list[Package]:
        """Return what the releases have of some packages. A version that several have is in the first alone."""
        newest: dict[tuple[str, str], Package] = {}
        for start in range(0, len(names), MANY):
            # The newest come first.
            for package in _madison(_output("apt-cache", *self._options, "madison", *names[start : start + MANY])):
                newest.setdefault((package.release, package.name), package)
        distinct: dict[tuple[str, str], Package] = {}
        for package in sorted(newest.values(), key=lambda each: self._releases.index(each.release)):
            distinct.setdefault((package.name, package.version), package)
        return list(distinct.values())

    def download(self, packages: Iterable[Package], folder: Path) -> None:
        """Fetch packages into a folder; those that are there are not fetched again."""
        folder.mkdir(parents=True, exist_ok=True)
        for package in packages:
            if not archive(folder, package).exists():
                _output("apt-get", *self._options, "download", "-q", f"{package.name}={package.version}", folder=folder)


def archive(folder: Path, package: Package) -> Path:
    """Return where a downloaded package is."""
    known = sorted(folder.glob(f"{package.name}_{package.version.replace(':', '%3a')}_*.deb"))
    return known[0] if known else folder / f"{package.name}.deb"


def repository() -> str:
    """Return the repository that the machine's apt takes Debian itself from."""
    output = _output("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian")
    if not output.strip():
        raise SystemExit("apt has no list of a Debian repository: run apt-get update first")
    return output.split()[0]


def _madison(output: str) -> Iterable[Package]:
    for line in output.splitlines():
        name, version, source = (part.strip() for part in line.split("|"))
        if source.endswith("Packages"):
            yield Package(source.split()[1].partition("/")[0], name, version)


def _output(*command: str, folder: Path | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return done.stdout
