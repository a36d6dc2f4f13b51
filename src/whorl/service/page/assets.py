"""What the pages load beside themselves: one style sheet, scripts and a picture.

The style sheet is the report's with the service's own after it, and the theme switch is the report's, so that both look
like one thing. An address has the digest of the content in it: a browser may keep it for ever, and an upgrade is seen
at once.
"""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

# Of the report: its colours, what all its pages share, panels and tables, and how passages are marked.
REPORT_STYLES = ("colours.css", "page.css", "panels.css", "pair.css")
OWN_SCRIPTS = ("htmx.min.js", "drop.js", "passages.js", "progress.js", "answers.js")

# Enough of a digest to tell two versions of our own files apart; nobody gains by a collision.
DIGITS = 16

JAVASCRIPT = "text/javascript; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that a page loads: its content, media type and address."""

    content: bytes
    media: str
    address: str


@cache
def assets() -> dict[str, Asset]:
    """Every asset by its name."""
    made = [_asset("whorl.css", _styles(), "text/css; charset=utf-8")]
    made.append(_asset("theme.js", _report("scripts", "theme.js"), JAVASCRIPT))
    made.append(_asset("mark.svg", _own("mark.svg"), "image/svg+xml"))
    made += [_asset(name, _own(name), JAVASCRIPT) for name in OWN_SCRIPTS]
    return dict(made)


def address(name: str) -> str:
    """Where a page finds an asset."""
    return assets()[name].address


def _asset(name: str, content: bytes, media: str) -> tuple[str, Asset]:
    return name, Asset(content, media, f"/static/{sha256(content).hexdigest()[:DIGITS]}/{name}")


def _styles() -> bytes:
    return b"\n".join([*(_report("styles", name) for name in REPORT_STYLES), _own("service.css")])


def _report(folder: str, name: str) -> bytes:
    return (files("whorl.report") / folder / name).read_bytes()


def _own(name: str) -> bytes:
    return (files(__package__) / "static" / name).read_bytes()
