"""The document in a request: a text in JSON, or a file of a form; or what stands at an address."""

from fastapi import Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from whorl.service.api.asking import desk_of
from whorl.service.api.bodies import FORM, JSON, M, fields_of, form_of, json_of, media_of
from whorl.service.fetching import Fetched, fetch
from whorl.service.problems import Problem
from whorl.service.settings import MEGABYTE

# The field of a form that has the document, and the one of JSON that has its text.
FILE, TEXT = "file", "text"


async def content_of(request: Request, written: type[BaseModel], options: type[M]) -> tuple[M, bytes | str, str | None]:
    """What was asked, the document, and the name of its file if it has one. ``written`` is the model of JSON: the
    options and a text."""
    if media_of(request) == FORM:
        return await _uploaded(request, options)
    if media_of(request) != JSON:
        raise Problem(415, f"Send the body as {JSON} or {FORM}.")
    given = (await json_of(request, written)).model_dump()
    text: str = given.pop(TEXT)
    return options.model_validate(given), text, None


async def _uploaded(request: Request, options: type[M]) -> tuple[M, bytes, str]:
    settings = desk_of(request).settings
    async with form_of(request) as sent:
        given, files = fields_of(sent, options), sent.files.get(FILE, [])
        if len(files) != 1 or len(sent.files) != 1:
            raise Problem(422, f"Send one file, in the field '{FILE}'.")
        content: bytes = await run_in_threadpool(files[0].file.read)
    if len(content) > settings.max_upload:
        raise Problem(413, f"The file has more than {settings.max_upload // MEGABYTE:,} MB.")
    return given, content, files[0].name


async def fetched(request: Request, url: str) -> Fetched:
    """What stands at an address, if the service fetches at all."""
    settings = desk_of(request).settings
    if not settings.fetch:
        raise Problem(404, "This service fetches nothing. Send the document itself.")
    return await run_in_threadpool(fetch, url, settings.max_upload, settings.fetch_seconds)
