"""The stored documents: list, add, read, near-identical ones, delete."""

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import RedirectResponse, Response

from whorl.service import documents
from whorl.service.documents import LARGEST_NUMBER
from whorl.service.moments import now
from whorl.service.page.browsing import Asked, collections_of, documents_of, tenants_of
from whorl.service.page.forms import Form
from whorl.service.page.rendering import HEADERS, moment, page
from whorl.service.page.routes_search import scheme_of
from whorl.service.page.views import hit_view, text_view, unit
from whorl.service.page.visits import Visit, Visitor
from whorl.service.problems import Problem, missing
from whorl.service.searching import Query, near, search
from whorl.service.tokens import Scope

router = APIRouter()


def _asked(tenant: str = "", collection: str = "", begins: str = "", after: str = "") -> Asked:
    return Asked(tenant, collection, begins, after)


def _number(number: str) -> int:
    """The number in an address; what is none is missing like any other."""
    if not (number.isascii() and number.isdigit() and len(number) <= len(str(LARGEST_NUMBER))):
        raise missing("The document")
    return int(number)


Number = Annotated[int, Depends(_number)]


@router.get("/documents")
def browse(visit: Visitor, asked: Annotated[Asked, Depends(_asked)], said: str = "") -> Response:
    """The list; for a script, its rows alone."""
    found = documents_of(visit, asked)
    context: dict[str, Any] = {
        "rows": found.documents, "asked": asked, "after": found.after or "", "more": found.after is not None,
        "first": not asked.after, "more_link": asked.link, "unit": unit(scheme_of(visit)),
    }  # fmt: skip
    frame = visit.frame("documents", said)
    if visit.is_part:
        return page("documents_list.html", frame, **context)
    tenants = tenants_of(visit) if visit.principal.is_admin else []
    collections = collections_of(visit, asked.tenant)
    return page("documents.html", frame, tenants=tenants, collections=collections, **context)


@router.get("/documents/{number}")
def show(visit: Visitor, number: Number, start: str = "0") -> Response:
    """A document and its text."""
    row = documents.get(visit.desk, visit.principal, number)
    asked = int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 0
    return page(
        "document.html", visit.frame("documents"), row=row, unit=unit(scheme_of(visit)),
        text=_text(visit, number, asked), may_delete=visit.principal.allows(Scope.ADD),
    )  # fmt: skip


@router.get("/documents/{number}/near")
def nearest(visit: Visitor, number: Number) -> Response:
    """What is nearly the same."""
    row = documents.get(visit.desk, visit.principal, number)
    hits = near(visit.desk, visit.principal, number)
    return page("near.html", visit.frame("documents"), row=row, hits=hits)


@router.get("/documents/{number}/beside/{other}")
def beside(visit: Visitor, number: Number, other: str) -> Response:
    """Two documents side by side: the one is searched for, and the other is among what is found."""
    row, wanted = documents.get(visit.desk, visit.principal, number), _number(other)
    text = documents.text(visit.desk, visit.principal, number)
    found = search(visit.desk, visit.principal, Query(content=text, name=row.name, limit=1, only=wanted))
    hit = next((hit for hit in found.hits if hit.document.id == wanted), None)
    if hit is None:
        raise Problem(404, "The two share no passage, or the other one is gone. Look at what is near instead.")
    return page(
        "beside.html", visit.frame("documents"), row=row, view=hit_view(hit), unit=unit(scheme_of(visit))
    )  # fmt: skip


@router.get("/documents/{number}/delete")
def ask_to_delete(visit: Visitor, number: Number) -> Response:
    """What deleting means, and the button."""
    visit.principal.require(Scope.ADD)
    row = documents.get(visit.desk, visit.principal, number)
    deadline = moment(now() + timedelta(days=visit.desk.settings.purge_within))
    return page("document_delete.html", visit.frame("documents"), row=row, deadline=deadline)


@router.post("/documents/{number}/delete")
def delete(visit: Visitor, form: Form, number: Number) -> Response:
    """Delete it, and go back to the list."""
    documents.delete(visit.desk, visit.principal, number)
    return RedirectResponse("/documents?said=deleted", 303, HEADERS)


def _text(visit: Visit, number: int, start: int) -> object:
    """The part of the text that is asked for; None if the index keeps no texts."""
    try:
        text = documents.text(visit.desk, visit.principal, number)
    except Problem as problem:
        if problem.status != 404:
            raise
        return None
    return text_view(text, start)
