"""The comparison of a class, step by step: hand in, mark the template, compare."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from whorl.comparison.settings import THRESHOLD
from whorl.errors import WhorlError
from whorl.service.comparisons import AUTO, Batch, ComparisonOptions
from whorl.service.page import drafts
from whorl.service.page.drafts import Draft
from whorl.service.page.forms import Form, Posted
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import Visit, Visitor
from whorl.service.problems import Problem
from whorl.service.tokens import Scope
from whorl.service.uploads import Upload

router = APIRouter()

# What people hand in, and the preset for it.
SCHEMES = ((AUTO, "Find out"), ("code", "Programs"), ("text", "Essays and papers"), ("web", "Web pages"))


@dataclass(frozen=True, slots=True)
class Given:
    """The options as they were filled in."""

    title: str
    scheme: str = AUTO
    threshold: str = f"{100 * THRESHOLD:.0f}"
    anonymous: bool = False


@router.get("/compare")
def ask(visit: Visitor) -> Response:
    """Step 1: hand in."""
    visit.principal.require(Scope.COMPARE)
    return _first(visit)


@router.post("/compare")
def hand_in(visit: Visitor, form: Form) -> Response:
    """Keep what was handed in, and go on to step 2."""
    batch = Batch(
        submissions=_uploads(form, "submissions"), base=_uploads(form, "base"), archive=_uploads(form, "archive")
    )
    try:
        draft = drafts.begin(visit.desk, visit.principal, batch)
    except WhorlError as error:
        return _first(visit, visit.fault(error))
    return RedirectResponse(f"/compare/{draft.id}", 303, HEADERS)


@router.get("/compare/{id_}")
def mark(visit: Visitor, id_: str) -> Response:
    """Step 2: mark the template."""
    visit.principal.require(Scope.COMPARE)
    draft = drafts.find(visit.desk, visit.principal, id_)
    return _second(visit, draft, draft.likely, Given(_title(draft)))


@router.post("/compare/{id_}")
def go(visit: Visitor, form: Form, id_: str) -> Response:
    """Queue the comparison, and show how far it is."""
    visit.principal.require(Scope.COMPARE)
    draft = drafts.find(visit.desk, visit.principal, id_)
    given = Given(form.text("title"), form.text("scheme"), form.text("threshold"), form.is_checked("anonymous"))
    places = frozenset(int(place) for place in form.several("template") if place.isascii() and place.isdigit())
    template = places & frozenset(range(len(draft.picks)))
    try:
        job = drafts.start(visit.desk, visit.principal, draft, template, _options(form, given))
    except WhorlError as error:
        return _second(visit, draft, template, given, visit.fault(error))
    return RedirectResponse(f"/jobs/{job.id}", 303, HEADERS)


def _options(form: Posted, given: Given) -> ComparisonOptions:
    percent = form.number("threshold", "Least score")
    return ComparisonOptions(
        scheme=given.scheme or AUTO, threshold=None if percent is None else percent / 100, anonymous=given.anonymous,
        title=given.title or None,
    )  # fmt: skip


def _uploads(form: Posted, name: str) -> list[Upload]:
    return [Upload(file.filename or "", file.file) for file in form.files(name)]


def _title(draft: Draft) -> str:
    return PurePosixPath(draft.archive).stem if draft.archive else "Comparison of submissions"


def _first(visit: Visit, fault: Problem | None = None) -> Response:
    most = visit.desk.settings.max_batch
    return page("compare.html", visit.frame("compare"), fault.status if fault else 200, fault=fault, max_batch=most)


def _second(visit: Visit, draft: Draft, marked: frozenset[int], given: Given, fault: Problem | None = None) -> Response:
    return page(
        "compare_mark.html", visit.frame("compare"), fault.status if fault else 200, draft=draft, marked=marked,
        given=given, schemes=SCHEMES, fault=fault,
    )  # fmt: skip
