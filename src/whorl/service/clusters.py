"""Near-duplicates among a tenant's documents: a job, whose result lists the clusters."""

from whorl.service.desk import Desk
from whorl.service.jobs import Job
from whorl.service.naming import checked_slug
from whorl.service.principal import Principal
from whorl.service.problems import Problem
from whorl.service.queueing import submitted
from whorl.service.tokens import Scope

KIND = "cluster"


def submit(desk: Desk, principal: Principal, *, collection: str | None = None, threshold: float | None = None) -> Job:
    """Queue a clustering of a collection, or of all documents of the tenant; of everybody's, for an admin of the
    house."""
    principal.require(Scope.COMPARE)
    if collection is not None:
        checked_slug(collection, "collection")
    if threshold is not None and not 0 < threshold <= 1:
        raise Problem(422, f"threshold: {threshold} is out of range. Give a number above 0, up to 1.")
    everyone = principal.is_admin and principal.tenant is None and collection is None
    settings = {"collection": collection, "threshold": threshold, "everyone": everyone}
    job = submitted(lambda: desk.jobs.submit(KIND, principal.tenant, principal.token_id, settings))
    desk.note(principal, "cluster", job.id, collection or "")
    return job
