"""Render pages: assets, the frame around every page, templates."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, pass_context
from jinja2.runtime import Context as TemplateContext
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from whorl._version import VERSION
from whorl.report.pages import environment
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.settings import MEGABYTE

# Of the report: its colours, what all its pages share, panels and tables, and how passages are marked. The sheets of
# single pages stay away: their classes are their own, and ours have some of the same names.
REPORT_STYLES = ("colours.css", "page.css", "panels.css", "code.css")
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
    """Return all assets by name."""
    entries = [_asset("whorl.css", _styles(), "text/css; charset=utf-8")]
    entries.append(_asset("theme.js", _report("scripts", "theme.js"), JAVASCRIPT))
    entries.append(_asset("mark.svg", _static("mark.svg"), "image/svg+xml"))
    entries += [_asset(name, _static(name), JAVASCRIPT) for name in OWN_SCRIPTS]
    return dict(entries)


def address(name: str) -> str:
    """Return the address of an asset."""
    return assets()[name].address


def _asset(name: str, content: bytes, media: str) -> tuple[str, Asset]:
    return name, Asset(content, media, f"/static/{sha256(content).hexdigest()[:DIGITS]}/{name}")


def _styles() -> bytes:
    return b"\n".join([*(_report("styles", name) for name in REPORT_STYLES), _static("service.css")])


def _report(folder: str, name: str) -> bytes:
    return (files("whorl.report") / folder / name).read_bytes()


def _static(name: str) -> bytes:
    return (files(__package__) / "static" / name).read_bytes()


# Messages that an address can ask for at the top of a page: fixed sentences, so that a link cannot choose the words.
NOTICES = {
    "deleted": "The document is deleted. Its receipt is listed until and after it is purged.",
    "revoked": "The token is revoked.",
    "cancelled": "The job is cancelled.",
    "kept": "The rule is set.",
    "signed-out": "You are signed out.",
    "ended": "Your session has ended. Sign in again, then repeat what you did last.",
}


class Section(NamedTuple):
    """An entry of the main menu."""

    key: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Return the values that the template of every page needs."""

    house: str
    csrf: str = ""
    who: str = ""
    sections: tuple[Section, ...] = ()
    current: str = ""
    notice: str = ""
    signed_in: bool = False
    is_admin: bool = False
    may_search: bool = False
    may_add: bool = False
    may_compare: bool = False

    def saying(self, code: str) -> "PageFrame":
        """With a notice at the top."""
        return replace(self, notice=NOTICES.get(code, ""))


def frame_of(context: Context, principal: Principal, current: str) -> PageFrame:
    """Return the frame of a signed-in person's page."""
    return PageFrame(
        context.settings.title, principal.csrf or "", principal.tenant or "the house", _sections(context, principal),
        current, signed_in=True, is_admin=principal.is_admin, may_search=principal.allows(TokenScope.SEARCH),
        may_add=principal.allows(TokenScope.ADD), may_compare=principal.allows(TokenScope.COMPARE),
    )  # fmt: skip


def frame_outside(context: Context, csrf: str = "") -> PageFrame:
    """Return the frame for somebody who is not signed in."""
    return PageFrame(context.settings.title, csrf)


def _sections(context: Context, principal: Principal) -> tuple[Section, ...]:
    may_search, may_add = principal.allows(TokenScope.SEARCH), principal.allows(TokenScope.ADD)
    wanted = (
        (may_search, Section("search", "Search", "/")),
        (may_search, Section("check", "Check", "/check")),
        (may_search or may_add, Section("documents", "Documents", "/documents" if may_search else "/documents/add")),
        (principal.allows(TokenScope.COMPARE), Section("compare", "Compare", "/compare")),
        (principal.allows(TokenScope.COMPARE), Section("jobs", "Jobs", "/jobs")),
        (may_search and context.has_registry, Section("registry", "Registry", "/registry")),
        (may_search and context.has_sweep, Section("lost", "Lost and found", "/lost-and-found")),
        (principal.is_admin, Section("admin", "Admin", "/admin/tokens")),
    )
    return tuple(section for is_wanted, section in wanted if is_wanted)


# The referrer stays on this site; without it a browser would send "null" as the origin of forms. A piece of a page and
# the whole of it have one address. Everything else that makes browsers strict, the guard sets for all answers.
HEADERS = {"Referrer-Policy": "same-origin", "Vary": "HX-Request"}

# No code out of attributes, no style element, no page in the browser's store, no request elsewhere; and what a server
# answers to a fault is shown like any answer.
HTMX = (
    '{"allowEval":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,"historyCacheSize":0,'
    '"allowScriptTags":false,"responseHandling":[{"code":"204","swap":false},{"code":"[2-5]..","swap":true}]}'
)

WEB = ("http://", "https://")


def page(template: str, frame: PageFrame, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a page, or a piece of one, for the person in whose frame it is."""
    text = _environment().get_template(template).render(frame=frame, **context)
    return HTMLResponse(text, status, HEADERS)


def part(template: str, **context: Any) -> Markup:
    """Render a piece that belongs into a page of a report."""
    return Markup(_environment().get_template(template).render(**context))


def is_web(url: str) -> bool:
    """Return whether an address that came with a document may be a link: only that of a web page may."""
    return url.lower().startswith(WEB)


def moment(value: datetime) -> str:
    """Format a time to the minute, in UTC."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def day(value: str) -> str:
    """Return the day of a time in an index."""
    return value[:10]


def megabytes(number: int) -> str:
    """Format a limit in whole megabytes, as the error for larger bodies does."""
    return f"{number // MEGABYTE:,} MB"


def typed(text: str) -> Markup:
    """Return typed text for a text area: with its lines, and before them the line that browsers drop."""
    return Markup("\n") + escape(text.replace("\0", ""))


@pass_context
def _guard(context: TemplateContext) -> Markup:
    """Return the field that a form must send back."""
    return Markup('<input type="hidden" name="csrf" value="{}">').format(context["frame"].csrf)


@cache
def _environment() -> Environment:
    templates = environment("whorl.service.page")
    filters: dict[str, Callable[..., Any]] = {
        "moment": moment, "day": day, "is_web": is_web, "megabytes": megabytes, "typed": typed,
        "iso": datetime.isoformat,
    }  # fmt: skip
    templates.filters.update(filters)
    templates.globals.update(asset=address, guard=_guard, htmx_config=HTMX, version=VERSION)
    return templates
