"""``/tokens``, ``/audit``, ``/usage``, ``/people``, ``/health`` and ``/metrics``: for those who run the service."""

from collections.abc import Iterator
from datetime import timedelta
from typing import IO, Annotated

from fastapi import APIRouter, Query, Request, Response, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, SecurityScopes
from starlette.concurrency import run_in_threadpool

from whorl._version import VERSION
from whorl.service import access, person, usage
from whorl.service.access import NewToken
from whorl.service.api.asking import TOKEN, Admin, asker, desk_of
from whorl.service.api.bodies import JSON, json_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.problems import documented
from whorl.service.api.schemas import AuditAnswer, HealthAnswer, Limit, Line, TokenBody, TokensAnswer
from whorl.service.metrics import MEDIA
from whorl.service.moments import now
from whorl.service.tokens import Scope
from whorl.service.usage import Usage

router = APIRouter(tags=["admin"])

# Bytes of an archive that are sent at a time.
PIECE = 1 << 16


@router.get("/health", responses=documented(without_token=True))
def health(request: Request) -> HealthAnswer:
    """Whether the service answers and its index can be read. Needs no token."""
    with desk_of(request).reading() as index:
        index.page_by_number(0, 1)
    return HealthAnswer(status="ok", version=VERSION)


def monitor(
    request: Request,
    wanted: SecurityScopes,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(TOKEN)],
) -> None:
    """Who may see the figures: admins, or everybody if the service was started so."""
    if not desk_of(request).settings.open_metrics:
        asker(request, wanted, credentials)


@router.get(
    "/metrics",
    response_class=Response,
    dependencies=[Security(monitor, scopes=[Scope.ADMIN])],
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented()},
)
def metrics(request: Request) -> Response:
    """Figures for monitoring, as Prometheus reads them."""
    desk = desk_of(request)
    return Response(desk.metrics.text(desk), media_type=MEDIA)


@router.get("/tokens", responses=documented())
def tokens(request: Request, principal: Admin) -> TokensAnswer:
    """All tokens, without their secrets."""
    return TokensAnswer(tokens=access.tokens(desk_of(request), principal))


@router.post(
    "/tokens", status_code=201, openapi_extra=body((JSON, schema_of(TokenBody))), responses=documented(408, 415)
)
async def create(request: Request, principal: Admin) -> NewToken:
    """Make a token. Its secret is in this answer and nowhere else."""
    given = await json_of(request, TokenBody)
    expires = None if given.days is None else now() + timedelta(days=given.days)
    return await run_in_threadpool(
        access.create, desk_of(request), principal, tenant=given.tenant, scopes=frozenset(map(Scope, given.scopes)),
        label=given.label, expires=expires,
    )  # fmt: skip


@router.delete("/tokens/{token}", status_code=204, responses=documented(404, 409))
def revoke(request: Request, token: str, principal: Admin) -> Response:
    """Revoke a token: it allows nothing from now on."""
    access.revoke(desk_of(request), principal, token)
    return Response(status_code=204)


@router.get("/audit", responses=documented())
def audit(
    request: Request, principal: Admin, after: Annotated[int | None, Query(ge=0, le=2**63 - 1)] = None,
    limit: Annotated[Limit, Query()] = 50,
) -> AuditAnswer:  # fmt: skip
    """Lines of the audit log, the newest first."""
    lines = access.audit(desk_of(request), principal, after=after, limit=limit)
    return AuditAnswer(lines=lines, after=lines[-1].id if len(lines) == limit else None)


@router.get("/usage", responses=documented())
def use(request: Request, principal: Admin) -> Usage:
    """How much is stored, and whose."""
    return usage.usage(desk_of(request), principal)


@router.get(
    "/people/{person_}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {"schema": {"type": "string"}}}}, **documented(404)},
)
def export(request: Request, person_: Line, principal: Admin) -> StreamingResponse:
    """All about one person, who owns documents or is their contact: documents, texts, lines of the log, packed."""
    made = person.export(desk_of(request), principal, person_)
    headers = {"Content-Disposition": 'attachment; filename="person.zip"'}
    return StreamingResponse(_pieces(made), media_type="application/zip", headers=headers)


def _pieces(made: IO[bytes]) -> Iterator[bytes]:
    with made:
        while piece := made.read(PIECE):
            yield piece
