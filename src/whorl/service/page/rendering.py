"""Templates, and the answer that a page is."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from whorl._version import VERSION
from whorl.report.pages import environment
from whorl.service.page.assets import address
from whorl.service.page.frame import Frame
from whorl.service.settings import MEGABYTE

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


def page(template: str, frame: Frame, status: int = 200, **context: Any) -> HTMLResponse:
    """A page, or a piece of one, for the person in whose frame it is."""
    text = _environment().get_template(template).render(frame=frame, **context)
    return HTMLResponse(text, status, HEADERS)


def is_web(url: str) -> bool:
    """Whether an address that came with a document may be a link: nothing but a web page's."""
    return url.lower().startswith(WEB)


def moment(value: datetime) -> str:
    """A moment to the minute, in UTC, as all of them are."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def day(value: str) -> str:
    """The day of a moment that an index noted."""
    return value[:10]


def megabytes(number: int) -> str:
    """A limit in whole megabytes, as the answer to what is larger tells it."""
    return f"{number // MEGABYTE:,} MB"


def typed(text: str) -> Markup:
    """What somebody typed, to be typed on: lines stay lines, and the one that a browser drops comes first."""
    return Markup("\n") + escape(text.replace("\0", ""))


@pass_context
def _guard(context: Context) -> Markup:
    """The field that a form must send back."""
    return Markup('<input type="hidden" name="csrf" value="{}">').format(context["frame"].csrf)


@cache
def _environment() -> Environment:
    made = environment("whorl.service.page")
    filters: dict[str, Callable[..., Any]] = {
        "moment": moment, "day": day, "is_web": is_web, "megabytes": megabytes, "typed": typed,
        "iso": datetime.isoformat,
    }  # fmt: skip
    made.filters.update(filters)
    made.globals.update(asset=address, guard=_guard, htmx_config=HTMX, version=VERSION)
    return made
