"""Administration: usage, how long documents are kept, deletions, the log, one person's data."""

from typing import Any

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import RedirectResponse, Response, StreamingResponse

from whorl.errors import WhorlError
from whorl.report.words import size
from whorl.service import access, person, shelves
from whorl.service.page.admin_page import admin_list, admin_page
from whorl.service.page.browsing import acting, collections_of, tenants_of
from whorl.service.page.forms import Form
from whorl.service.page.rendering import HEADERS
from whorl.service.page.visits import Visit, Visitor
from whorl.service.problems import Problem
from whorl.service.tokens import Scope
from whorl.service.usage import usage

router = APIRouter()

# Rows on a page: some screens.
ROWS = 100


@router.get("/admin/usage")
def show_usage(visit: Visitor) -> Response:
    """How much is stored, and whose it is."""
    told = usage(visit.desk, visit.principal)
    tiles = (
        ("Documents", f"{told.documents:,}"), ("Fingerprints stored", f"{told.postings:,}"),
        ("On the disk", size(told.bytes)), ("Jobs waiting or running", f"{_open_jobs(told.jobs):,}"),
        ("Deletions to be purged", f"{told.pending_purges:,}"),
    )  # fmt: skip
    return admin_page(visit, "/admin/usage", "admin_usage.html", tiles=tiles, owners=told.tenants)


@router.get("/admin/retention")
def retention(visit: Visitor, tenant: str = "", said: str = "") -> Response:
    """How long the documents of each collection are kept."""
    return _retention(visit, tenant, said=said)


@router.post("/admin/retention")
def keep(visit: Visitor, form: Form) -> Response:
    """Set how long."""
    visit.principal.require(Scope.ADMIN)
    tenant = form.text("tenant")
    try:
        _check_tenant(visit, tenant)
        shelves.put(visit.desk, acting(visit, tenant), form.text("name"), form.number("days", "Days"))
    except WhorlError as error:
        return _retention(visit, tenant, form.text("name"), form.text("days"), visit.fault(error))
    return RedirectResponse("/admin/retention?said=kept", 303, HEADERS)


@router.get("/admin/deletions")
def deletions(visit: Visitor, after: str = "") -> Response:
    """Receipts: what was deleted, and what proves it."""
    visit.principal.require(Scope.ADMIN)
    found = visit.desk.receipts.listed(None, _number(after), ROWS + 1, everyone=True)
    last = str(found[ROWS - 1].number) if len(found) > ROWS else ""
    return admin_list(visit, "/admin/deletions", "admin_receipts.html", after, last, rows=found[:ROWS])


@router.get("/admin/audit")
def audit(visit: Visitor, after: str = "") -> Response:
    """The log, the newest line first."""
    found = access.audit(visit.desk, visit.principal, after=_number(after), limit=ROWS + 1)
    last = str(found[ROWS - 1].id) if len(found) > ROWS else ""
    labels = {token.id: token.label or token.id for token in visit.desk.tokens.listed()}
    return admin_list(visit, "/admin/audit", "admin_audit.html", after, last, lines=found[:ROWS], labels=labels)


@router.get("/admin/people")
def people(visit: Visitor) -> Response:
    """The form for one person's data."""
    visit.principal.require(Scope.ADMIN)
    return admin_page(visit, "/admin/people", "admin_people.html", person="")


@router.post("/admin/people")
def export(visit: Visitor, form: Form) -> Response:
    """All about one person, as a zip file."""
    wanted = form.text("person")
    try:
        made = person.export(visit.desk, visit.principal, wanted)
    except WhorlError as error:
        return admin_page(visit, "/admin/people", "admin_people.html", fault=visit.fault(error), person=wanted)
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="person.zip"'}
    return StreamingResponse(made, media_type="application/zip", headers=headers, background=BackgroundTask(made.close))


def _check_tenant(visit: Visit, tenant: str) -> None:
    if tenant and tenant not in tenants_of(visit):
        raise Problem(422, f"Owner: {tenant[:80]!r} has no token. Choose one that has, or make one first.")


def _retention(
    visit: Visit, tenant: str, name: str = "", days: str = "", fault: Problem | None = None, said: str = ""
) -> Response:
    visit.principal.require(Scope.ADMIN)
    rules = visit.desk.collections.listed(None, everyone=True)
    return admin_page(
        visit, "/admin/retention", "admin_retention.html", said=said, fault=fault, rows=rules, tenant=tenant, name=name,
        days=days, tenants=tenants_of(visit), collections=collections_of(visit, tenant),
    )  # fmt: skip


def _open_jobs(counts: dict[Any, int]) -> int:
    return sum(number for state, number in counts.items() if not state.is_over)


def _number(text: str) -> int | None:
    """Where a list goes on; from the start if it is no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None
