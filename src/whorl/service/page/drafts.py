"""Comparisons that are being put together: what was handed in waits on the disk until the template is marked.

A draft is a job that is prepared and not submitted. What a crash leaves of one, the queue removes at its next start.
"""

import json
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from whorl.errors import InputError
from whorl.service.comparisons import Batch, ComparisonOptions, submit
from whorl.service.desk import Desk
from whorl.service.jobs import Job
from whorl.service.page.parting import directory, part
from whorl.service.principal import Principal
from whorl.service.problems import Problem, missing
from whorl.service.queueing import submitted
from whorl.service.tokens import Scope
from whorl.service.uploads import Upload, keep
from whorl.service.workspace import NAME as JOBS

# The file that makes a prepared job a draft.
NOTE = "draft.json"
# Seconds that a draft waits: a long lunch.
PATIENCE = 2 * 3600.0
# Drafts of one token at a time, in as many windows; each may be as large as a comparison.
MOST = 3

ID = re.compile(r"[A-Za-z0-9_-]{16}")

# What a template is often called; a suggestion that a person sees and can take back.
LIKELY = re.compile(r"(?:^|[^a-z])(?:template|starter|skeleton|boilerplate|handout|base)(?:[^a-z]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Draft:
    """What was handed in. ``picks`` are the submissions that can be marked: children of the one zip file ``archive``,
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
        found = [place for place, name in enumerate(self.picks) if LIKELY.search(name)]
        return frozenset(found if len(found) == 1 else ())


def begin(desk: Desk, principal: Principal, batch: Batch) -> Draft:
    """Keep what was handed in, and look at what it is."""
    principal.require(Scope.COMPARE)
    if not batch.submissions:
        raise Problem(422, "Drop a zip file or files, then go on.", title="There is nothing to compare")
    _make_room(desk, principal)
    id_ = submitted(desk.jobs.prepare)
    try:
        inputs = desk.jobs.inputs(id_)
        for folder, uploads in (("submissions", batch.submissions), ("base", batch.base), ("archive", batch.archive)):
            keep(uploads, inputs / folder)
        draft = _looked_at(id_, principal, inputs)
        (desk.jobs.folder(id_) / NOTE).write_text(json.dumps(asdict(draft)), "utf-8")
    except BaseException:
        desk.jobs.discard(id_)
        raise
    return draft


def find(desk: Desk, principal: Principal, id_: str) -> Draft:
    """A draft of this token; a problem if it is gone."""
    note = desk.jobs.folder(id_) / NOTE if ID.fullmatch(id_) else None
    if note is None or not note.is_file():
        raise _gone()
    told = json.loads(note.read_text("utf-8"))
    lists = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
    draft = Draft(**{**told, **lists})
    if draft.token_id != principal.token_id:
        raise _gone()
    return draft


def start(desk: Desk, principal: Principal, draft: Draft, template: frozenset[int], options: ComparisonOptions) -> Job:
    """Submit the comparison; the draft is gone then."""
    if len(draft.picks) - len(template) < 1:
        raise Problem(422, "Everything is marked as the template. Leave the submissions unmarked.",
                      title="There is nothing to compare")  # fmt: skip
    inputs = desk.jobs.inputs(draft.id)
    submissions, bases = _parted(draft, template, inputs)
    with ExitStack() as stack:
        batch = Batch(
            submissions=_opened(stack, submissions, inputs / "submissions"),
            base=_opened(stack, bases, inputs / "submissions")
            + _opened(stack, _files(inputs / "base"), inputs / "base"),
            archive=_opened(stack, _files(inputs / "archive"), inputs / "archive"),
        )
        job = submit(desk, principal, batch, options)
    desk.jobs.discard(draft.id)
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
            raise Problem(422, f"{uploads[0]}: the zip file is empty. Pack the submissions into it.")
        return Draft(id_, principal.token_id, children, uploads[0], (), *names)
    return Draft(id_, principal.token_id, tops, None, (), *names)


def _parted(draft: Draft, template: frozenset[int], inputs: Path) -> tuple[list[Path], list[Path]]:
    """The files with the submissions, and those with the template."""
    folder, chosen = inputs / "submissions", frozenset(draft.picks[place] for place in template)
    if draft.archive is None:
        files = _files(folder)
        bases = [file for file in files if file.relative_to(folder).parts[0] in chosen]
        return [file for file in files if file not in set(bases)], bases
    whole = folder / draft.archive
    if not chosen:
        return [whole], []
    found, rest, base = directory(whole), inputs / draft.archive, inputs / f"template of {draft.archive}"
    part(whole, found, chosen, rest, keep=False)
    part(whole, found, chosen, base, keep=True)
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


def _make_room(desk: Desk, principal: Principal) -> None:
    """Without drafts that nobody came back to, and without the oldest of a token that has many."""
    notes = sorted((desk.settings.index / JOBS).glob(f"*/{NOTE}"), key=lambda note: note.stat().st_mtime, reverse=True)
    own = [note for note in notes if json.loads(note.read_text("utf-8"))["token_id"] == principal.token_id]
    late = time.time() - PATIENCE
    _discard(desk, {*own[MOST - 1 :], *(note for note in notes if note.stat().st_mtime < late)})


def _discard(desk: Desk, notes: Iterable[Path]) -> None:
    for note in notes:
        desk.jobs.discard(note.parent.name)


def _gone() -> Problem:
    return missing("What was handed in. It is kept for two hours: hand it in again")
