"""Virtual environments of the peers: each package in one of its own, made at its first use."""

import os
import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Where they are; another place by the variable of the same name in capitals.
HOME = Path(os.environ.get("WHORL_PEERS", ROOT / "benchmarks" / ".peers"))


@dataclass(frozen=True)
class Environment:
    """A peer by its package's name, and what is installed for it."""

    name: str
    package: str

    @property
    def folder(self) -> Path:
        """Where its programs are."""
        return HOME / self.name / "bin"

    @property
    def python(self) -> Path:
        """Its own interpreter."""
        return self.folder / "python"

    def missing(self) -> str:
        """Install it unless that is done; why it cannot be, if it cannot."""
        if self.python.exists():
            return ""
        venv.create(HOME / self.name, with_pip=True)
        command: list[str | Path] = [self.python, "-m", "pip", "install", "-q", *self.package.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            # Half an environment would pass for a whole one the next time.
            shutil.rmtree(HOME / self.name)
            return f"{self.name} cannot be installed, so it is not measured: {done.stderr.strip()[-300:]}"
        return ""

    def version(self) -> str:
        """Return the version that is installed."""
        code = f"import importlib.metadata as m; print(m.version({self.name!r}))"
        return subprocess.run([self.python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
