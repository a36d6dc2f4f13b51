"""Pages for administrators: tokens, usage, retention, deletions, the audit log, one person's data."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import RedirectResponse, Response, StreamingResponse

from whorl.errors import WhorlError
from whorl.report.words import size
from whorl.service import administration, documents
from whorl.service.administration import measure_usage
from whorl.service.authentication import Token, TokenScope
from whorl.service.page.documents import acting, collections_of, tenants_of
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import Form, Visit, Visitor
from whorl.service.problems import Problem, missing

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
    """Restrict a page to admins."""
    visit.principal.require(TokenScope.ADMIN)
    frame, status = visit.frame("admin", said), fault.status if fault else 200
    return page(template, frame, status, tabs=TABS, tab=tab, fault=fault, **context)


def admin_list(visit: Visit, tab: str, template: str, after: str, last: str, **context: Any) -> Response:
    """Render a page of a list. ``after`` is where it begins, and ``last`` where the next one does, "" at the end."""
    pages: dict[str, Any] = {"after": last, "more": bool(last), "first": not after, "more_link": partial(_link, tab)}
    return admin_page(visit, tab, template, **pages, **context)


def _link(tab: str, after: str) -> str:
    return f"{tab}?after={after}" if after else tab


token_router = APIRouter()

# The meaning of each scope, for the person who issues a token.
MEANINGS = (
    (TokenScope.SEARCH, "search, and read the owner’s documents"),
    (TokenScope.ADD, "add and delete documents"),
    (TokenScope.COMPARE, "compare classes, find near-duplicates"),
    (TokenScope.ADMIN, "everything, for everybody’s documents"),
)


@dataclass(frozen=True, slots=True)
class TokenFormValues:
    """The form of a new token as it was filled in."""

    label: str = ""
    tenant: str = ""
    days: str = ""
    scopes: tuple[str, ...] = (TokenScope.SEARCH,)


@token_router.get("/admin/tokens")
def tokens(visit: Visitor, said: str = "") -> Response:
    """Show all tokens, and the form for a new one."""
    return _tokens(visit, TokenFormValues(), said=said)


@token_router.post("/admin/tokens")
def create(visit: Visitor, form: Form) -> Response:
    """Make a token, and show its secret this once."""
    visit.principal.require(TokenScope.ADMIN)
    values = TokenFormValues(form.text("label"), form.text("tenant"), form.text("days"), form.several("scopes"))
    try:
        new_token = administration.create_token(
            visit.context, visit.principal, tenant=values.tenant or None, label=values.label, scopes=_scopes(values),
            days=form.number("days", "Ends after days"),
        )  # fmt: skip
    except WhorlError as error:
        return _tokens(visit, values, fault=visit.fault(error))
    return _tokens(visit, TokenFormValues(), new_token=new_token)


@token_router.get("/admin/tokens/{id_}/revoke")
def ask_to_revoke(visit: Visitor, id_: str) -> Response:
    """Explain what revoking means, and show the button."""
    token = next(
        (token for token in administration.list_tokens(visit.context, visit.principal) if token.id == id_), None
    )
    if token is None:
        raise missing("The token")
    return page("admin_revoke.html", visit.frame("admin"), token=token)


@token_router.post("/admin/tokens/{id_}/revoke")
def revoke(visit: Visitor, form: Form, id_: str) -> Response:
    """Revoke it."""
    administration.revoke_token(visit.context, visit.principal, id_)
    return RedirectResponse("/admin/tokens?said=revoked", 303, HEADERS)


def _scopes(values: TokenFormValues) -> frozenset[TokenScope]:
    return frozenset(scope for scope in TokenScope if scope.value in values.scopes)


def _tokens(
    visit: Visit, values: TokenFormValues, *, said: str = "", fault: Problem | None = None,
    new_token: administration.NewToken | None = None,
) -> Response:  # fmt: skip
    rows = sorted(administration.list_tokens(visit.context, visit.principal), key=_order)
    return admin_page(
        visit, "/admin/tokens", "admin_tokens.html", said=said, fault=fault, tokens=rows, values=values,
        scopes=MEANINGS, new_token=new_token, most_days=administration.LONGEST_TOKEN_DAYS, tenants=tenants_of(visit),
        mine=visit.principal.token_id,
    )  # fmt: skip


def _order(token: Token) -> tuple[bool, float]:
    """Those that are revoked last, otherwise the newest first."""
    return token.revoked is not None, -token.created.timestamp()


router = APIRouter()

# Rows on a page: some screens.
ROWS = 100


@router.get("/admin/usage")
def show_usage(visit: Visitor) -> Response:
    """Show how much is stored, by tenant."""
    figures = measure_usage(visit.context, visit.principal)
    tiles = (
        ("Documents", f"{figures.documents:,}"), ("Fingerprints stored", f"{figures.postings:,}"),
        ("On the disk", size(figures.bytes)), ("Jobs waiting or running", f"{_open_jobs(figures.jobs):,}"),
        ("Deletions to be purged", f"{figures.pending_purges:,}"),
    )  # fmt: skip
    return admin_page(visit, "/admin/usage", "admin_usage.html", tiles=tiles, owners=figures.tenants)


@router.get("/admin/retention")
def retention(visit: Visitor, tenant: str = "", said: str = "") -> Response:
    """Show how long the documents of each collection are kept."""
    return _retention(visit, tenant, said=said)


@router.post("/admin/retention")
def keep(visit: Visitor, form: Form) -> Response:
    """Set how long."""
    visit.principal.require(TokenScope.ADMIN)
    tenant = form.text("tenant")
    try:
        _check_tenant(visit, tenant)
        documents.put_collection(visit.context, acting(visit, tenant), form.text("name"), form.number("days", "Days"))
    except WhorlError as error:
        return _retention(visit, tenant, form.text("name"), form.text("days"), visit.fault(error))
    return RedirectResponse("/admin/retention?said=kept", 303, HEADERS)


@router.get("/admin/deletions")
def deletions(visit: Visitor, after: str = "") -> Response:
    """Receipts: what was deleted, and what proves it."""
    visit.principal.require(TokenScope.ADMIN)
    rows = visit.context.receipts.listed(None, _number(after), ROWS + 1, everyone=True)
    last = str(rows[ROWS - 1].number) if len(rows) > ROWS else ""
    return admin_list(visit, "/admin/deletions", "admin_receipts.html", after, last, rows=rows[:ROWS])


@router.get("/admin/audit")
def audit(visit: Visitor, after: str = "") -> Response:
    """Show the log, the newest line first."""
    rows = administration.read_audit_log(visit.context, visit.principal, after=_number(after), limit=ROWS + 1)
    last = str(rows[ROWS - 1].id) if len(rows) > ROWS else ""
    labels = {token.id: token.label or token.id for token in visit.context.tokens.listed()}
    return admin_list(visit, "/admin/audit", "admin_audit.html", after, last, lines=rows[:ROWS], labels=labels)


@router.get("/admin/people")
def people(visit: Visitor) -> Response:
    """Show the form for one person's data."""
    visit.principal.require(TokenScope.ADMIN)
    return admin_page(visit, "/admin/people", "admin_people.html", person="")


@router.post("/admin/people")
def export(visit: Visitor, form: Form) -> Response:
    """Return all data about one person, as a zip file."""
    wanted = form.text("person")
    try:
        archive = administration.export_person(visit.context, visit.principal, wanted)
    except WhorlError as error:
        return admin_page(visit, "/admin/people", "admin_people.html", fault=visit.fault(error), person=wanted)
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="person.zip"'}
    return StreamingResponse(
        archive, media_type="application/zip", headers=headers, background=BackgroundTask(archive.close)
    )


def _check_tenant(visit: Visit, tenant: str) -> None:
    if tenant and tenant not in tenants_of(visit):
        raise Problem(422, f"Owner: {tenant[:80]!r} has no token. Choose one that has, or make one first.")


def _retention(
    visit: Visit, tenant: str, name: str = "", days: str = "", fault: Problem | None = None, said: str = ""
) -> Response:
    visit.principal.require(TokenScope.ADMIN)
    rules = visit.context.collections.listed(None, everyone=True)
    return admin_page(
        visit, "/admin/retention", "admin_retention.html", said=said, fault=fault, rows=rules, tenant=tenant, name=name,
        days=days, tenants=tenants_of(visit), collections=collections_of(visit, tenant),
    )  # fmt: skip


def _open_jobs(counts: dict[Any, int]) -> int:
    return sum(number for state, number in counts.items() if not state.is_over)


def _number(text: str) -> int | None:
    """Return where a list continues; at the start if the value is not a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None
