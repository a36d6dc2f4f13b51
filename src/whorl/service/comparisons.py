"""Comparisons of a class: uploads become a job, whose result is the JSON of ``whorl compare`` and a report."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from whorl.frontends.detection import names as formats
from whorl.scheme import PRESETS
from whorl.service.desk import Desk
from whorl.service.jobs import Job
from whorl.service.naming import checked_fact
from whorl.service.principal import Principal
from whorl.service.problems import Problem
from whorl.service.queueing import submitted
from whorl.service.tokens import Scope
from whorl.service.uploads import Upload, keep

KIND = "compare"

# The scheme that the documents decide.
AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """How a class is compared: see ``whorl.comparison.settings``. ``anonymous`` gives everybody another name."""

    scheme: str = AUTO
    threshold: float | None = None
    limit: int | None = None
    anonymous: bool = False
    format: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is compared: files, or one archive of them; what everybody was given; and what is only compared with."""

    submissions: Sequence[Upload]
    base: Sequence[Upload] = ()
    archive: Sequence[Upload] = ()


def submit(desk: Desk, principal: Principal, batch: Batch, options: ComparisonOptions) -> Job:
    """Queue a comparison; it and its files are on the disk when this returns."""
    principal.require(Scope.COMPARE)
    _check(options)
    if not batch.submissions:
        raise Problem(422, "submissions: nothing to compare. Send the files, or one archive of them.")
    if len(batch.submissions) + len(batch.base) + len(batch.archive) > desk.settings.max_files:
        raise Problem(413, f"More than {desk.settings.max_files} files. Send one archive of them.")
    prepared = submitted(desk.jobs.prepare)
    try:
        for folder, uploads in (("submissions", batch.submissions), ("base", batch.base), ("archive", batch.archive)):
            keep(uploads, desk.jobs.inputs(prepared) / folder)
    except BaseException:
        desk.jobs.discard(prepared)
        raise
    job = submitted(lambda: desk.jobs.submit(KIND, principal.tenant, principal.token_id, asdict(options), prepared))
    desk.note(principal, "compare", job.id, f"{len(batch.submissions)} files")
    return job


def _check(options: ComparisonOptions) -> None:
    """Say at once what would fail the job later."""
    if options.scheme != AUTO and options.scheme not in PRESETS:
        raise Problem(422, f"scheme: {options.scheme[:80]!r} is unknown. Give one of {', '.join([AUTO, *PRESETS])}.")
    if options.threshold is not None and not 0 <= options.threshold <= 1:
        raise Problem(422, f"threshold: {options.threshold} is out of range. Give a number from 0 to 1.")
    if options.limit is not None and not 1 <= options.limit <= 10_000:
        raise Problem(422, f"limit: {options.limit} is out of range. Give a number of pairs from 1 to 10,000.")
    if options.format is not None and options.format not in formats():
        raise Problem(422, f"format: {options.format[:80]!r} is unknown. 'whorl formats' lists them.")
    checked_fact(options.title, "title")
