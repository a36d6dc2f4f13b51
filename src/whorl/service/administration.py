"""Operations for administrators: tokens, the audit log, usage, and the export and erasure of one person's data."""

import json
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import IO, Any

from whorl.errors import DamageError
from whorl.index.store import Entry
from whorl.service.audit import AuditLine
from whorl.service.authentication import LONGEST_LABEL, Principal, Token, TokenScope
from whorl.service.context import Context
from whorl.service.database import now
from whorl.service.documents import stored_document
from whorl.service.job_requests import RESULTS
from whorl.service.jobs import JobState, ServiceJob
from whorl.service.naming import checked_fact, checked_slug
from whorl.service.problems import Problem, missing
from whorl.service.retention import name_sha256
from whorl.service.tenant_index import TenantIndex

LARGEST_PAGE = 500

# Days after which a token expires at the latest, if it expires: ten years.
LONGEST_TOKEN_DAYS = 3660


@dataclass(frozen=True, slots=True)
class NewToken:
    """A new token and its secret, which is shown only once."""

    token: Token
    secret: str


def list_tokens(context: Context, principal: Principal) -> list[Token]:
    """Return all tokens, oldest first."""
    principal.require(TokenScope.ADMIN)
    return context.tokens.listed()


def create_token(
    context: Context, principal: Principal, *, tenant: str | None, scopes: frozenset[TokenScope], label: str = "",
    days: int | None = None,
) -> NewToken:  # fmt: skip
    """Create a token for a tenant or for the house. It expires after ``days``, or never."""
    principal.require(TokenScope.ADMIN)
    if tenant is not None:
        checked_slug(tenant, "tenant")
    if not scopes:
        raise Problem(422, f"scopes: give at least one of {', '.join(TokenScope)}.")
    if tenant is not None and TokenScope.ADMIN in scopes:
        raise Problem(422, "scopes: 'admin' is for tokens of the house: leave the tenant out, or the scope.")
    if len(label) > LONGEST_LABEL:
        raise Problem(422, f"label: give {LONGEST_LABEL} letters at the most.")
    checked_fact(label, "label")
    if days is not None and not 1 <= days <= LONGEST_TOKEN_DAYS:
        raise Problem(
            422, f"days: {days} is out of range. Give 1 to {LONGEST_TOKEN_DAYS}, or nothing: it never expires."
        )
    context.check_room()
    expires = None if days is None else now() + timedelta(days=days)
    new_token = NewToken(*context.tokens.create(tenant, scopes, label, expires))
    context.note(principal, "create token", new_token.token.id, f"{tenant or 'the house'}: {', '.join(sorted(scopes))}")
    return new_token


def revoke_token(context: Context, principal: Principal, id_: str) -> None:
    """Revoke a token. A token cannot revoke itself, so that one admin token remains."""
    principal.require(TokenScope.ADMIN)
    if id_ == principal.token_id:
        raise Problem(409, "A token cannot revoke itself. Use another admin token.")
    context.make_room()
    if not context.tokens.revoke(id_):
        raise missing("The token")
    context.note(principal, "revoke token", id_)


def read_audit_log(
    context: Context, principal: Principal, *, after: int | None = None, limit: int = 50
) -> list[AuditLine]:
    """Return entries of the audit log, newest first."""
    principal.require(TokenScope.ADMIN)
    return context.audit.listed(None, after, max(1, min(limit, LARGEST_PAGE)), everyone=True)


# Rows that are read at a time.
BATCH = 2000


@dataclass(frozen=True, slots=True)
class TenantUsage:
    """Documents of one tenant; None is the house. ``bytes`` are those of documents, ``job_bytes`` those of uploads and
    results of jobs, and of uploads that wait for their comparison; ``quota`` limits both together, and is null if
    nothing does."""

    tenant: str | None
    documents: int
    symbols: int
    fingerprints: int
    bytes: int
    job_bytes: int
    quota: int | None


@dataclass(frozen=True, slots=True)
class Usage:
    """All that is stored. ``pending_purges`` counts deleted documents of which something may be left yet."""

    documents: int
    postings: int
    segments: int
    bytes: int
    jobs: dict[JobState, int]
    pending_purges: int
    tenants: tuple[TenantUsage, ...]


def measure_usage(context: Context, principal: Principal) -> Usage:
    """Count documents by owner. Reads every row: seconds for a hundred thousand documents."""
    principal.require(TokenScope.ADMIN)
    documents: Counter[str | None] = Counter()
    symbols: Counter[str | None] = Counter()
    fingerprints: Counter[str | None] = Counter()
    with context.opened() as index, index.reading():
        stats, after = index.stats(), 0
        while page := index.page_by_number(after, BATCH):
            for entry in page:
                documents[entry.owner] += 1
                symbols[entry.owner] += entry.symbols
                fingerprints[entry.owner] += entry.fingerprints
            after = page[-1].id
        sizes = index.bytes_by_tenant()
    job_sizes = context.job_bytes_by_tenant()
    tenants = sorted({*documents, *(name for name, size in job_sizes.items() if size)}, key=lambda name: name or "")
    by_tenant = tuple(
        TenantUsage(
            name, documents[name], symbols[name], fingerprints[name], sizes.get(name, 0), job_sizes.get(name, 0),
            None if name is None else context.settings.quota,
        )
        for name in tenants
    )  # fmt: skip
    pending = len(context.receipts.pending())
    return Usage(
        stats.documents, stats.postings, stats.segments, stats.bytes, context.jobs.counts(), pending, by_tenant
    )


# Bytes of a packed export that stay in memory.
IN_MEMORY = 4 << 20


def export_person(context: Context, principal: Principal, person: str) -> IO[bytes]:
    """Return an archive, at its beginning: ``documents.jsonl``, ``texts/<id>.txt``, ``audit.jsonl``,
    ``receipts.jsonl``, ``jobs.jsonl``, the results of these jobs, and ``jobs/<id>/submissions.json`` of each
    comparison of others in which the person has a submission, compared or skipped. The caller closes it."""
    principal.require(TokenScope.ADMIN)
    _check_person(person)
    export: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the caller closes it
    try:
        if not _filled(context, principal, person, export):
            raise _nothing_about_them()
    except BaseException:
        export.close()
        raise
    context.note(principal, "export person", "", person)
    export.seek(0)
    return export


def _nothing_about_them() -> Problem:
    return Problem(404, "Nothing about this person is stored. Give the name exactly as it is stored with documents.")


def _check_person(person: str) -> None:
    """Refuse an empty name: submissions without a person in the roster have it."""
    checked_fact(person, "person")
    if not person.strip():
        raise Problem(422, "person: give a name. It is empty.")


def _filled(context: Context, principal: Principal, person: str, export: IO[bytes]) -> bool:
    """Write the archive; return whether there was any data."""
    with zipfile.ZipFile(export, "w", zipfile.ZIP_DEFLATED) as archive:
        with context.opened() as index, index.reading():
            documents = list(_documents(index, person, archive))
        lines = [asdict(line) for line in context.audit.about(person)]
        receipts = [asdict(each) for each in context.receipts.listed(person, limit=1 << 30)]
        jobs = [asdict(each) for each in context.jobs.listed(person, limit=1 << 30)]
        for job in jobs:
            for path in sorted(context.jobs.results(job["id"]).glob("*.json")):
                with suppress(FileNotFoundError):  # its job was deleted meanwhile
                    archive.write(path, f"jobs/{job['id']}/{path.name}")
        compared = {job.id: submissions for job, submissions in _comparisons_with(context, person)}
        for id_, submissions in compared.items():
            archive.writestr(f"jobs/{id_}/submissions.json", json.dumps(submissions))  # null if it is damaged
        for name, rows in (("documents", documents), ("audit", lines), ("receipts", receipts), ("jobs", jobs)):
            archive.writestr(f"{name}.jsonl", _rows(rows))
    return bool(documents or lines or receipts or jobs or any(compared.values()))


def _documents(index: TenantIndex, person: str, archive: zipfile.ZipFile) -> Iterator[dict[str, Any]]:
    for entry in _entries_of(index, person):
        text = index.text_of(entry)
        if text is not None:
            archive.writestr(f"texts/{entry.id}.txt", text.encode("utf-8", "surrogatepass"))
        yield asdict(stored_document(entry))


def _entries_of(index: TenantIndex, person: str) -> Iterator[Entry]:
    """Yield the documents that a person owns or is the contact of."""
    after = 0
    while page := index.page_by_number(after, BATCH):
        yield from (entry for entry in page if person in (entry.owner, entry.contact))
        after = page[-1].id


def _comparisons_with(context: Context, person: str) -> Iterator[tuple[ServiceJob, list[dict[str, Any]] | None]]:
    """Yield comparisons that are done, whosever they are, with the submissions of a person in them; None for those
    whose result is damaged, because they may have some."""
    for job in context.jobs.listed(None, limit=1 << 30, everyone=True):
        path = context.jobs.results(job.id) / RESULTS["compare"]
        if job.state is JobState.DONE and path.is_file():
            try:
                context.jobs.check_result(job.id, path.resolve())
            except DamageError:
                yield job, None
                continue
            submissions = _submissions_of(json.loads(path.read_bytes()), person)
            if submissions:
                yield job, submissions


def _submissions_of(result: dict[str, Any], person: str) -> list[dict[str, Any]]:
    """Return the submissions of a person in a comparison: by the roster, or by their names. Files that were skipped
    count as well: the result names them."""
    own = person.casefold()
    compared = [
        each
        for each in result["submissions"]
        if own in {*_names_of(each["name"]), (each.get("person") or "").casefold()}
    ]
    return compared + [each for each in result.get("skipped", ()) if own in _names_of(_owner_of(each))]


def _owner_of(skipped: dict[str, Any]) -> str:
    """Return the submission of a skipped file; of one that belongs to none, the first part of its name. An older Whorl
    named no submissions."""
    return str(skipped.get("submission") or re.split(r"[/\\]", skipped["file"])[0])


def _names_of(submission: str) -> set[str]:
    """Return the names that a submission is asked for by: with and without its ending, such as .pdf or .tar.gz."""
    name = submission.casefold()
    stem = PurePath(name).stem
    return {name, stem, stem.removesuffix(".tar")}


def _rows(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, default=str)}\n" for row in rows)


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erased person: the documents that were deleted, each of which has a receipt, and the jobs whose results were
    deleted. ``unfinished`` jobs were not searched: ask again when they are over."""

    documents: tuple[int, ...]
    jobs: tuple[str, ...]
    unfinished: tuple[str, ...]


def erase_person(context: Context, principal: Principal, person: str) -> Erasure:
    """Delete the documents that a person owns or is the contact of, the results of their jobs, and the results of all
    comparisons in which they have a submission. The audit log gets a hash of the name.

    A result is deleted as a whole: the pages of a comparison cannot be made again without the uploads.
    """
    principal.require(TokenScope.ADMIN)
    _check_person(person)
    jobs = context.jobs.listed(None, limit=1 << 30, everyone=True)
    unfinished = tuple(job.id for job in jobs if not job.state.is_over)
    with context.opened() as index, index.reading():
        entries = list(_entries_of(index, person))
    of_person = [job.id for job in jobs if job.tenant == person and job.state.is_over]
    results = tuple(dict.fromkeys([*of_person, *(job.id for job, _ in _comparisons_with(context, person))]))
    if not entries and not results:
        raise _nothing_about_them()
    for entry in entries:
        context.make_room()
        context.writer.remove(entry)
        context.quota.freed()
    context.make_room()
    for id_ in results:
        context.jobs.forget_result(id_)
    detail = f"{len(entries)} documents, {len(results)} results of jobs"
    context.note(principal, "erase person", f"sha256 {name_sha256(person)}", detail)
    return Erasure(tuple(entry.id for entry in entries), results, unfinished)
