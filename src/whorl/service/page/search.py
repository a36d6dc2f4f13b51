"""The pages that search: stored documents, a check of a manuscript, the registry, lost and found."""

from dataclasses import dataclass, fields, replace

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from whorl.errors import WhorlError
from whorl.formats.detection import names as formats
from whorl.index.check import Exclusions
from whorl.report.words import guarantee
from whorl.scheme import Scheme
from whorl.service.api.search import base_documents
from whorl.service.authentication import TokenScope
from whorl.service.disclosure import ForeignMatch
from whorl.service.documents import list_documents
from whorl.service.middleware import REPORT_POLICY
from whorl.service.naming import LONGEST_NAME, Upload
from whorl.service.page.rendering import HEADERS, page, part
from whorl.service.page.views import HitView, hit_view, unit
from whorl.service.page.visits import Form, PostedForm, Visit, Visitor
from whorl.service.problems import Problem
from whorl.service.search import (
    NOTICE,
    CheckQuery,
    SearchAnswer,
    SearchQuery,
    check,
    lost_and_found,
    search,
    search_registry,
)
from whorl.sweep.result import PageLocations

router = APIRouter()

PASTED = "pasted text"

# Hits whose passages are open at once; those of the others are a click away, so that the list stays a list.
OPENED = 3


@dataclass(frozen=True, slots=True)
class AnswerView:
    """The result of a search as it is shown. ``name`` is that of the file, "" for a pasted text."""

    name: str
    letters: int
    hits: tuple[HitView, ...]
    foreign: tuple[ForeignMatch, ...]
    notes: tuple[str, ...]
    unit: str
    guarantee: str


@router.get("/")
def ask(visit: Visitor) -> Response:
    """Show the form."""
    visit.principal.require(TokenScope.SEARCH)
    return _page(visit, text="")


@router.get("/search")
def ask_again(visit: Visitor) -> Response:
    """Whoever loads the address of an answer anew gets the form."""
    return ask(visit)


@router.post("/search")
def find(visit: Visitor, form: Form) -> Response:
    """Show the result: for a script as a piece of the page, otherwise as a page of its own."""
    try:
        answer = search(visit.context, visit.principal, _query(form, visit))
    except WhorlError as error:
        return _page(visit, text=form.raw("text"), fault=visit.fault(error))
    view = answer_view(answer, scheme_of(visit))
    if visit.is_part:
        return page("results.html", visit.frame("search"), answer=view, opened=OPENED)
    return _page(visit, text=form.raw("text"), answer=view)


def query_content(form: PostedForm) -> tuple[str, bytes | str]:
    """Return the name and the content of the document of a form: a file, or else the text."""
    files, text = form.files("file"), form.raw("text")
    if files:
        name = (files[0].filename or "").replace("\\", "/").rpartition("/")[2]
        return name[:LONGEST_NAME], files[0].file.read()
    if not text.strip():
        raise Problem(422, "Drop a file or paste a text, then search.", title="Nothing to search for")
    return PASTED, text


def scheme_of(visit: Visit) -> Scheme:
    """Return how the service reads documents."""
    with visit.context.reading(visit.principal) as index:
        return index.scheme


def answer_view(answer: SearchAnswer, scheme: Scheme) -> AnswerView:
    """Return a result as it is shown."""
    name = "" if answer.name == PASTED else answer.name
    hits = tuple(map(hit_view, answer.hits))
    return AnswerView(name, len(answer.text), hits, answer.foreign, answer.notes, unit(scheme), guarantee(scheme))


def _query(form: PostedForm, visit: Visit) -> SearchQuery:
    name, content = _checked_size(*query_content(form), visit)
    return SearchQuery(content=content, name=name, format=form.optional("format"))


def _checked_size(name: str, content: bytes | str, visit: Visit) -> tuple[str, bytes | str]:
    if len(content) > visit.context.settings.max_upload:
        raise Problem(413, f"{name}: it is too large. Send a part of it.")
    return name, content


def _page(visit: Visit, text: str, fault: Problem | None = None, answer: AnswerView | None = None) -> Response:
    scheme = scheme_of(visit)
    stored = bool(list_documents(visit.context, visit.principal, limit=1).documents)
    return page(
        "search.html", visit.frame("search"), fault.status if fault else 200, text=text, answer=answer, fault=fault,
        stored=stored, shortest=guarantee(scheme), formats=sorted(formats()), opened=OPENED,
        max_upload=visit.context.settings.max_upload,
    )  # fmt: skip


@router.get("/check")
def ask_check(visit: Visitor) -> Response:
    """Show the form."""
    visit.principal.require(TokenScope.SEARCH)
    return _check_form(visit, CheckFormValues())


@router.post("/check")
def check_uploaded(visit: Visitor, form: Form) -> Response:
    """Show the manuscript with its sources, as the page of ``whorl check --report``."""
    try:
        answer = check(visit.context, visit.principal, _check_query(form, visit))
    except WhorlError as error:
        return _check_form(visit, CheckFormValues.of(form), visit.fault(error))
    notice = part("others.html", foreign=answer.foreign, note=answer.note)
    headers = {**HEADERS, "Content-Security-Policy": REPORT_POLICY}
    return HTMLResponse(answer.content.replace(NOTICE, notice, 1), headers=headers)


@dataclass(frozen=True, slots=True)
class CheckFormValues:
    """The form of a check as it was filled in. Files must be chosen again."""

    text: str = ""
    format: str = ""
    min_words: str = "0"
    exclude_sources: str = ""
    exclude_labels: str = ""
    exclude_before: str = ""
    exclude_after: str = ""
    deep: str = ""

    @classmethod
    def of(cls, form: PostedForm) -> "CheckFormValues":
        """Return the values of a form."""
        rest = {field.name: form.text(field.name) for field in fields(cls) if field.name != "text"}
        return cls(text=form.raw("text"), **rest)

    @property
    def is_open(self) -> bool:
        """Whether an option differs from its default."""
        return replace(self, text="", deep="") != CheckFormValues()


def _check_query(form: PostedForm, visit: Visit) -> CheckQuery:
    name, content = _checked_size(*query_content(form), visit)
    sources, labels = form.optional("exclude_sources"), form.optional("exclude_labels")
    rules = Exclusions(
        min_words=form.number("min_words", "Words") or 0, sources=(sources,) if sources else (),
        labels=(labels,) if labels else (), before=form.optional("exclude_before"),
        after=form.optional("exclude_after"),
    )  # fmt: skip
    base = base_documents([Upload(file.filename or "", file.file) for file in form.files("base")])
    return CheckQuery(
        content=content, name=name, format=form.optional("format"), exclusions=rules, base=base, as_page=True,
        deep=form.is_checked("deep"),
    )  # fmt: skip


def _check_form(visit: Visit, values: CheckFormValues, fault: Problem | None = None) -> Response:
    stored = bool(list_documents(visit.context, visit.principal, limit=1).documents)
    return page(
        "check.html", visit.frame("check"), fault.status if fault else 200, form=values, fault=fault, stored=stored,
        shortest=guarantee(scheme_of(visit)), formats=sorted(formats()), max_upload=visit.context.settings.max_upload,
    )  # fmt: skip


registry_router, sweep_router = APIRouter(), APIRouter()


@registry_router.get("/registry")
def ask_registry(visit: Visitor) -> Response:
    """Show the form."""
    visit.principal.require(TokenScope.SEARCH)
    return _registry(visit, text="")


@registry_router.post("/registry")
def find_registered(visit: Visitor, form: Form) -> Response:
    """Show the result: for a script as a piece of the page, otherwise as a page of its own."""
    try:
        name, content = query_content(form)
        result = search_registry(visit.context, visit.principal, content, name=name)
    except WhorlError as error:
        return _registry(visit, form.raw("text"), fault=visit.fault(error))
    if visit.is_part:
        return page("registry_results.html", visit.frame("registry"), answer=result)
    return _registry(visit, form.raw("text"), answer=result)


@sweep_router.get("/lost-and-found")
def find_lost(visit: Visitor, url: str = "") -> Response:
    """Show where the document of an address is now; only the form if there is no address."""
    visit.principal.require(TokenScope.SEARCH)
    if not url.strip():
        return _lost(
            visit, url, fault=Problem(422, "Type the address of a page, then look.") if visit.is_part else None
        )
    try:
        result = lost_and_found(visit.context, visit.principal, url.strip())
    except Problem as problem:
        return _lost(visit, url, fault=problem)
    return _lost(visit, url, result=result)


def _registry(visit: Visit, text: str, fault: Problem | None = None, answer: object = None) -> Response:
    most = visit.context.settings.max_upload
    return page(
        "registry.html", visit.frame("registry"), fault.status if fault else 200, text=text, fault=fault, answer=answer,
        max_upload=most,
    )  # fmt: skip


def _lost(visit: Visit, url: str, fault: Problem | None = None, result: PageLocations | None = None) -> Response:
    part = "lost_results.html" if result else "problem_part.html"
    template = part if visit.is_part else "lost.html"
    return page(template, visit.frame("lost"), fault.status if fault else 200, url=url, fault=fault, result=result)
