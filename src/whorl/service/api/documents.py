"""``/documents``, ``/receipts`` and ``/collections``: what is stored, and how long it is kept."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.concurrency import run_in_threadpool

from whorl.service import documents, search
from whorl.service.api.authentication import Adder, Searcher, context_of
from whorl.service.api.bodies import FILE, FORM, JSON, content_of, fetched, json_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.schemas import (
    CollectionBody,
    CollectionsAnswer,
    DocumentAddress,
    DocumentBody,
    DocumentFacts,
    DocumentForm,
    HitLimit,
    Limit,
    Line,
    NearAnswer,
    Slug,
    documented,
)
from whorl.service.authentication import Principal
from whorl.service.documents import AddedDocument, CollectionInfo, DocumentPage, NewDocument, StoredDocument
from whorl.service.naming import DEFAULT_COLLECTION
from whorl.service.retention import Receipt

router = APIRouter(tags=["documents"])

_BODY = body((JSON, schema_of(DocumentBody)), (FORM, schema_of(DocumentForm, FILE)))
_ADDRESS = body((JSON, schema_of(DocumentAddress)))
_ADDED: dict[int | str, dict[str, Any]] = {201: {"model": AddedDocument, "description": "A new document."}}


@router.post("/documents", openapi_extra=_BODY, responses={**_ADDED, **documented(408, 409, 415)})
async def add(request: Request, response: Response, principal: Adder) -> AddedDocument:
    """Add a document, or replace the one of its name. It is durable when the answer comes."""
    fields, content, name = await content_of(request, DocumentBody, DocumentForm)
    return await _added(request, response, principal, fields, fields.name or name or FILE, content)


@router.post("/documents/from-url", openapi_extra=_ADDRESS, responses={**_ADDED, **documented(404, 408, 409, 415)})
async def add_from_url(request: Request, response: Response, principal: Adder) -> AddedDocument:
    """Fetch a document from a public address and add it, if the service was started with --fetch."""
    fields = await json_of(request, DocumentAddress)
    content_at_url = await fetched(request, fields.from_url)
    kind = fields.format or content_at_url.format
    facts = fields.model_copy(update={"url": fields.url or fields.from_url, "format": kind})
    return await _added(request, response, principal, facts, fields.name or content_at_url.name, content_at_url.content)


async def _added(
    request: Request, response: Response, principal: Principal, fields: DocumentFacts, name: str, content: bytes | str
) -> AddedDocument:
    new = NewDocument(
        name=name, content=content, collection=fields.collection, url=fields.url, date=fields.date,
        contact=fields.contact, labels=tuple(fields.labels), format=fields.format, sanctioned=fields.sanctioned,
        tenant=fields.tenant,
    )  # fmt: skip
    added = await run_in_threadpool(documents.add_document, context_of(request), principal, new)
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
    return documents.list_documents(
        context_of(request), principal, collection=collection, starts=starts, after=after, limit=limit, tenant=tenant
    )


@router.get("/documents/{number}", responses=documented(404))
def get(request: Request, number: int, principal: Searcher) -> StoredDocument:
    """Return the record of a document."""
    return documents.get_document(context_of(request), principal, number)


@router.get(
    "/documents/{number}/text",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented(404)},
)
def text(request: Request, number: int, principal: Searcher) -> PlainTextResponse:
    """Return the text of a document, to which passages refer."""
    content_at_url = documents.read_text(context_of(request), principal, number)
    return PlainTextResponse(content_at_url.encode("utf-8", "replace"))


@router.get("/documents/{number}/near", responses=documented(404))
def near(
    request: Request, number: int, principal: Searcher, threshold: Annotated[float, Query(ge=0, le=1)] = search.NEAR,
    limit: Annotated[HitLimit, Query()] = 10,
) -> NearAnswer:  # fmt: skip
    """Documents that are nearly the same as this one."""
    hits = search.near_duplicates(context_of(request), principal, number, threshold=threshold, limit=limit)
    return NearAnswer(hits=list(hits), threshold=threshold)


@router.delete("/documents/{number}", responses=documented(404))
def delete(request: Request, number: int, principal: Adder) -> Receipt:
    """Delete a document. It is not found any more; the receipt tells until when nothing of it will be left."""
    return documents.delete_document(context_of(request), principal, number)


@router.get("/receipts/{number}", responses=documented(404))
def receipt(request: Request, number: int, principal: Adder) -> Receipt:
    """Return the receipt of a deletion: ``purged`` and ``evidence``, once the purge is done."""
    return documents.get_receipt(context_of(request), principal, number)


collections = APIRouter(tags=["collections"])


@collections.get("/collections", responses=documented())
def list_collections(request: Request, principal: Searcher) -> CollectionsAnswer:
    """List the tenant's collections."""
    return CollectionsAnswer(collections=documents.list_collections(context_of(request), principal))


@collections.get("/collections/{name}", responses=documented(404))
def get_collection(request: Request, name: Slug, principal: Searcher) -> CollectionInfo:
    """Return a collection."""
    return documents.get_collection(context_of(request), principal, name)


@collections.put(
    "/collections/{name}", openapi_extra=body((JSON, schema_of(CollectionBody))), responses=documented(408, 415)
)
async def put_collection(request: Request, name: Slug, principal: Adder) -> CollectionInfo:
    """Set a collection up, or change how long its documents are kept. Those that are older go, with the next look."""
    fields = await json_of(request, CollectionBody)
    return await run_in_threadpool(
        documents.put_collection, context_of(request), principal, name, fields.retention_days
    )


@collections.delete("/collections/{name}", status_code=204, responses=documented(404))
def delete_collection(request: Request, name: Slug, principal: Adder) -> Response:
    """Forget what was set up for a collection. Its documents stay."""
    documents.delete_collection(context_of(request), principal, name)
    return Response(status_code=204)
