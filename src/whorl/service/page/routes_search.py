"""The first page: where does this come from?"""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from whorl.errors import WhorlError
from whorl.frontends.detection import names as formats
from whorl.report.words import guarantee
from whorl.scheme import Scheme
from whorl.service.documents import listed
from whorl.service.naming import LONGEST_NAME
from whorl.service.page.forms import Form, Posted
from whorl.service.page.rendering import page
from whorl.service.page.views import HitView, hit_view, unit
from whorl.service.page.visits import Visit, Visitor
from whorl.service.policy import Foreign
from whorl.service.problems import Problem
from whorl.service.searching import Answer, Query, search
from whorl.service.tokens import Scope

router = APIRouter()

PASTED = "pasted text"

# Hits whose passages are open at once; those of the others are a click away, so that the list stays a list.
OPENED = 3


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What a search found, as it is shown. ``name`` is that of the file, "" for a pasted text."""

    name: str
    letters: int
    hits: tuple[HitView, ...]
    foreign: tuple[Foreign, ...]
    notes: tuple[str, ...]
    unit: str
    guarantee: str


@router.get("/")
def ask(visit: Visitor) -> Response:
    """The form."""
    visit.principal.require(Scope.SEARCH)
    return _page(visit, text="")


@router.get("/search")
def ask_again(visit: Visitor) -> Response:
    """Whoever loads the address of an answer anew gets the form."""
    return ask(visit)


@router.post("/search")
def find(visit: Visitor, form: Form) -> Response:
    """The answer: within the page for a script, as a page of its own otherwise."""
    try:
        found = search(visit.desk, visit.principal, _query(form, visit))
    except WhorlError as error:
        return _page(visit, text=form.raw("text"), fault=visit.fault(error))
    view = answer_view(found, scheme_of(visit))
    if visit.is_part:
        return page("results.html", visit.frame("search"), answer=view, opened=OPENED)
    return _page(visit, text=form.raw("text"), answer=view)


def asked_for(form: Posted) -> tuple[str, bytes | str]:
    """The name and the content of what a form asks about: a file, or else the text."""
    files, text = form.files("file"), form.raw("text")
    if files:
        name = (files[0].filename or "").replace("\\", "/").rpartition("/")[2]
        return name[:LONGEST_NAME], files[0].file.read()
    if not text.strip():
        raise Problem(422, "Drop a file or paste a text, then search.", title="There is nothing to search for")
    return PASTED, text


def scheme_of(visit: Visit) -> Scheme:
    """How the documents of the service are read."""
    with visit.desk.reading() as index:
        return index.scheme


def answer_view(found: Answer, scheme: Scheme) -> AnswerView:
    """An answer as it is shown."""
    name = "" if found.name == PASTED else found.name
    hits = tuple(hit_view(hit) for hit in found.hits)
    return AnswerView(name, len(found.text), hits, found.foreign, found.notes, unit(scheme), guarantee(scheme))


def _query(form: Posted, visit: Visit) -> Query:
    name, content = asked_for(form)
    if len(content) > visit.desk.settings.max_upload:
        raise Problem(413, f"{name}: it is too large. Search with a part of it.")
    return Query(content=content, name=name, format=form.optional("format"))


def _page(visit: Visit, text: str, fault: Problem | None = None, answer: AnswerView | None = None) -> Response:
    scheme = scheme_of(visit)
    stored = bool(listed(visit.desk, visit.principal, limit=1).documents)
    return page(
        "search.html", visit.frame("search"), fault.status if fault else 200, text=text, answer=answer, fault=fault,
        stored=stored, shortest=guarantee(scheme), formats=sorted(formats()), opened=OPENED,
        max_upload=visit.desk.settings.max_upload,
    )  # fmt: skip
