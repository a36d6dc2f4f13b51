"""Ids and URLs as a page can bear them: short, and links only where a browser would open a web page."""

import re
from dataclasses import dataclass

from markupsafe import escape

from whorl.report.visible import HIDDEN, plain

# Letters of an id, a URL or a reason that are shown: two lines on a wide screen.
LETTERS = 240
# What is left of a longer one at its end, where names tell themselves apart.
END = 80

# A longer URL is shown, but is no link: no page needs it, and a hundred of them would outgrow this one.
LONGEST_LINK = 500

LINKABLE = re.compile(r"https?://[^\s/?#\"'<>\\`]+([/?#][^\s\"'<>\\`]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """A text to show, and where it leads, if anywhere."""

    text: str
    href: str | None = None

    @property
    def cost(self) -> int:
        """The bytes that it takes in the page."""
        return len(escape(self.text).encode()) + (len(escape(self.href).encode()) if self.href else 0)


def short(text: str) -> str:
    """A text on one line, nothing of it hidden, and no longer than ``LETTERS``. What is left out is in the middle."""
    # Marks only make a text longer: what is beyond both ends need not be looked at.
    shown = plain(text) if len(text) <= LETTERS else f"{plain(text[:LETTERS])}…{plain(text[-END:])}"
    return shown if len(shown) <= LETTERS else f"{shown[: LETTERS - END - 1]}…{shown[-END:]}"


def link(url: str) -> Name:
    """A URL: a link if it is http or https and is what it looks like."""
    safe = len(url) <= LONGEST_LINK and LINKABLE.fullmatch(url) and not HIDDEN.search(url)
    return Name(short(url), url if safe else None)
