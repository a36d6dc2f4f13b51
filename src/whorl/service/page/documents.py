"""The pages of stored documents: list, add, read, near-duplicates, delete."""

from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from starlette.responses import RedirectResponse, Response

from whorl.errors import WhorlError
from whorl.service import documents
from whorl.service.authentication import Principal, TokenScope
from whorl.service.database import now
from whorl.service.documents import (
    LARGEST_NUMBER,
    AddedDocument,
    DocumentPage,
    NewDocument,
    StoredDocument,
    list_documents,
)
from whorl.service.naming import DEFAULT_COLLECTION
from whorl.service.page.rendering import HEADERS, moment, page
from whorl.service.page.search import scheme_of
from whorl.service.page.views import hit_view, text_view, unit
from whorl.service.page.visits import Form, PostedForm, Visit, Visitor
from whorl.service.problems import Problem, missing
from whorl.service.search import SearchQuery, near_duplicates, search

# Documents on a page: some screens.
ROWS = 50


@dataclass(frozen=True, slots=True)
class ListFilter:
    """The filters of the list; "" is all. ``after`` is where the page before ended."""

    tenant: str = ""
    collection: str = ""
    begins: str = ""
    after: str = ""

    def link(self, after: str) -> str:
        """Return the address of the next page of the list."""
        following = replace(self, after=after)
        parts = {name: getattr(following, name) for name in ("tenant", "collection", "begins", "after")}
        return f"/documents?{urlencode({name: value for name, value in parts.items() if value})}"


def acting(visit: Visit, tenant: str) -> Principal:
    """Return the principal of a request: for an admin who looks at one tenant's collections, that tenant."""
    principal = visit.principal
    return replace(principal, tenant=tenant) if tenant and principal.is_admin else principal


def collections_of(visit: Visit, tenant: str = "") -> list[str]:
    """Return the names of the collections that can be chosen."""
    return [shelf.name for shelf in documents.list_collections(visit.context, acting(visit, tenant))]


def tenants_of(visit: Visit) -> list[str]:
    """Return the owners of all tokens."""
    return sorted({token.tenant for token in visit.context.tokens.listed() if token.tenant})


def documents_of(visit: Visit, list_filter: ListFilter) -> DocumentPage:
    """Return a page of the list."""
    listing = _filled(visit, list_filter, ROWS)
    if listing.after is not None and not _filled(visit, replace(list_filter, after=listing.after), 1).documents:
        return replace(listing, after=None)
    return listing


def _filled(visit: Visit, list_filter: ListFilter, limit: int) -> DocumentPage:
    """Return as many documents as there are up to a limit. One answer about names looks at a part of them only."""
    matches: list[StoredDocument] = []
    after = list_filter.after or None
    while True:
        answer = list_documents(
            visit.context, visit.principal, collection=list_filter.collection or None, starts=list_filter.begins,
            after=after, limit=limit - len(matches), tenant=list_filter.tenant or None,
        )  # fmt: skip
        matches += answer.documents
        after = answer.after
        if after is None or len(matches) == limit:
            return DocumentPage(tuple(matches), after)


add_router = APIRouter()


@dataclass(frozen=True, slots=True)
class AddFormValues:
    """The values of a form, to be shown again."""

    name: str = ""
    collection: str = DEFAULT_COLLECTION
    text: str = ""
    url: str = ""
    date: str = ""
    contact: str = ""
    labels: str = ""
    sanctioned: str = ""


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that was not stored, and why."""

    name: str
    reason: str


@add_router.get("/documents/add")
def ask_to_add(visit: Visitor, collection: str = DEFAULT_COLLECTION) -> Response:
    """Show the form."""
    visit.principal.require(TokenScope.ADD)
    return _page(visit, AddFormValues(collection=collection))


@add_router.post("/documents/add")
def add(visit: Visitor, form: Form) -> Response:
    """Store each file, and say what became of it. One that cannot be read keeps nobody else out."""
    visit.principal.require(TokenScope.ADD)
    values = AddFormValues(**{field.name: form.raw(field.name) for field in fields(AddFormValues)})
    sent = _contents(form)
    if not sent:
        fault = Problem(422, "Drop files or paste a text with a name, then add.", title="Nothing to add")
        return _page(visit, values, fault=fault)
    added: list[AddedDocument] = []
    refused: list[RefusedFile] = []
    for name, content in sent:
        try:
            added.append(documents.add_document(visit.context, visit.principal, _new(form, name, content)))
        except WhorlError as error:
            refused.append(RefusedFile(name, visit.fault(error).detail))
    shown_again = AddFormValues(collection=values.collection) if added else values
    return _page(visit, shown_again, added=added, refused=refused)


def _contents(form: PostedForm) -> list[tuple[str, bytes | str]]:
    sent: list[tuple[str, bytes | str]] = [
        ((file.filename or "").replace("\\", "/"), file.file.read()) for file in form.files("files")
    ]
    if form.raw("text").strip():
        sent.append((form.text("name"), form.raw("text")))
    return sent


def _new(form: PostedForm, name: str, content: bytes | str) -> NewDocument:
    labels = tuple(label.strip() for label in form.raw("labels").split(",") if label.strip())
    return NewDocument(
        name=name, content=content, collection=form.text("collection") or DEFAULT_COLLECTION,
        url=form.optional("url"), date=form.optional("date"), contact=form.optional("contact"), labels=labels,
        sanctioned=form.is_checked("sanctioned"),
    )  # fmt: skip


def _page(
    visit: Visit, values: AddFormValues, *, added: list[AddedDocument] | None = None,
    refused: list[RefusedFile] | None = None, fault: Problem | None = None,
) -> Response:  # fmt: skip
    failed = fault is not None or (refused and not added)
    collections = collections_of(visit) if visit.principal.allows(TokenScope.SEARCH) else []
    return page(
        "document_add.html", visit.frame("documents"), 422 if failed else 200, values=values, added=added or [],
        refused=refused or [], fault=fault, collections=collections, max_upload=visit.context.settings.max_upload,
    )  # fmt: skip


router = APIRouter()


def _list_filter(tenant: str = "", collection: str = "", begins: str = "", after: str = "") -> ListFilter:
    return ListFilter(tenant, collection, begins, after)


def _number(number: str) -> int:
    """Return the number in an address; anything else is a missing document."""
    if not (number.isascii() and number.isdigit() and len(number) <= len(str(LARGEST_NUMBER))):
        raise missing("The document")
    return int(number)


Number = Annotated[int, Depends(_number)]


@router.get("/documents")
def browse(visit: Visitor, list_filter: Annotated[ListFilter, Depends(_list_filter)], said: str = "") -> Response:
    """Show the list; for a script, only its rows."""
    listing = documents_of(visit, list_filter)
    context: dict[str, Any] = {
        "rows": listing.documents, "list_filter": list_filter, "after": listing.after or "",
        "more": listing.after is not None, "first": not list_filter.after, "more_link": list_filter.link,
        "unit": unit(scheme_of(visit)),
    }  # fmt: skip
    frame = visit.frame("documents", said)
    if visit.is_part:
        return page("documents_list.html", frame, **context)
    tenants = tenants_of(visit) if visit.principal.is_admin else []
    is_everyones = visit.principal.is_admin and not list_filter.tenant
    collections = (
        documents.collection_names(visit.context, visit.principal)
        if is_everyones
        else collections_of(visit, list_filter.tenant)
    )
    return page("documents.html", frame, tenants=tenants, collections=collections, **context)


@router.get("/documents/{number}")
def show(visit: Visitor, number: Number, start: str = "0") -> Response:
    """Show a document and its text."""
    row = documents.get_document(visit.context, visit.principal, number)
    list_filter = int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 0
    return page(
        "document.html", visit.frame("documents"), row=row, unit=unit(scheme_of(visit)),
        text=_text(visit, number, list_filter), may_delete=visit.principal.allows(TokenScope.ADD),
    )  # fmt: skip


@router.get("/documents/{number}/near")
def nearest(visit: Visitor, number: Number) -> Response:
    """Show near-duplicates of a document."""
    row = documents.get_document(visit.context, visit.principal, number)
    hits = near_duplicates(visit.context, visit.principal, number)
    return page("near.html", visit.frame("documents"), row=row, hits=hits)


@router.get("/documents/{number}/beside/{other}")
def beside(visit: Visitor, number: Number, other: str) -> Response:
    """Two documents side by side: the one is searched for, and the other is among what is found."""
    row, wanted = documents.get_document(visit.context, visit.principal, number), _number(other)
    text = documents.read_text(visit.context, visit.principal, number)
    listing = search(visit.context, visit.principal, SearchQuery(content=text, name=row.name, limit=1, only=wanted))
    hit = next((hit for hit in listing.hits if hit.document.id == wanted), None)
    if hit is None:
        raise Problem(404, "The two documents share no passage, or one was removed.")
    return page(
        "beside.html", visit.frame("documents"), row=row, view=hit_view(hit), unit=unit(scheme_of(visit))
    )  # fmt: skip


@router.get("/documents/{number}/delete")
def ask_to_delete(visit: Visitor, number: Number) -> Response:
    """Explain what deleting means, and show the button."""
    visit.principal.require(TokenScope.ADD)
    row = documents.get_document(visit.context, visit.principal, number)
    deadline = moment(now() + timedelta(days=visit.context.settings.purge_within))
    return page("document_delete.html", visit.frame("documents"), row=row, deadline=deadline)


@router.post("/documents/{number}/delete")
def delete(visit: Visitor, form: Form, number: Number) -> Response:
    """Delete it, and go back to the list."""
    documents.delete_document(visit.context, visit.principal, number)
    return RedirectResponse("/documents?said=deleted", 303, HEADERS)


def _text(visit: Visit, number: int, start: int) -> object:
    """Return the requested part of the text; None if the index keeps no texts."""
    try:
        text = documents.read_text(visit.context, visit.principal, number)
    except Problem as problem:
        if problem.status != 404:
            raise
        return None
    return text_view(text, start)
