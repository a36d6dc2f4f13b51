"""Bodies of requests, read after it is known who asks: JSON, or a form with files. What is wrong with one is told."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from whorl.service.api.asking import desk_of
from whorl.service.problems import Problem
from whorl.service.uploads import Upload

M = TypeVar("M", bound=BaseModel)

JSON, FORM = "application/json", "multipart/form-data"

# Fields of a form: more than any has here.
MOST_FIELDS = 200


@dataclass(frozen=True, slots=True)
class Sent:
    """A form: its fields, those that came several times as lists, and its files by field."""

    fields: dict[str, Any]
    files: dict[str, list[Upload]]


def media_of(request: Request) -> str:
    """The type of the body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def json_of(request: Request, model: type[M]) -> M:
    """A JSON body."""
    if media_of(request) != JSON:
        raise Problem(415, f"Send the body as {JSON}.")
    raw = await request.body()
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        raise invalid(error) from error


@asynccontextmanager
async def form_of(request: Request) -> AsyncIterator[Sent]:
    """A form, whose files are open inside."""
    settings = desk_of(request).settings
    try:
        form = await request.form(
            max_files=settings.max_files, max_fields=MOST_FIELDS, max_part_size=settings.max_upload
        )
    except HTTPException as error:  # Starlette's word for a form that cannot be parsed
        raise Problem(422, f"The form cannot be read: {error.detail}") from error
    try:
        yield _sent(form)
    finally:
        await form.close()


def fields_of(sent: Sent, model: type[M]) -> M:
    """The fields of a form as a model. What takes a list takes one value, too."""
    lists = {name for name, field in model.model_fields.items() if "list" in str(field.annotation)}
    given = {
        name: [value] if name in lists and isinstance(value, str) else value for name, value in sent.fields.items()
    }
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise invalid(error) from error


def invalid(error: ValidationError) -> Problem:
    """What is wrong with values, all of it."""
    told = [f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in error.errors(include_url=False)]
    return Problem(422, "; ".join(told)[:2000])


def documented(*models: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """What OpenAPI says of a body that is read here: media type and schema of each form that it may have."""
    return {"requestBody": {"required": True, "content": {media: {"schema": schema} for media, schema in models}}}


def schema_of(model: type[BaseModel], file: str | None = None, many: Sequence[str] = ()) -> dict[str, Any]:
    """The schema of a model; as a form, with the field of one file, or with the fields of many, of which the first
    must be there."""
    schema = model.model_json_schema()
    if file is not None or many:
        schema["properties"] = {name: _sayable(field) for name, field in schema["properties"].items()}
    one = {"type": "string", "contentMediaType": "application/octet-stream"}
    if file is not None:
        schema["properties"][file] = one
        schema["required"] = [*schema.get("required", []), file]
    for name in many:
        schema["properties"][name] = {"type": "array", "items": one, "minItems": 1}
    return {**schema, "required": [*schema.get("required", []), many[0]]} if many else schema


def _sayable(field: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field of a form, which cannot be null: it is left out instead."""
    kinds = [kind for kind in field.get("anyOf", []) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return field
    kept = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    return {**kept, **kinds[0]}


def _sent(form: FormData) -> Sent:
    fields: dict[str, Any] = {}
    files: dict[str, list[Upload]] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            files.setdefault(name, []).append(Upload(value.filename or name, value.file))
        elif name in fields:
            fields[name] = [*(fields[name] if isinstance(fields[name], list) else [fields[name]]), value]
        else:
            fields[name] = value
    return Sent(fields, files)
