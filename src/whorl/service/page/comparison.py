"""The pages that compare a class: upload, mark starter code, compare."""

import json
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from whorl.comparison.settings import THRESHOLD
from whorl.errors import InputError, WhorlError
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.job_requests import AUTO, ComparisonOptions, ComparisonUploads, refuse_when_full, submit_comparison
from whorl.service.jobs import ServiceJob
from whorl.service.naming import Upload, keep
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import Form, PostedForm, Visit, Visitor
from whorl.service.page.zip_split import directory, part
from whorl.service.problems import Problem, missing
from whorl.service.workspace import JOBS_FOLDER

# The file that makes a prepared job a draft.
NOTE = "draft.json"
# Seconds that a draft waits: a long lunch.
PATIENCE = 2 * 3600.0
# Drafts of one token at a time, in as many windows; each may be as large as a comparison.
MOST = 3

ID = re.compile(r"[A-Za-z0-9_-]{16}")

# Usual names of templates: a suggestion that a person sees and can undo.
LIKELY = re.compile(r"(?:^|[^a-z])(?:template|starter|skeleton|boilerplate|handout|base)(?:[^a-z]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Draft:
    """The upload. ``picks`` are the submissions that can be marked: children of the one zip file ``archive``,
    or the files themselves if that is None."""

    id: str
    token_id: str
    picks: tuple[str, ...]
    archive: str | None
    notes: tuple[str, ...]
    bases: tuple[str, ...]
    archives: tuple[str, ...]

    @property
    def likely(self) -> frozenset[int]:
        """The submission that is the template by its name, if it is one only."""
        likely = [place for place, name in enumerate(self.picks) if LIKELY.search(name)]
        return frozenset(likely if len(likely) == 1 else ())


def begin(context: Context, principal: Principal, batch: ComparisonUploads) -> Draft:
    """Keep what was handed in, and look at what it is."""
    principal.require(TokenScope.COMPARE)
    context.check_room()
    if not batch.submissions:
        raise Problem(422, "Drop a zip file or files, then go on.", title="Nothing to compare")
    _make_room(context, principal)
    id_ = refuse_when_full(context.jobs.prepare)
    try:
        inputs = context.jobs.inputs(id_)
        for folder, uploads in (("submissions", batch.submissions), ("base", batch.base), ("archive", batch.archive)):
            keep(uploads, inputs / folder)
        draft = _looked_at(id_, principal, inputs)
        (context.jobs.folder(id_) / NOTE).write_text(json.dumps(asdict(draft)), "utf-8")
    except BaseException:
        context.jobs.discard(id_)
        raise
    return draft


def find(context: Context, principal: Principal, id_: str) -> Draft:
    """Return a draft of this token; raise a problem if it is gone."""
    note = context.jobs.folder(id_) / NOTE if ID.fullmatch(id_) else None
    if note is None or not note.is_file():
        raise _gone()
    fields = json.loads(note.read_text("utf-8"))
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    draft = Draft(**{**fields, **lists})
    if draft.token_id != principal.token_id:
        raise _gone()
    return draft


def start(
    context: Context, principal: Principal, draft: Draft, template: frozenset[int], options: ComparisonOptions
) -> ServiceJob:
    """Submit the comparison; the draft is gone then."""
    if len(draft.picks) - len(template) < 1:
        raise Problem(422, "Everything is marked as starter code. Leave the submissions unmarked.",
                      title="Nothing to compare")  # fmt: skip
    inputs = context.jobs.inputs(draft.id)
    submissions, bases = _parted(draft, template, inputs)
    with ExitStack() as stack:
        batch = ComparisonUploads(
            submissions=_opened(stack, submissions, inputs / "submissions"),
            base=_opened(stack, bases, inputs / "submissions")
            + _opened(stack, _files(inputs / "base"), inputs / "base"),
            archive=_opened(stack, _files(inputs / "archive"), inputs / "archive"),
        )
        job = submit_comparison(context, principal, batch, options)
    context.jobs.discard(draft.id)
    return job


def _looked_at(id_: str, principal: Principal, inputs: Path) -> Draft:
    uploads = _names(inputs / "submissions")
    names = (_names(inputs / "base"), _names(inputs / "archive"))
    tops = tuple(sorted({name.partition("/")[0] for name in uploads}))
    if len(uploads) == 1 and uploads[0].lower().endswith(".zip"):
        try:
            children = directory(inputs / "submissions" / uploads[0]).children
        except InputError as error:
            return Draft(id_, principal.token_id, tops, None, (str(error),), *names)
        if not children:
            raise Problem(422, f"{uploads[0]}: the zip file is empty. Add the submissions to it.")
        return Draft(id_, principal.token_id, children, uploads[0], (), *names)
    return Draft(id_, principal.token_id, tops, None, (), *names)


def _parted(draft: Draft, template: frozenset[int], inputs: Path) -> tuple[list[Path], list[Path]]:
    """Return the files with the submissions, and those with the template."""
    folder, chosen = inputs / "submissions", frozenset(draft.picks[place] for place in template)
    if draft.archive is None:
        files = _files(folder)
        is_base = {file: file.relative_to(folder).parts[0] in chosen for file in files}
        return [file for file in files if not is_base[file]], [file for file in files if is_base[file]]
    whole = folder / draft.archive
    if not chosen:
        return [whole], []
    likely, rest, base = directory(whole), inputs / draft.archive, inputs / f"template of {draft.archive}"
    part(whole, likely, chosen, rest, keep=False)
    part(whole, likely, chosen, base, keep=True)
    return [rest], [base]


def _opened(stack: ExitStack, paths: Sequence[Path], folder: Path) -> list[Upload]:
    """Files under the names that they were handed in by."""
    return [Upload(_name(path, folder), stack.enter_context(path.open("rb"))) for path in paths]


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(path.relative_to(folder).as_posix() for path in _files(folder))


def _make_room(context: Context, principal: Principal) -> None:
    """Without drafts that nobody came back to, and without the oldest of a token that has many."""
    notes = sorted(
        (context.settings.index / JOBS_FOLDER).glob(f"*/{NOTE}"), key=lambda note: note.stat().st_mtime, reverse=True
    )
    notes_of_token = [note for note in notes if json.loads(note.read_text("utf-8"))["token_id"] == principal.token_id]
    late = time.time() - PATIENCE
    _discard(context, {*notes_of_token[MOST - 1 :], *(note for note in notes if note.stat().st_mtime < late)})


def _discard(context: Context, notes: Iterable[Path]) -> None:
    for note in notes:
        context.jobs.discard(note.parent.name)


def _gone() -> Problem:
    return missing("The upload (kept for two hours; please upload again)")


router = APIRouter()

# Kinds of submissions, and the preset for each.
SCHEMES = ((AUTO, "Detect"), ("code", "Programs"), ("text", "Essays and papers"), ("web", "Web pages"))


@dataclass(frozen=True, slots=True)
class CompareFormValues:
    """The options as they were filled in."""

    title: str
    scheme: str = AUTO
    threshold: str = f"{100 * THRESHOLD:.0f}"
    anonymous: bool = False


@router.get("/compare")
def ask(visit: Visitor) -> Response:
    """Step 1: hand in."""
    visit.principal.require(TokenScope.COMPARE)
    return _first(visit)


@router.post("/compare")
def hand_in(visit: Visitor, form: Form) -> Response:
    """Keep what was handed in, and go on to step 2."""
    batch = ComparisonUploads(
        submissions=_uploads(form, "submissions"), base=_uploads(form, "base"), archive=_uploads(form, "archive")
    )
    try:
        draft = begin(visit.context, visit.principal, batch)
    except WhorlError as error:
        return _first(visit, visit.fault(error))
    return RedirectResponse(f"/compare/{draft.id}", 303, HEADERS)


@router.get("/compare/{id_}")
def mark(visit: Visitor, id_: str) -> Response:
    """Step 2: mark the template."""
    visit.principal.require(TokenScope.COMPARE)
    draft = find(visit.context, visit.principal, id_)
    return _second(visit, draft, draft.likely, CompareFormValues(_title(draft)))


@router.post("/compare/{id_}")
def go(visit: Visitor, form: Form, id_: str) -> Response:
    """Queue the comparison, and show how far it is."""
    visit.principal.require(TokenScope.COMPARE)
    draft = find(visit.context, visit.principal, id_)
    values = CompareFormValues(
        form.text("title"), form.text("scheme"), form.text("threshold"), form.is_checked("anonymous")
    )
    places = frozenset(int(place) for place in form.several("template") if place.isascii() and place.isdigit())
    template = places & frozenset(range(len(draft.picks)))
    try:
        job = start(visit.context, visit.principal, draft, template, _options(form, values))
    except WhorlError as error:
        return _second(visit, draft, template, values, visit.fault(error))
    return RedirectResponse(f"/jobs/{job.id}", 303, HEADERS)


def _options(form: PostedForm, values: CompareFormValues) -> ComparisonOptions:
    percent = form.number("threshold", "Minimum score")
    return ComparisonOptions(
        scheme=values.scheme or AUTO, threshold=None if percent is None else percent / 100, anonymous=values.anonymous,
        title=values.title or None,
    )  # fmt: skip


def _uploads(form: PostedForm, name: str) -> list[Upload]:
    return [Upload(file.filename or "", file.file) for file in form.files(name)]


def _title(draft: Draft) -> str:
    return PurePosixPath(draft.archive).stem if draft.archive else "Comparison of submissions"


def _first(visit: Visit, fault: Problem | None = None) -> Response:
    most = visit.context.settings.max_batch
    return page("compare.html", visit.frame("compare"), fault.status if fault else 200, fault=fault, max_batch=most)


def _second(
    visit: Visit, draft: Draft, marked: frozenset[int], values: CompareFormValues, fault: Problem | None = None
) -> Response:
    return page(
        "compare_mark.html", visit.frame("compare"), fault.status if fault else 200, draft=draft, marked=marked,
        values=values, schemes=SCHEMES, fault=fault,
    )  # fmt: skip
