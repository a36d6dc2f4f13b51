"""The frame of the pages for admins: their tabs, a fault at the top, pages of a list."""

from functools import partial
from typing import Any

from starlette.responses import Response

from whorl.service.page.rendering import page
from whorl.service.page.visits import Visit
from whorl.service.problems import Problem
from whorl.service.tokens import Scope

TABS = (
    ("/admin/tokens", "Tokens"),
    ("/admin/usage", "Usage"),
    ("/admin/retention", "Retention"),
    ("/admin/deletions", "Deletions"),
    ("/admin/audit", "Audit log"),
    ("/admin/people", "A person’s data"),
)


def admin_page(
    visit: Visit, tab: str, template: str, *, said: str = "", fault: Problem | None = None, **context: Any
) -> Response:
    """A page for admins alone."""
    visit.principal.require(Scope.ADMIN)
    frame, status = visit.frame("admin", said), fault.status if fault else 200
    return page(template, frame, status, tabs=TABS, tab=tab, fault=fault, **context)


def admin_list(visit: Visit, tab: str, template: str, after: str, last: str, **context: Any) -> Response:
    """A page of a list. ``after`` is where it begins, and ``last`` where the next one does, "" at the end."""
    pages: dict[str, Any] = {"after": last, "more": bool(last), "first": not after, "more_link": partial(_link, tab)}
    return admin_page(visit, tab, template, **pages, **context)


def _link(tab: str, after: str) -> str:
    return f"{tab}?after={after}" if after else tab
