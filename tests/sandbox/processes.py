"""What is running, read from /proc."""

import os
import time
from pathlib import Path


def marked(marker):
    """Processes, apart from this one, with the marker in their environment that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            running = state(folder) not in "ZX" and marker.encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        if running and folder.name != str(os.getpid()):
            found.append(int(folder.name))
    return found


def zombies():
    """Children of this process that died and were not reaped."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if status[0] == "Z" and int(status[1]) == os.getpid():
            found.append(int(folder.name))
    return found


def state(folder):
    return (folder / "stat").read_text().rpartition(")")[2].split()[0]


def eventually(condition, seconds=20.0):
    """Whether the condition holds within some seconds."""
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return held
