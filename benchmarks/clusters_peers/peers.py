"""Which peers there are, and how they are run: each in a virtual environment of its own, made at its first use."""

import os
import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Virtual environments; another place by the variable of the same name in capitals.
HOME = Path(os.environ.get("WHORL_PEERS", ROOT / "benchmarks" / ".peers"))


@dataclass(frozen=True)
class Peer:
    """A package that finds near-duplicates. ``usual`` is the threshold of its own examples, beside 0.5."""

    name: str
    package: str
    usual: float
    # Its only threshold, where it has no setting for it.
    fixed: bool = False

    @property
    def python(self) -> Path:
        """Its own interpreter."""
        return HOME / self.name / "bin" / "python"

    def command(self, texts: Path, threshold: float, out: Path) -> list[str | Path]:
        """What runs it; to be called in the folder ``ROOT``."""
        module = f"benchmarks.clusters_peers.with_{self.name.replace('-', '_')}"
        return [self.python, "-m", module, texts.absolute(), str(threshold), out.absolute()]

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
            return f"{self.name} cannot be installed: {done.stderr.strip()[-300:]}"
        return ""

    def version(self) -> str:
        """The version that is installed."""
        code = f"import importlib.metadata as m; print(m.version({self.name!r}))"
        return subprocess.run([self.python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


PEERS = {
    peer.name: peer
    for peer in (
        Peer("datasketch", "datasketch", 0.8),
        Peer("rensa", "rensa", 0.8),
        Peer("gaoya", "gaoya", 0.75),
        Peer("text-dedup", "text-dedup", 0.7),
        Peer("datatrove", "datatrove[processing] spacy orjson", 0.72, fixed=True),
    )
}
