"""The token of a client: from a file or the environment, never from the command line, which others can read."""

import os
from collections.abc import Mapping
from pathlib import Path

from whorl.errors import DocumentError, InputError

VARIABLE = "WHORL_TOKEN"

# Far more than a token has: a larger file is another one.
LONGEST = 1000


def token_of(file: Path | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The token in a file, or in the environment; None if there is neither."""
    token = environment.get(VARIABLE, "").strip() if file is None else _read(file)
    where = f"{VARIABLE}" if file is None else f"--token-file: {file}"
    if token and (not token.isascii() or not token.isprintable() or " " in token or len(token) > LONGEST):
        raise InputError(f"{where}: that is no token: give one line, as the server printed it")
    if not token and file is not None:
        raise InputError(f"{where}: it is empty: put the token there")
    return token or None


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(LONGEST + 1).decode("utf-8").strip()
    except OSError as error:
        raise DocumentError(f"--token-file: cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--token-file: {file}: that is no token: it is not text") from error
