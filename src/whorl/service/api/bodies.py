"""Read the bodies of API requests: JSON, forms with files, and documents named by URL."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.types import Message

from whorl.service.api.authentication import context_of
from whorl.service.api.large_json import MANY, PIECE, TARGET, has_many_strings, is_small, joined
from whorl.service.api.schemas import in_words
from whorl.service.authentication import Principal
from whorl.service.context import BODY_STEP, Context
from whorl.service.documents import LARGE
from whorl.service.fetching import Fetched, fetch
from whorl.service.index_process import PARSE_BODY
from whorl.service.middleware import DOCUMENT, SMALL, announced_length
from whorl.service.naming import Upload
from whorl.service.problems import Problem
from whorl.service.settings import MEGABYTE

M = TypeVar("M", bound=BaseModel)

JSON, FORM = "application/json", "multipart/form-data"

# Fields of a form: more than any has here.
MOST_FIELDS = 200

# The field of a JSON body that has a document's text.
TEXT = "text"

# Seconds that a large body waits for a process before it is refused, and between two looks. A client that sends again
# at once is slowed down, and one that sends several at a time is served.
ROOM_SECONDS, ROOM_LOOK = 10.0, 0.25

# Large bodies of a tenant that wait so. Each holds a connection, of which there are hundreds for everybody.
MOST_WAITING = 16

# Faults that are told of one body.
MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form: its fields, those that came several times as lists, and its files by field."""

    fields: dict[str, Any]
    files: dict[str, list[Upload]]


def media_of(request: Request) -> str:
    """Return the media type of the body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_encoding(request: Request) -> None:
    """Raise 415 if a body is compressed: what it unpacks to could have any size."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise Problem(415, "Send the body uncompressed, without the header Content-Encoding.")


async def json_of(request: Request, model: type[M]) -> M:
    """Read a JSON body."""
    check_encoding(request)
    if media_of(request) != JSON:
        raise Problem(415, f"Send the body as {JSON}.")
    principal: Principal = request.state.principal
    async with expected(request):
        with reserved(request) as counted:
            raw = await _received(counted)
            return await run_in_threadpool(_validated, context_of(request), principal, raw, model)


async def _received(request: Request) -> bytes:
    """Receive a body. One that has far too many strings in its first piece is refused then."""
    parts, size = list[bytes](), 0
    async for part in request.stream():
        parts.append(part)
        if size < PIECE <= size + len(part) and has_many_strings(b"".join(parts)):
            raise Problem(422, f"The body cannot be read: {MANY}.")
        size += len(part)
    return b"".join(parts)


def _validated(context: Context, principal: Principal, raw: bytes, model: type[M]) -> M:
    try:
        if is_small(raw):
            return model.model_validate_json(raw)
        with context.in_process(principal) as process:
            text, rest = process.call(PARSE_BODY, TARGET, raw, TEXT)
        return model.model_validate(joined(TEXT, text, rest))
    except ValidationError as error:
        raise invalid(error) from error


@asynccontextmanager
async def expected(request: Request) -> AsyncIterator[None]:
    """Wait a little until a process can be expected to take a large document, before it is read: nothing is received
    meanwhile. Other bodies need none."""
    if request.url.path not in DOCUMENT or 0 < announced_length(request.scope) <= LARGE:
        yield
        return
    with ExitStack() as counted:
        await _enter_when_free(context_of(request), request.state.principal, counted)
        yield


async def _enter_when_free(context: Context, principal: Principal, counted: ExitStack) -> None:
    tenant = principal.tenant or ""
    seconds = ROOM_SECONDS if context.waiting_bodies[tenant] < MOST_WAITING else 0.0
    until = time.monotonic() + seconds
    context.waiting_bodies[tenant] += 1
    try:
        while True:
            try:
                counted.enter_context(context.expecting_process(principal))
                return
            except Problem:
                if time.monotonic() >= until:
                    raise
            await asyncio.sleep(ROOM_LOOK)
    finally:
        context.waiting_bodies[tenant] -= 1
        if not context.waiting_bodies[tenant]:
            del context.waiting_bodies[tenant]


@contextmanager
def reserved(request: Request) -> Iterator[Request]:
    """Hold room for the body of a request while the block runs; yield the request to read the body from. Raise 429 if
    the tenant announces too much, and while the body arrives, if there is no more room.

    The share of a tenant is taken by what it announces, the room of all by what arrived: a body that never comes keeps
    nobody else out. A small body always has room, as connections are limited.
    """
    context, tenant = context_of(request), request.state.principal.tenant or ""
    announced = announced_length(request.scope)
    with ExitStack() as held:
        if announced > SMALL:
            held.enter_context(context.announced_bodies.reserved(tenant, announced))
        came, room = 0, SMALL

        async def receive() -> Message:
            nonlocal came, room
            message = await request.receive()
            came += len(message.get("body", b""))
            while came > room:
                held.enter_context(context.bodies.reserved(tenant, BODY_STEP))
                room += BODY_STEP
            return message

        yield Request(request.scope, receive)


# Character sets of a form, by the names that clients send. Of Python's others, some raise in the parser, and some take
# the square of the time.
CHARSETS = frozenset({b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin-1", b"windows-1252"})


def check_charset(request: Request) -> None:
    """Raise 400 if a form has a character set that no browser sends."""
    charset = parse_options_header(request.headers.get("content-type"))[1].get(b"charset", b"utf-8")
    if charset.lower() not in CHARSETS:
        name = charset[:40].decode("latin-1")
        raise Problem(400, f"The form cannot be read: its character set {name!a} is not supported. Send utf-8.")


@asynccontextmanager
async def form_of(request: Request) -> AsyncIterator[SentForm]:
    """Read a form; its files are open inside the context."""
    settings = context_of(request).settings
    check_encoding(request)
    check_charset(request)
    with reserved(request) as counted:
        try:
            async with expected(request):
                form = await counted.form(
                    max_files=settings.max_files, max_fields=MOST_FIELDS, max_part_size=settings.max_upload
                )
        except HTTPException as error:  # Starlette's word for a form that cannot be parsed
            raise Problem(422, f"The form cannot be read: {error.detail}") from error
        try:
            yield _sent(form)
        finally:
            await form.close()


# The field of a form that has the document.
FILE = "file"


def fields_of(sent: SentForm, model: type[M], files: Sequence[str] = (FILE,)) -> M:
    """Return the fields of a form as a model. A list field accepts a single value. Raise 422 if one of the fields that
    are ``files`` has a text."""
    for name in files:
        if name in sent.fields:
            raise Problem(422, f"{name}: this is a text. Send a file, such as -F {name}=@essay.txt.")
    lists = {name for name, field in model.model_fields.items() if "list" in str(field.annotation)}
    fields = {
        name: [value] if name in lists and isinstance(value, str) else value for name, value in sent.fields.items()
    }
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise invalid(error) from error


def invalid(error: ValidationError) -> Problem:
    """Describe the first faults of values."""
    faults = error.errors(include_url=False, include_input=False)[:MOST_FAULTS]
    lines = [in_words(".".join(str(part)[:80] for part in each["loc"]) or "body", each) for each in faults]
    return Problem(422, "; ".join(lines)[:2000])


def documented(*models: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the OpenAPI description of a body: media type and schema of each form that it may have."""
    return {"requestBody": {"required": True, "content": {media: {"schema": schema} for media, schema in models}}}


def schema_of(
    model: type[BaseModel], file: str | None = None, many: Sequence[str] = (), optional: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the schema of a model; as a form, with the field of one file, or with the fields of many, of which the
    first must be there. Fields that are ``optional`` have many files or none."""
    schema = model.model_json_schema()
    if file is not None or many:
        schema["properties"] = {name: _sayable(field) for name, field in schema["properties"].items()}
    one = {"type": "string", "contentMediaType": "application/octet-stream"}
    if file is not None:
        schema["properties"][file] = one
        schema["required"] = [*schema.get("required", []), file]
    for name in (*many, *optional):
        schema["properties"][name] = {"type": "array", "items": one, "minItems": 1}
    return {**schema, "required": [*schema.get("required", []), many[0]]} if many else schema


def _sayable(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field of a form, which cannot be null: it is left out instead."""
    kinds = [kind for kind in field.get("anyOf", []) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return field
    rest = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    return {**rest, **kinds[0]}


def _sent(form: FormData) -> SentForm:
    """Sort the fields of a form. An empty one, and a file that browsers send if none was chosen, were not given."""
    fields: dict[str, Any] = {}
    files: dict[str, list[Upload]] = {}
    for name, value in form.multi_items():
        if value == "" or (isinstance(value, UploadFile) and not value.filename and not value.size):
            continue
        if isinstance(value, UploadFile):
            files.setdefault(name, []).append(Upload(value.filename or name, value.file))
        elif name in fields:
            fields[name] = [*(fields[name] if isinstance(fields[name], list) else [fields[name]]), value]
        else:
            fields[name] = value
    return SentForm(fields, files)


async def content_of(request: Request, written: type[BaseModel], options: type[M]) -> tuple[M, bytes | str, str | None]:
    """Return the request, the document, and the name of its file if it has one. ``written`` is the model of JSON: the
    options and a text."""
    if media_of(request) == FORM:
        return await _uploaded(request, options)
    if media_of(request) != JSON:
        raise Problem(415, f"Send the body as {JSON} or {FORM}.")
    fields = (await json_of(request, written)).model_dump()
    text: str = fields.pop(TEXT)
    return options.model_validate(fields), text, None


async def _uploaded(request: Request, options: type[M]) -> tuple[M, bytes, str]:
    settings = context_of(request).settings
    async with form_of(request) as sent:
        fields, files = fields_of(sent, options), sent.files.get(FILE, [])
        if len(files) != 1 or len(sent.files) != 1:
            raise Problem(422, f"Send one file, in the field '{FILE}', such as -F {FILE}=@essay.txt.")
        content: bytes = await run_in_threadpool(files[0].file.read)
    if len(content) > settings.max_upload:
        raise Problem(413, f"The file has more than {settings.max_upload // MEGABYTE:,} MB.")
    return fields, content, files[0].name


async def fetched(request: Request, url: str) -> Fetched:
    """Return the content of an address, if the service fetches at all."""
    context = context_of(request)
    if not context.settings.fetch:
        raise Problem(404, "This service does not fetch documents. Send the document itself.")
    return await run_in_threadpool(_fetched, context, request.state.principal, url)


def _fetched(context: Context, principal: Principal, url: str) -> Fetched:
    with context.fetching(principal):
        return fetch(url, context.settings.max_upload, context.settings.fetch_seconds)
