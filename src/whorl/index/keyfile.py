"""The file with the secret key."""

import os
from pathlib import Path

from whorl.errors import InputError
from whorl.hashing.key import Key
from whorl.index import files
from whorl.index.faults import DamageError, IndexIOError


def write_key(path: Path, key: Key) -> None:
    """Readable by its owner alone: whoever has the key can make texts that collide."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        files.write(descriptor, key.secret.hex().encode() + b"\n", path)
        files.fsync(descriptor, path)
    finally:
        os.close(descriptor)


def read_key(path: Path) -> Key:
    """The key in a file that ``write_key`` made."""
    try:
        return Key.from_hex(path.read_text("ascii").strip())
    except OSError as error:
        raise IndexIOError(path, "read", error.strerror or str(error)) from error
    except (InputError, UnicodeDecodeError) as error:
        raise DamageError(path, "it is no key") from error
