"""Adding documents: files, or a text that was pasted."""

from dataclasses import dataclass, fields

from fastapi import APIRouter
from starlette.responses import Response

from whorl.errors import WhorlError
from whorl.service import documents
from whorl.service.documents import AddedDocument, NewDocument
from whorl.service.naming import DEFAULT_COLLECTION
from whorl.service.page.browsing import collections_of
from whorl.service.page.forms import Form, Posted
from whorl.service.page.rendering import page
from whorl.service.page.visits import Visit, Visitor
from whorl.service.problems import Problem
from whorl.service.tokens import Scope

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Given:
    """What was filled in, to be shown again."""

    name: str = ""
    collection: str = DEFAULT_COLLECTION
    text: str = ""
    url: str = ""
    date: str = ""
    contact: str = ""
    labels: str = ""
    sanctioned: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that was not stored, and why."""

    name: str
    reason: str


@router.get("/documents/add")
def ask(visit: Visitor, collection: str = DEFAULT_COLLECTION) -> Response:
    """The form."""
    visit.principal.require(Scope.ADD)
    return _page(visit, Given(collection=collection))


@router.post("/documents/add")
def add(visit: Visitor, form: Form) -> Response:
    """Store each file, and say what became of it. One that cannot be read keeps nobody else out."""
    visit.principal.require(Scope.ADD)
    given = Given(**{field.name: form.raw(field.name) for field in fields(Given)})
    sent = _contents(form)
    if not sent:
        fault = Problem(422, "Drop files or paste a text with a name, then add.", title="There is nothing to add")
        return _page(visit, given, fault=fault)
    added: list[AddedDocument] = []
    refused: list[Refused] = []
    for name, content in sent:
        try:
            added.append(documents.add(visit.desk, visit.principal, _new(form, name, content)))
        except WhorlError as error:
            refused.append(Refused(name, visit.fault(error).detail))
    kept = Given(collection=given.collection) if added else given
    return _page(visit, kept, added=added, refused=refused)


def _contents(form: Posted) -> list[tuple[str, bytes | str]]:
    sent: list[tuple[str, bytes | str]] = [
        ((file.filename or "").replace("\\", "/"), file.file.read()) for file in form.files("files")
    ]
    if form.raw("text").strip():
        sent.append((form.text("name"), form.raw("text")))
    return sent


def _new(form: Posted, name: str, content: bytes | str) -> NewDocument:
    labels = tuple(label.strip() for label in form.raw("labels").split(",") if label.strip())
    return NewDocument(
        name=name, content=content, collection=form.text("collection") or DEFAULT_COLLECTION,
        url=form.optional("url"), date=form.optional("date"), contact=form.optional("contact"), labels=labels,
        sanctioned=form.is_checked("sanctioned"),
    )  # fmt: skip


def _page(
    visit: Visit, given: Given, *, added: list[AddedDocument] | None = None, refused: list[Refused] | None = None,
    fault: Problem | None = None,
) -> Response:  # fmt: skip
    failed = fault is not None or (refused and not added)
    collections = collections_of(visit) if visit.principal.allows(Scope.SEARCH) else []
    return page(
        "document_add.html", visit.frame("documents"), 422 if failed else 200, given=given, added=added or [],
        refused=refused or [], fault=fault, collections=collections, max_upload=visit.desk.settings.max_upload,
    )  # fmt: skip
