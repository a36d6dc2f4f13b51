"""Tokens as an admin sees them: which there are, new ones, revoked ones; and the audit log."""

from dataclasses import dataclass
from datetime import datetime

from whorl.service.audit import AuditLine
from whorl.service.desk import Desk
from whorl.service.moments import now
from whorl.service.naming import checked_fact, checked_slug
from whorl.service.principal import Principal
from whorl.service.problems import Problem, missing
from whorl.service.tokens import LONGEST_LABEL, Scope, Token

LARGEST_PAGE = 500


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was made, and its secret, which nobody can ask for again."""

    token: Token
    secret: str


def tokens(desk: Desk, principal: Principal) -> list[Token]:
    """All tokens, the oldest first."""
    principal.require(Scope.ADMIN)
    return desk.tokens.listed()


def create(
    desk: Desk, principal: Principal, *, tenant: str | None, scopes: frozenset[Scope], label: str = "",
    expires: datetime | None = None,
) -> NewToken:  # fmt: skip
    """Make a token of a tenant, or of the house."""
    principal.require(Scope.ADMIN)
    if tenant is not None:
        checked_slug(tenant, "tenant")
    if not scopes:
        raise Problem(422, f"scopes: give at least one of {', '.join(Scope)}.")
    if len(label) > LONGEST_LABEL:
        raise Problem(422, f"label: give {LONGEST_LABEL} letters at the most.")
    checked_fact(label, "label")
    if expires is not None and (expires.tzinfo is None or expires <= now()):
        raise Problem(422, "expires: give a moment to come, with its time zone.")
    made = NewToken(*desk.tokens.create(tenant, scopes, label, expires))
    desk.note(principal, "create token", made.token.id, f"{tenant or 'the house'}: {', '.join(sorted(scopes))}")
    return made


def revoke(desk: Desk, principal: Principal, id_: str) -> None:
    """A token allows nothing from now on. The one that asks cannot revoke itself: so the last admin stays."""
    principal.require(Scope.ADMIN)
    if id_ == principal.token_id:
        raise Problem(409, "A token cannot revoke itself. Make another admin token, and revoke this one with that.")
    if not desk.tokens.revoke(id_):
        raise missing("The token")
    desk.note(principal, "revoke token", id_)


def audit(desk: Desk, principal: Principal, *, after: int | None = None, limit: int = 50) -> list[AuditLine]:
    """Lines of the audit log, the newest first."""
    principal.require(Scope.ADMIN)
    return desk.audit.listed(None, after, max(1, min(limit, LARGEST_PAGE)), everyone=True)
