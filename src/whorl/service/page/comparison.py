"""The pages that compare a class: upload, mark starter code, compare."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from whorl.comparison.settings import THRESHOLD
from whorl.errors import InputError, WhorlError
from whorl.formats.archives.kinds import HEAD, kind
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.job_requests import AUTO, ComparisonOptions, ComparisonUploads, refuse_when_full, submit_comparison
from whorl.service.jobs import ServiceJob
from whorl.service.naming import Upload, keep
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import Form, PostedForm, Visit, Visitor
from whorl.service.page.zip_split import UnsplittableError, ZipDirectory, directory, part
from whorl.service.problems import Problem, missing
from whorl.service.workspace import JOBS_FOLDER
from whorl.storage.files import TEMPORARY
from whorl.storage.folder import size_of

# The file that makes a prepared job a draft. A request that renames or removes it has the draft to itself.
NOTE = "draft.json"
# Its name from the moment that the comparison is asked for.
STARTED = "started.json"
# The page of a comparison that is being submitted.
ALL_JOBS = "/jobs"
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
    or the files themselves if that is None. ``is_unlisted``: the upload is one archive that is not looked into here.
    ``follow`` is the page to go on to when the comparison was asked for."""

    id: str
    token_id: str
    made: float
    picks: tuple[str, ...]
    archive: str | None
    notes: tuple[str, ...]
    bases: tuple[str, ...]
    archives: tuple[str, ...]
    is_unlisted: bool = False
    follow: str = ""

    @property
    def address(self) -> str:
        """The page to go on to."""
        return self.follow or f"/compare/{self.id}"

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
    with context.quota.reserved(principal.tenant, batch.size, is_document=False):
        return _kept(context, principal, batch)


def _kept(context: Context, principal: Principal, batch: ComparisonUploads) -> Draft:
    id_ = refuse_when_full(context.jobs.prepare)
    try:
        inputs = context.jobs.inputs(id_)
        for folder, uploads in (("submissions", batch.submissions), ("base", batch.base), ("archive", batch.archive)):
            keep(uploads, inputs / folder)
        draft = _looked_at(id_, principal, inputs)
        context.drafts.add(id_, principal.tenant, size_of(inputs), PATIENCE)
        _write(draft, context.jobs.folder(id_) / NOTE)
    except BaseException:
        _discard(context, id_)
        raise
    return draft


def find(context: Context, principal: Principal, id_: str) -> Draft:
    """Return a draft of this token, or what is left of one whose comparison was asked for; raise a problem if it is
    gone."""
    folder = context.jobs.folder(id_) if ID.fullmatch(id_) else None
    draft = None if folder is None else _read(folder / NOTE) or _read(folder / STARTED)
    if draft is None or draft.token_id != principal.token_id:
        raise _gone()
    return draft


def start(
    context: Context, principal: Principal, draft: Draft, template: frozenset[int], options: ComparisonOptions
) -> str:
    """Submit the comparison; return the page to go on to. Of several requests one submits it, and the others are sent
    after it. If that fails, the draft is as it was."""
    if len(draft.picks) - len(template) < 1:
        raise Problem(422, "Everything is marked as starter code. Leave the submissions unmarked.",
                      title="Nothing to compare")  # fmt: skip
    note, started = (context.jobs.folder(draft.id) / name for name in (NOTE, STARTED))
    try:
        note.rename(started)
    except FileNotFoundError:
        return find(context, principal, draft.id).address
    size = context.drafts.remove(draft.id)  # the job's uploads count from now on
    try:
        job = _submitted(context, principal, draft, template, options)
    except BaseException:
        context.drafts.add(draft.id, principal.tenant, size, PATIENCE)
        started.rename(note)
        raise
    followed = replace(draft, made=time.time(), follow=f"/jobs/{job.id}")
    _write(followed, started)
    context.jobs.discard_inputs(draft.id)
    return followed.address


def _submitted(
    context: Context, principal: Principal, draft: Draft, template: frozenset[int], options: ComparisonOptions
) -> ServiceJob:
    inputs = context.jobs.inputs(draft.id)
    submissions, bases = _parted(draft, template, inputs)
    folder = _root(inputs / "submissions")
    with ExitStack() as stack:
        batch = ComparisonUploads(
            submissions=_opened(stack, submissions, folder),
            base=_opened(stack, bases, folder) + _opened(stack, _files(inputs / "base"), inputs / "base"),
            archive=_opened(stack, _files(inputs / "archive"), inputs / "archive"),
        )
        return submit_comparison(context, principal, batch, options)


def _root(folder: Path) -> Path:
    """Return the folder that names begin in. A single file is handed in without its folders: they would make an archive
    one submission."""
    files = _files(folder)
    return files[0].parent if len(files) == 1 else folder


def _read(note: Path) -> Draft | None:
    """Return a draft; None if it is gone. While it is being submitted, the page to go on to is that of all jobs."""
    try:
        fields = json.loads(note.read_text("utf-8"))
    except FileNotFoundError:
        return None
    if note.name == STARTED and not fields["follow"]:
        fields["follow"] = ALL_JOBS
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Draft(**{**fields, **lists})


def _write(draft: Draft, note: Path) -> None:
    """Write a draft so that nobody reads half of it."""
    new = note.with_name(note.name + TEMPORARY)
    new.write_text(json.dumps(asdict(draft)), "utf-8")
    new.replace(note)


def _looked_at(id_: str, principal: Principal, inputs: Path) -> Draft:
    uploads = _names(inputs / "submissions")
    made, names = time.time(), (_names(inputs / "base"), _names(inputs / "archive"))
    tops = tuple(sorted({name.partition("/")[0] for name in uploads}))
    notes = (*_damaged(inputs / "base"), *_damaged(inputs / "archive"))
    if len(uploads) == 1 and uploads[0].lower().endswith(".zip"):
        try:
            listed = directory(inputs / "submissions" / uploads[0])
        except UnsplittableError as error:
            return Draft(id_, principal.token_id, made, tops, None, (str(error), *notes), *names, is_unlisted=True)
        if not listed.children:
            raise _without_submissions(uploads[0], listed)
        return Draft(id_, principal.token_id, made, listed.children, uploads[0], notes, *names)
    damaged = list(_damaged(inputs / "submissions"))
    if damaged and len(damaged) == len(uploads):
        raise Problem(422, damaged[0])
    is_unlisted = len(uploads) == 1 and _is_archive(inputs / "submissions" / uploads[0])
    return Draft(id_, principal.token_id, made, tops, None, (*damaged, *notes), *names, is_unlisted=is_unlisted)


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return kind(path.name, file.read(HEAD)).is_archive


def _damaged(folder: Path) -> Iterator[str]:
    """Yield what is wrong with each damaged zip file of a folder."""
    for path in _files(folder):
        if path.suffix.lower() == ".zip":
            try:
                directory(path)
            except UnsplittableError:
                continue
            except InputError as error:
                yield str(error)


def _without_submissions(name: str, listed: ZipDirectory) -> Problem:
    if listed.fault:
        return Problem(422, f"{name}: every file was {listed.fault}. Pack it again.")
    return Problem(422, f"{name}: the zip file is empty. Add the submissions to it.")


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
    listed, rest, base = directory(whole), inputs / "rest" / whole.name, inputs / "template" / whole.name
    for target, keep_chosen in ((rest, False), (base, True)):
        target.parent.mkdir(exist_ok=True)
        part(whole, listed, chosen, target, keep=keep_chosen)
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
    """Remove drafts that nobody came back to, and the oldest of a token that has many."""
    folder, late = context.settings.index / JOBS_FOLDER, time.time() - PATIENCE
    waiting, started = ([each for each in map(_read, folder.glob(f"*/{name}")) if each] for name in (NOTE, STARTED))
    own = sorted((draft for draft in waiting if draft.token_id == principal.token_id), key=lambda draft: -draft.made)
    for draft in {*own[MOST - 1 :], *(draft for draft in waiting if draft.made < late)}:
        with suppress(FileNotFoundError):  # another request has it
            (context.jobs.folder(draft.id) / NOTE).unlink()
            _discard(context, draft.id)
    for draft in started:
        if draft.made < late and draft.follow != ALL_JOBS:
            context.jobs.discard(draft.id)


def _discard(context: Context, id_: str) -> None:
    context.jobs.discard(id_)
    context.drafts.remove(id_)


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
    return RedirectResponse(draft.address, 303, HEADERS)


@router.get("/compare/{id_}")
def mark(visit: Visitor, id_: str) -> Response:
    """Step 2: mark the template."""
    visit.principal.require(TokenScope.COMPARE)
    draft = find(visit.context, visit.principal, id_)
    if draft.follow:
        return RedirectResponse(draft.follow, 303, HEADERS)
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
        place = start(visit.context, visit.principal, draft, template, _options(form, values))
    except WhorlError as error:
        return _second(visit, draft, template, values, visit.fault(error))
    return RedirectResponse(place, 303, HEADERS)


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
