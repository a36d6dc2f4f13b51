"""Who had a text first, and where a lost page is now: what a registry and sweeps tell."""

from fastapi import APIRouter
from starlette.responses import Response

from whorl.errors import WhorlError
from whorl.service.page.forms import Form
from whorl.service.page.rendering import page
from whorl.service.page.routes_search import asked_for
from whorl.service.page.visits import Visit, Visitor
from whorl.service.problems import Problem
from whorl.service.provenance import lost_and_found, registry
from whorl.service.tokens import Scope
from whorl.sweeps.result import Found

registry_router, sweep_router = APIRouter(), APIRouter()


@registry_router.get("/registry")
def ask(visit: Visitor) -> Response:
    """The form."""
    visit.principal.require(Scope.SEARCH)
    return _registry(visit, text="")


@registry_router.post("/registry")
def find(visit: Visitor, form: Form) -> Response:
    """The answer: within the page for a script, as a page of its own otherwise."""
    try:
        name, content = asked_for(form)
        found = registry(visit.desk, visit.principal, content, name=name)
    except WhorlError as error:
        return _registry(visit, form.raw("text"), fault=visit.fault(error))
    if visit.is_part:
        return page("registry_results.html", visit.frame("registry"), answer=found)
    return _registry(visit, form.raw("text"), answer=found)


@sweep_router.get("/lost-and-found")
def look(visit: Visitor, url: str = "") -> Response:
    """Where the document of an address is now; the form alone without one."""
    visit.principal.require(Scope.SEARCH)
    if not url.strip():
        return _lost(
            visit, url, fault=Problem(422, "Type the address of a page, then look.") if visit.is_part else None
        )
    try:
        found = lost_and_found(visit.desk, visit.principal, url.strip())
    except Problem as problem:
        return _lost(visit, url, fault=problem)
    return _lost(visit, url, found=found)


def _registry(visit: Visit, text: str, fault: Problem | None = None, answer: object = None) -> Response:
    most = visit.desk.settings.max_upload
    return page(
        "registry.html", visit.frame("registry"), fault.status if fault else 200, text=text, fault=fault, answer=answer,
        max_upload=most,
    )  # fmt: skip


def _lost(visit: Visit, url: str, fault: Problem | None = None, found: Found | None = None) -> Response:
    part = "lost_results.html" if found else "problem_part.html"
    template = part if visit.is_part else "lost.html"
    return page(template, visit.frame("lost"), fault.status if fault else 200, url=url, fault=fault, found=found)
