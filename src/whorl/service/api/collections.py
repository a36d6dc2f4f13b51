"""``/collections``: which there are, and how long their documents are kept."""

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from whorl.service import shelves
from whorl.service.api.asking import Adder, Searcher, desk_of
from whorl.service.api.bodies import JSON, json_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.problems import documented
from whorl.service.api.schemas import CollectionBody, ShelvesAnswer, Slug
from whorl.service.shelves import Shelf

router = APIRouter(tags=["collections"])


@router.get("/collections", responses=documented())
def list_(request: Request, principal: Searcher) -> ShelvesAnswer:
    """The tenant's collections."""
    return ShelvesAnswer(collections=shelves.listed(desk_of(request), principal))


@router.get("/collections/{name}", responses=documented(404))
def get(request: Request, name: Slug, principal: Searcher) -> Shelf:
    """A collection."""
    return shelves.get(desk_of(request), principal, name)


@router.put(
    "/collections/{name}", openapi_extra=body((JSON, schema_of(CollectionBody))), responses=documented(408, 415)
)
async def put(request: Request, name: Slug, principal: Adder) -> Shelf:
    """Set a collection up, or change how long its documents are kept. Those that are older go, with the next look."""
    given = await json_of(request, CollectionBody)
    return await run_in_threadpool(shelves.put, desk_of(request), principal, name, given.retention_days)


@router.delete("/collections/{name}", status_code=204, responses=documented(404))
def delete(request: Request, name: Slug, principal: Adder) -> Response:
    """Forget what was set up for a collection. Its documents stay."""
    shelves.delete(desk_of(request), principal, name)
    return Response(status_code=204)
