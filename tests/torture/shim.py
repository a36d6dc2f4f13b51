"""The shim under the C library: built once, loaded by starting the program anew, armed by a child for itself."""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")

# What an armed shim does at the call with a number.
COUNT, KILL, FAIL, SHORT, GONE = range(1, 6)

# How calls fail in turn.
FAILURES = (errno.EIO, errno.ENOSPC, errno.EMFILE, 0)


def compiler() -> str | None:
    """The C compiler, if there is one. The shim is for Linux on any processor."""
    return shutil.which("cc") if sys.platform == "linux" else None


def built() -> Path:
    """The compiled shim, made once for each version of its source."""
    name = sha256(SOURCE.read_bytes()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"whorl-torture-{os.getuid()}-{name}.so"
    if not path.exists():
        fresh = path.with_suffix(f".{os.getpid()}")
        command = [compiler() or "cc", "-O2", "-shared", "-fPIC", "-o", str(fresh), str(SOURCE), "-lpthread"]
        subprocess.run(command, check=True)
        fresh.replace(path)
    return path


def environment() -> dict[str, str]:
    """What a process is started with that has the shim under it."""
    return {**os.environ, "LD_PRELOAD": str(built())}


def arm(folder: Path, how: int, at: int = 0, error: int = 0, log: Path | None = None) -> None:
    """Watch the files below a folder from now on, in this process."""
    library = ctypes.CDLL(None)
    library.torture_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_char_p]
    library.torture_arm(os.fsencode(folder), how, at, error, os.fsencode(log or ""))


def calls() -> int:
    """How many calls there were since."""
    return int(ctypes.CDLL(None).torture_calls())
