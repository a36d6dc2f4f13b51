"""Forms that were sent: fields and files, checked to come from our own pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from whorl.service.api.asking import desk_of
from whorl.service.page.visits import Visitor, check_csrf, check_origin
from whorl.service.problems import Problem

# Fields of a form beside its files: the largest form of ours marks some hundred submissions.
MOST_FIELDS = 2000

# Where a script that is not a form may send the guard.
CSRF_HEADER = "X-CSRF-Token"


@dataclass(frozen=True, slots=True)
class Posted:
    """What a form sent."""

    data: FormData

    def text(self, name: str) -> str:
        """A field, without blanks round it; "" if it was not sent."""
        return self.raw(name).strip()

    def raw(self, name: str) -> str:
        """A field as it was typed."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    def optional(self, name: str) -> str | None:
        """A field, or None if it was left empty."""
        return self.text(name) or None

    def several(self, name: str) -> tuple[str, ...]:
        """All values of a field that can be sent more than once."""
        return tuple(value for value in self.data.getlist(name) if isinstance(value, str))

    def is_checked(self, name: str) -> bool:
        """Whether a box was checked."""
        return bool(self.text(name))

    def number(self, name: str, label: str) -> int | None:
        """A whole number, or None if the field was left empty."""
        text = self.text(name)
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Problem(422, f"{label}: {text[:40]!r} is no whole number. Give one, or leave the field empty.")
        return int(text)

    def files(self, name: str) -> list[UploadFile]:
        """Files that were chosen. A browser sends one without a name if none was."""
        return [file for file in self.data.getlist(name) if isinstance(file, UploadFile) and file.filename]


@asynccontextmanager
async def parsed(request: Request, most_files: int) -> AsyncIterator[Posted]:
    """A form, whoever sent it; its files go when the request is over."""
    check_origin(request)
    most: int = desk_of(request).settings.max_upload  # of a field that is no file: a text is as long as a document
    try:
        data = await request.form(max_files=most_files, max_fields=MOST_FIELDS, max_part_size=most)
    except HTTPException as error:  # Starlette's word for a form that cannot be parsed
        raise Problem(400, f"The form cannot be read: {error.detail} Send fewer or smaller fields.") from error
    try:
        yield Posted(data)
    finally:
        await data.close()


async def posted(request: Request, visit: Visitor) -> AsyncIterator[Posted]:
    """A form of a signed-in person."""
    async with parsed(request, visit.desk.settings.max_files) as form:
        check_csrf(visit.principal.csrf or "", request.headers.get(CSRF_HEADER) or form.raw("csrf"))
        yield form


Form = Annotated[Posted, Depends(posted)]
