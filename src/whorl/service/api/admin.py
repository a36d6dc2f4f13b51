"""``/tokens``, ``/audit``, ``/usage``, ``/people``, ``/health`` and ``/metrics``: for those who run the service."""

from collections.abc import Iterator
from typing import IO, Annotated

from fastapi import APIRouter, Query, Request, Response, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, SecurityScopes
from starlette.concurrency import run_in_threadpool

from whorl._version import VERSION
from whorl.service import administration
from whorl.service.administration import Erasure, NewToken, Usage
from whorl.service.api.authentication import TOKEN, Admin, asker, context_of
from whorl.service.api.bodies import JSON, json_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.schemas import AuditAnswer, HealthAnswer, Limit, Line, TokenBody, TokensAnswer, documented
from whorl.service.authentication import TokenScope
from whorl.service.middleware import METRICS_MEDIA

router = APIRouter(tags=["admin"])

# Bytes of an archive that are sent at a time.
PIECE = 1 << 16


@router.get("/health", responses=documented(without_token=True))
def health(request: Request) -> HealthAnswer:
    """Check that the service answers, its index can be read, and its disk be written. Needs no token."""
    context = context_of(request)
    with context.reading() as index:
        index.check_same()
        index.page_by_number(0, 1)
    context.check_writable()
    return HealthAnswer(status="ok", version=VERSION, jail=context.jail)


def monitor(
    request: Request,
    wanted: SecurityScopes,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(TOKEN)],
) -> None:
    """Let admins see the figures, or everybody if the service was started so."""
    if not context_of(request).settings.open_metrics:
        asker(request, wanted, credentials)


@router.get(
    "/metrics",
    response_class=Response,
    dependencies=[Security(monitor, scopes=[TokenScope.ADMIN])],
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented()},
)
def metrics(request: Request) -> Response:
    """Figures for monitoring, as Prometheus reads them."""
    context = context_of(request)
    with context.reading() as index:
        documents = len(index)
    jobs = {state.value: count for state, count in context.jobs.counts().items()}
    return Response(context.metrics.text(documents, context.waiting, jobs), media_type=METRICS_MEDIA)


@router.get("/tokens", responses=documented())
def tokens(request: Request, principal: Admin) -> TokensAnswer:
    """List all tokens, without their secrets."""
    return TokensAnswer(tokens=administration.list_tokens(context_of(request), principal))


@router.post(
    "/tokens", status_code=201, openapi_extra=body((JSON, schema_of(TokenBody))), responses=documented(408, 415)
)
async def create(request: Request, principal: Admin) -> NewToken:
    """Make a token. Its secret is in this answer and nowhere else."""
    fields = await json_of(request, TokenBody)
    return await run_in_threadpool(
        administration.create_token, context_of(request), principal, tenant=fields.tenant, label=fields.label,
        days=fields.days, scopes=frozenset(map(TokenScope, fields.scopes)),
    )  # fmt: skip


@router.delete("/tokens/{token}", status_code=204, responses=documented(404, 409))
def revoke(request: Request, token: str, principal: Admin) -> Response:
    """Revoke a token: it allows nothing from now on."""
    administration.revoke_token(context_of(request), principal, token)
    return Response(status_code=204)


@router.get("/audit", responses=documented())
def audit(
    request: Request, principal: Admin, after: Annotated[int | None, Query(ge=0, le=2**63 - 1)] = None,
    limit: Annotated[Limit, Query()] = 50,
) -> AuditAnswer:  # fmt: skip
    """Lines of the audit log, the newest first."""
    lines = administration.read_audit_log(context_of(request), principal, after=after, limit=limit)
    return AuditAnswer(lines=lines, after=lines[-1].id if len(lines) == limit else None)


@router.get("/usage", responses=documented())
def use(request: Request, principal: Admin) -> Usage:
    """Return how much is stored, by tenant."""
    return administration.measure_usage(context_of(request), principal)


@router.get(
    "/people/{person_:path}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {"schema": {"type": "string"}}}}, **documented(404)},
)
def export(request: Request, person_: Line, principal: Admin) -> StreamingResponse:
    """Export all data about one person, who owns documents or is their contact: documents, texts, lines of the log."""
    archive = administration.export_person(context_of(request), principal, person_)
    headers = {"Content-Disposition": 'attachment; filename="person.zip"'}
    return StreamingResponse(_pieces(archive), media_type="application/zip", headers=headers)


@router.delete("/people/{person_:path}", responses=documented(404))
def erase(request: Request, person_: Line, principal: Admin) -> Erasure:
    """Delete all about one person: documents that they own or are the contact of, results of their jobs, and results of
    comparisons in which they have a submission. Receipts tell when the documents are purged."""
    return administration.erase_person(context_of(request), principal, person_)


def _pieces(archive: IO[bytes]) -> Iterator[bytes]:
    with archive:
        while piece := archive.read(PIECE):
            yield piece
