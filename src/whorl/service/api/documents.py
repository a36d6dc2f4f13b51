"""``/documents`` and ``/receipts``: what is stored."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.concurrency import run_in_threadpool

from whorl.service import documents, searching
from whorl.service.api.asking import Adder, Searcher, desk_of
from whorl.service.api.bodies import FORM, JSON, json_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.contents import FILE, content_of, fetched
from whorl.service.api.problems import documented
from whorl.service.api.schemas import (
    DocumentAddress,
    DocumentBody,
    DocumentFacts,
    DocumentForm,
    HitLimit,
    Limit,
    Line,
    NearAnswer,
    Slug,
)
from whorl.service.documents import AddedDocument, DocumentPage, NewDocument, Stored
from whorl.service.naming import DEFAULT_COLLECTION
from whorl.service.principal import Principal
from whorl.service.receipts import Receipt

router = APIRouter(tags=["documents"])

_BODY = body((JSON, schema_of(DocumentBody)), (FORM, schema_of(DocumentForm, FILE)))
_ADDRESS = body((JSON, schema_of(DocumentAddress)))
_ADDED: dict[int | str, dict[str, Any]] = {201: {"model": AddedDocument, "description": "A new document."}}


@router.post("/documents", openapi_extra=_BODY, responses={**_ADDED, **documented(408, 409, 415)})
async def add(request: Request, response: Response, principal: Adder) -> AddedDocument:
    """Add a document, or replace the one of its name. It is durable when the answer comes."""
    given, content, name = await content_of(request, DocumentBody, DocumentForm)
    return await _added(request, response, principal, given, given.name or name or FILE, content)


@router.post("/documents/from-url", openapi_extra=_ADDRESS, responses={**_ADDED, **documented(404, 408, 409, 415)})
async def add_from_url(request: Request, response: Response, principal: Adder) -> AddedDocument:
    """Fetch a document from a public address and add it, if the service was started with --fetch."""
    given = await json_of(request, DocumentAddress)
    found = await fetched(request, given.from_url)
    told = given.model_copy(update={"url": given.url or given.from_url})
    return await _added(request, response, principal, told, given.name or found.name, found.content)


async def _added(
    request: Request, response: Response, principal: Principal, given: DocumentFacts, name: str, content: bytes | str
) -> AddedDocument:
    new = NewDocument(
        name=name, content=content, collection=given.collection, url=given.url, date=given.date,
        contact=given.contact, labels=tuple(given.labels), format=given.format, sanctioned=given.sanctioned,
        tenant=given.tenant,
    )  # fmt: skip
    added = await run_in_threadpool(documents.add, desk_of(request), principal, new)
    if added.state == "added":
        response.status_code = 201
        response.headers["Location"] = f"/api/v1/documents/{added.document.id}"
    return added


@router.get("/documents", responses=documented(404))
def list_(
    request: Request, principal: Searcher, collection: Slug | None = None,
    starts: Annotated[Line, Query(description="Only names that begin so, of the collection.")] = "",
    after: Annotated[Line | None, Query(description="What the answer before had in 'after'.")] = None,
    limit: Annotated[Limit, Query()] = 50,
    tenant: Annotated[Slug | None, Query(description="For admins, who otherwise see everybody's.")] = None,
) -> DocumentPage:  # fmt: skip
    """List documents: of a collection by name, otherwise all in the order in which they came. Names that begin with
    something are those of a collection, by default of the first one."""
    if starts and collection is None:
        collection = DEFAULT_COLLECTION
    return documents.listed(
        desk_of(request), principal, collection=collection, starts=starts, after=after, limit=limit, tenant=tenant
    )


@router.get("/documents/{number}", responses=documented(404))
def get(request: Request, number: int, principal: Searcher) -> Stored:
    """What is known of a document."""
    return documents.get(desk_of(request), principal, number)


@router.get(
    "/documents/{number}/text",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented(404)},
)
def text(request: Request, number: int, principal: Searcher) -> PlainTextResponse:
    """The text of a document, into which passages point."""
    found = documents.text(desk_of(request), principal, number)
    return PlainTextResponse(found.encode("utf-8", "replace"))


@router.get("/documents/{number}/near", responses=documented(404))
def near(
    request: Request, number: int, principal: Searcher, threshold: Annotated[float, Query(ge=0, le=1)] = searching.NEAR,
    limit: Annotated[HitLimit, Query()] = 10,
) -> NearAnswer:  # fmt: skip
    """Documents that are nearly the same as this one."""
    hits = searching.near(desk_of(request), principal, number, threshold=threshold, limit=limit)
    return NearAnswer(hits=list(hits), threshold=threshold)


@router.delete("/documents/{number}", responses=documented(404))
def delete(request: Request, number: int, principal: Adder) -> Receipt:
    """Delete a document. It is not found any more; the receipt tells until when nothing of it will be left."""
    return documents.delete(desk_of(request), principal, number)


@router.get("/receipts/{number}", responses=documented(404))
def receipt(request: Request, number: int, principal: Adder) -> Receipt:
    """What proves that a document was deleted: ``purged`` and ``evidence``, once the purge is done."""
    return documents.receipt(desk_of(request), principal, number)
