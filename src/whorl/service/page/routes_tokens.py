"""Tokens: who may come in, and for what."""

from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from whorl.errors import WhorlError
from whorl.service import access
from whorl.service.moments import now
from whorl.service.page.admin_page import admin_page
from whorl.service.page.browsing import tenants_of
from whorl.service.page.forms import Form
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import Visit, Visitor
from whorl.service.problems import Problem, missing
from whorl.service.tokens import Scope, Token

router = APIRouter()

# What each scope means to whoever hands a token out.
MEANINGS = (
    (Scope.SEARCH, "search, and read the owner’s documents"),
    (Scope.ADD, "add and delete documents"),
    (Scope.COMPARE, "compare classes, find near-duplicates"),
    (Scope.ADMIN, "everything, for everybody’s documents"),
)


@dataclass(frozen=True, slots=True)
class GivenToken:
    """The form of a new token as it was filled in."""

    label: str = ""
    tenant: str = ""
    days: str = ""
    scopes: tuple[str, ...] = (Scope.SEARCH,)


@router.get("/admin/tokens")
def tokens(visit: Visitor, said: str = "") -> Response:
    """All tokens, and the form for a new one."""
    return _tokens(visit, GivenToken(), said=said)


@router.post("/admin/tokens")
def create(visit: Visitor, form: Form) -> Response:
    """Make a token, and show its secret this once."""
    visit.principal.require(Scope.ADMIN)
    given = GivenToken(form.text("label"), form.text("tenant"), form.text("days"), form.several("scopes"))
    try:
        days = form.number("days", "Ends after days")
        made = access.create(
            visit.desk, visit.principal, tenant=given.tenant or None, label=given.label, scopes=_scopes(given),
            expires=None if days is None else now() + timedelta(days=days),
        )  # fmt: skip
    except WhorlError as error:
        return _tokens(visit, given, fault=visit.fault(error))
    return _tokens(visit, GivenToken(), made=made)


@router.get("/admin/tokens/{id_}/revoke")
def ask_to_revoke(visit: Visitor, id_: str) -> Response:
    """What revoking means, and the button."""
    token = next((token for token in access.tokens(visit.desk, visit.principal) if token.id == id_), None)
    if token is None:
        raise missing("The token")
    return page("admin_revoke.html", visit.frame("admin"), token=token)


@router.post("/admin/tokens/{id_}/revoke")
def revoke(visit: Visitor, form: Form, id_: str) -> Response:
    """Revoke it."""
    access.revoke(visit.desk, visit.principal, id_)
    return RedirectResponse("/admin/tokens?said=revoked", 303, HEADERS)


def _scopes(given: GivenToken) -> frozenset[Scope]:
    return frozenset(scope for scope in Scope if scope.value in given.scopes)


def _tokens(
    visit: Visit, given: GivenToken, *, said: str = "", fault: Problem | None = None,
    made: access.NewToken | None = None,
) -> Response:  # fmt: skip
    found = sorted(access.tokens(visit.desk, visit.principal), key=_order)
    return admin_page(
        visit, "/admin/tokens", "admin_tokens.html", said=said, fault=fault, tokens=found, given=given,
        scopes=MEANINGS, made=made, tenants=tenants_of(visit), mine=visit.principal.token_id,
    )  # fmt: skip


def _order(token: Token) -> tuple[bool, float]:
    """Those that are revoked last, otherwise the newest first."""
    return token.revoked is not None, -token.created.timestamp()
