"""``/search``, ``/registry/search`` and ``/lost-and-found``: where does this come from?"""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool

from whorl.registry.search import Hit
from whorl.service import provenance, searching
from whorl.service.api.asking import Searcher, desk_of
from whorl.service.api.bodies import FORM, JSON, json_of, schema_of
from whorl.service.api.bodies import documented as body
from whorl.service.api.contents import FILE, content_of, fetched
from whorl.service.api.problems import documented
from whorl.service.api.schemas import (
    Line,
    RegistryAnswer,
    RegistryBody,
    RegistryHit,
    RegistryOptions,
    SearchAddress,
    SearchBody,
    SearchOptions,
)
from whorl.service.principal import Principal
from whorl.service.searching import Answer
from whorl.sweeps.result import Found

router = APIRouter(tags=["search"])

# What a text without a name is called in its answer.
UNNAMED = "query"

_SEARCH = body((JSON, schema_of(SearchBody)), (FORM, schema_of(SearchOptions, FILE)))
_ADDRESS = body((JSON, schema_of(SearchAddress)))
_REGISTRY = body((JSON, schema_of(RegistryBody)), (FORM, schema_of(RegistryOptions, FILE)))


@router.post("/search", openapi_extra=_SEARCH, responses=documented(408, 415))
async def search(request: Request, principal: Searcher) -> Answer:
    """The documents of one's own that share most with a text, with the passages; and, coarsely, whether others have
    some of it."""
    given, content, name = await content_of(request, SearchBody, SearchOptions)
    return await _answered(request, principal, given, given.name or name, content)


@router.post("/search/from-url", openapi_extra=_ADDRESS, responses=documented(404, 408, 415))
async def search_from_url(request: Request, principal: Searcher) -> Answer:
    """The same for what stands at a public address, if the service was started with --fetch."""
    given = await json_of(request, SearchAddress)
    found = await fetched(request, given.from_url)
    return await _answered(request, principal, given, given.name or found.name, found.content)


async def _answered(
    request: Request, principal: Principal, given: SearchOptions, name: str | None, content: bytes | str
) -> Answer:
    query = searching.Query(
        content=content, name=name or UNNAMED, format=given.format, limit=given.limit, window=given.window,
        look_ups=given.look_ups, passages=given.passages,
    )  # fmt: skip
    answer = await run_in_threadpool(searching.search, desk_of(request), principal, query)
    return answer if given.with_text else replace(answer, text="")


@router.post("/registry/search", openapi_extra=_REGISTRY, responses=documented(404, 408, 415))
async def registry(request: Request, principal: Searcher) -> RegistryAnswer:
    """The registered documents that a text comes from."""
    given, content, name = await content_of(request, RegistryBody, RegistryOptions)
    hits = await run_in_threadpool(
        provenance.registry, desk_of(request), principal, content, name=given.name or name or UNNAMED,
        format=given.format, threshold=given.threshold, limit=given.limit,
    )  # fmt: skip
    return RegistryAnswer(hits=[_registered(hit) for hit in hits], notes=list(hits.notes))


@router.get("/lost-and-found", responses=documented(404))
def lost_and_found(
    request: Request, principal: Searcher, url: Annotated[Line, Query(min_length=1)], as_of: Line | None = None,
    shown: Line | None = None,
) -> Found:  # fmt: skip
    """What a page last showed, and where that is now."""
    return provenance.lost_and_found(desk_of(request), principal, url, as_of=as_of, shown=shown)


def _registered(hit: Hit) -> RegistryHit:
    entry = hit.document
    return RegistryHit(
        id=entry.name, url=entry.url, date=entry.date, contact=entry.contact, ratio=hit.ratio, low=hit.low,
        high=hit.high, shared=hit.shared, ignored=hit.ignored, warning=hit.warning,
    )  # fmt: skip
