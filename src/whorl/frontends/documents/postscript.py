"""PostScript to text, by Ghostscript's ``txtwrite``: page by page, a mark for each.

PostScript is a program. It runs in a process below the worker's, which inherits the worker's limits and is killed with
it; ``-dSAFER`` keeps it from files.
"""

import os
import re
import subprocess

from whorl.errors import DocumentError
from whorl.frontends.documents.extracted import Extracted, in_parts
from whorl.frontends.documents.hyphens import rejoin

# Run before the document: writes a form feed before each page's text (2 is the end of the job, which is no page).
PAGES = r"<< /EndPage { exch pop 2 lt dup { (\014) print flush } if } >> setpagedevice"
OPTIONS = ("-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=txtwrite", "-sOutputFile=-", "-c", PAGES, "-f", "-")

# Where Ghostscript is told to keep temporary files. It lets documents read what is in that folder, safe or not.
NOWHERE = "/nonexistent"

_BLANKS = re.compile(r"(?m)^ ++| ++$| +(?= )")  # all but one within a line
# Ghostscript reports an error in the midst of the text: the fault's name, then the state of its stacks to the end.
_ERROR = re.compile(r"^Error: /(.{1,100})(?s:.*)", re.MULTILINE)


def extract(data: bytes, ghostscript: str) -> Extracted:
    """The text of all pages. ``ghostscript`` is the path of the program."""
    if not data.startswith((b"%!", b"\x04%!", b"\x1b%")):  # the last two: what printers' drivers write before it
        raise DocumentError("it is no PostScript: it does not begin with %!")
    done = _run(ghostscript, data)
    text = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    error = _ERROR.search(text) if done.returncode else None
    pages = _pages(text[: error.start()] if error else text)
    reason = error[1] if error else f"status {done.returncode}"
    if done.returncode and not any(pages):
        raise DocumentError(f"Ghostscript cannot read it: {reason}")
    return in_parts("page", pages, note=f"Ghostscript stopped early: {reason}" if done.returncode else "")


def _run(ghostscript: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [ghostscript, *OPTIONS],
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": NOWHERE, "TEMP": NOWHERE},
        check=False,
    )


def _pages(text: str) -> list[str]:
    """The pages, without the blanks that place lines on paper. Nothing stands before the first form feed, unless the
    document took over what is done at the end of a page."""
    first, *others = text.split("\f")
    pages = others if others and not first.strip() else [first, *others]
    return [rejoin(_BLANKS.sub("", page)).strip("\n") for page in pages]
