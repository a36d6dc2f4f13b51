"""``/search``, ``/check``, ``/registry/search``, ``/screen`` and ``/lost-and-found``: where does this come from?"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from whorl.index.check import Exclusions
from whorl.model import Document
from whorl.registry.search import RegistryHit as Hit
from whorl.service.api.authentication import Searcher, context_of
from whorl.service.api.bodies import (
    FILE,
    FORM,
    JSON,
    content_of,
    fetched,
    fields_of,
    form_of,
    json_of,
    media_of,
    schema_of,
)
from whorl.service.api.bodies import documented as body
from whorl.service.api.schemas import (
    CheckBody,
    CheckOptions,
    Line,
    ManuscriptAnswer,
    RegistryAnswer,
    RegistryBody,
    RegistryHit,
    RegistryOptions,
    ScreeningBody,
    ScreeningOptions,
    SearchAddress,
    SearchBody,
    SearchOptions,
    documented,
)
from whorl.service.authentication import Principal
from whorl.service.naming import Upload
from whorl.service.problems import Problem
from whorl.service.search import CheckQuery, SearchAnswer, SearchQuery, search_registry
from whorl.service.search import check as check_manuscript
from whorl.service.search import lost_and_found as locations
from whorl.service.search import screen as screened
from whorl.service.search import search as search_index
from whorl.sweep.result import PageLocations, ScreenedDocument

router = APIRouter(tags=["search"])

# What a text without a name is called in its answer.
UNNAMED = "query"

_SEARCH = body((JSON, schema_of(SearchBody)), (FORM, schema_of(SearchOptions, FILE)))
_ADDRESS = body((JSON, schema_of(SearchAddress)))
_SCREENING = body((JSON, schema_of(ScreeningBody)), (FORM, schema_of(ScreeningOptions, FILE)))
_REGISTRY = body((JSON, schema_of(RegistryBody)), (FORM, schema_of(RegistryOptions, FILE)))


# FastAPI would copy an answer field by field, on the event loop: several times the work, while all others wait.
_ANSWER = TypeAdapter(SearchAnswer)


@router.post("/search", openapi_extra=_SEARCH, response_model=SearchAnswer, responses=documented(408, 415))
async def search(request: Request, principal: Searcher) -> Response:
    """Return the own documents that share most with a text, with the passages; and, coarsely, whether others have
    some of it."""
    fields, content, name = await content_of(request, SearchBody, SearchOptions)
    return await _answered(request, principal, fields, fields.name or name, content)


@router.post(
    "/search/from-url", openapi_extra=_ADDRESS, response_model=SearchAnswer, responses=documented(404, 408, 415)
)
async def search_from_url(request: Request, principal: Searcher) -> Response:
    """Search for the document at a public address, if the service was started with --fetch."""
    fields = await json_of(request, SearchAddress)
    fetched_document = await fetched(request, fields.from_url)
    options = fields.model_copy(update={"format": fields.format or fetched_document.format})
    return await _answered(request, principal, options, fields.name or fetched_document.name, fetched_document.content)


async def _answered(
    request: Request, principal: Principal, fields: SearchOptions, name: str | None, content: bytes | str
) -> Response:
    query = SearchQuery(
        content=content, name=name or UNNAMED, format=fields.format, limit=fields.limit, window=fields.window,
        look_ups=fields.look_ups, passages=fields.passages, with_text=fields.with_text,
    )  # fmt: skip
    answer = await run_in_threadpool(lambda: _ANSWER.dump_json(search_index(context_of(request), principal, query)))
    return Response(answer, media_type=JSON)


# The field of a form with the files whose text does not count.
BASE = "base"

_CHECK = body((JSON, schema_of(CheckBody)), (FORM, schema_of(CheckOptions, FILE, optional=(BASE,))))


@router.post("/check", openapi_extra=_CHECK, response_model=ManuscriptAnswer, responses=documented(408, 415))
async def check(request: Request, principal: Searcher) -> Response:
    """Check a manuscript against one's own documents: which source explains which stretch, what share that is, and what
    does not count. Text of the files in ``base`` does not count. Coarsely, whether others have some of it."""
    fields, content, name, base = await _manuscript(request)
    query = CheckQuery(
        content=content, name=fields.name or name or "manuscript", format=fields.format, base=base, limit=fields.limit,
        labels=tuple(fields.labels), exclusions=_exclusions(fields), deep=fields.deep,
    )  # fmt: skip
    answer = await run_in_threadpool(check_manuscript, context_of(request), principal, query)
    others = json.dumps({"foreign": [asdict(match) for match in answer.foreign], "note": answer.note})
    return Response(f'{{"check": {answer.content}, {others[1:]}', media_type=JSON)


def _exclusions(fields: CheckOptions) -> Exclusions:
    return Exclusions(
        quotations=fields.quotations, bibliography=fields.bibliography, min_words=fields.min_words,
        sources=tuple(fields.exclude_sources), labels=tuple(fields.exclude_labels), before=fields.exclude_before,
        after=fields.exclude_after,
    )  # fmt: skip


async def _manuscript(request: Request) -> tuple[CheckOptions, bytes | str, str | None, tuple[Document, ...]]:
    """Return the options, the manuscript, the name of its file, and the files of a form whose text does not count."""
    if media_of(request) != FORM:
        return (*await content_of(request, CheckBody, CheckOptions), ())
    async with form_of(request) as sent:
        fields, files = fields_of(sent, CheckOptions, (FILE, BASE)), sent.files.get(FILE, [])
        if len(files) != 1 or sent.files.keys() - {FILE, BASE}:
            others = f"others in the field '{BASE}' only"
            raise Problem(422, f"Send one file, in the field '{FILE}', such as -F {FILE}=@essay.txt, and {others}.")
        content: bytes = await run_in_threadpool(files[0].file.read)
        base = await run_in_threadpool(base_documents, sent.files.get(BASE, []))
    return fields, content, files[0].name, base


def base_documents(uploads: Sequence[Upload]) -> tuple[Document, ...]:
    """Read files whose text does not count, each under a name of its own."""
    return tuple(Document(f"{place}/{upload.name}", upload.file.read()) for place, upload in enumerate(uploads))


@router.post("/registry/search", openapi_extra=_REGISTRY, responses=documented(404, 408, 415))
async def registry(request: Request, principal: Searcher) -> RegistryAnswer:
    """Return the registered documents that a text comes from."""
    fields, content, name = await content_of(request, RegistryBody, RegistryOptions)
    hits = await run_in_threadpool(
        search_registry, context_of(request), principal, content, name=fields.name or name or UNNAMED,
        format=fields.format, threshold=fields.threshold, limit=fields.limit,
    )  # fmt: skip
    return RegistryAnswer(hits=[_registered(hit) for hit in hits], notes=list(hits.notes))


@router.post("/screen", openapi_extra=_SCREENING, responses=documented(404, 408, 415))
async def screen(request: Request, principal: Searcher) -> ScreenedDocument:
    """Say whether a text is new, a duplicate of a document in the sweeps, or overlaps some; with ``add``, store it
    unless it is a duplicate."""
    fields, content, _ = await content_of(request, ScreeningBody, ScreeningOptions)
    return await run_in_threadpool(
        screened, context_of(request), principal, content, name=fields.name, format=fields.format,
        overlap=fields.overlap, add=fields.add,
    )  # fmt: skip


@router.get("/lost-and-found", responses=documented(404))
def lost_and_found(
    request: Request, principal: Searcher, url: Annotated[Line, Query(min_length=1)], as_of: Line | None = None,
    shown: Line | None = None,
) -> PageLocations:  # fmt: skip
    """Return the last version of a page, and where its content is now."""
    return locations(context_of(request), principal, url, as_of=as_of, shown=shown)


def _registered(hit: Hit) -> RegistryHit:
    entry = hit.document
    return RegistryHit(
        id=entry.name, url=entry.url, date=entry.date, contact=entry.contact, ratio=hit.ratio, low=hit.low,
        high=hit.high, shared=hit.shared, ignored=hit.ignored, warning=hit.warning,
    )  # fmt: skip
