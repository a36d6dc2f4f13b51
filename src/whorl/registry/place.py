"""Where the parts of a registry are in its folder. Imports nothing of them."""

from pathlib import Path

DATABASE, SEGMENTS = "registry.db", "segments"


def is_registry(path: Path) -> bool:
    """Whether a registry is in this folder."""
    return (path / DATABASE).is_file()
