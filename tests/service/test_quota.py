"""Bytes that a tenant may store."""

import io

import pytest

from tests.service.harness import prose, settings_in
from whorl.index.index import Index
from whorl.model import Document
from whorl.service import administration, documents, job_requests
from whorl.service.admission import COUNTED_AGAIN, COUNTED_FOR_REFUSAL, StorageQuota
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.documents import NewDocument
from whorl.service.job_requests import ComparisonOptions, ComparisonUploads
from whorl.service.naming import Upload
from whorl.service.problems import Problem
from whorl.service.settings import ServiceSettings, ServiceSettingsError

QUOTA = 20_000


@pytest.fixture
def context(tmp_path):
    context = Context(settings_in(tmp_path, quota=QUOTA))  # not started: nobody runs its jobs
    yield context
    context.close()


def principal(context, tenant="acme", *scopes) -> Principal:
    scopes = scopes or (TokenScope.ADD, TokenScope.SEARCH, TokenScope.COMPARE)
    return Principal.of(context.tokens.create(tenant, frozenset(scopes), "test")[0], None, "")


def fill(context, tenant) -> list[int]:
    """Add documents until the quota is used up; give their numbers."""
    numbers: list[int] = []

    def add_all() -> None:
        for number in range(QUOTA):
            new = NewDocument(name=f"{number}.txt", content=prose(number))
            numbers.append(documents.add_document(context, tenant, new).document.id)

    with pytest.raises(Problem, match="Delete documents or results of jobs") as refused:
        add_all()
    assert (refused.value.status, refused.value.title) == (413, "The quota is used up")
    return numbers


def usage(context, tenant):
    found = administration.measure_usage(context, principal(context, None, TokenScope.ADMIN))
    return next(each for each in found.tenants if each.tenant == tenant)


def test_a_tenant_stores_no_more_than_its_quota_and_deleting_makes_room(context) -> None:
    acme = principal(context)
    numbers = fill(context, acme)
    stored = usage(context, "acme")
    assert (stored.quota, stored.job_bytes) == (QUOTA, 0)
    assert QUOTA - 2 * stored.bytes / stored.documents < stored.bytes <= QUOTA
    documents.delete_document(context, acme, numbers[0])
    documents.add_document(context, acme, NewDocument(name="after.txt", content=prose(0)))
    with pytest.raises(Problem, match="stores"):
        documents.add_document(context, acme, NewDocument(name="too much.txt", content=prose(99)))


def test_a_quota_is_nobody_elses(context) -> None:
    fill(context, principal(context))
    for other in (principal(context, "bolt"), principal(context, None)):
        documents.add_document(context, other, NewDocument(name="one.txt", content=prose(1)))


def test_a_document_that_is_replaced_counts_once(context) -> None:
    acme = principal(context)
    for number in range(60):
        documents.add_document(context, acme, NewDocument(name="same.txt", content=prose(number)))
    assert usage(context, "acme").documents == 1


def batch(size: int) -> ComparisonUploads:
    return ComparisonUploads(submissions=[Upload(f"{name}.txt", io.BytesIO(b"x" * (size // 2))) for name in "ab"])


def test_labels_and_other_facts_count(context) -> None:
    acme = principal(context)

    def add(name: str) -> None:
        facts = NewDocument(
            name=name, content="hello", url="u" * 500, date="2026-01-01", contact="ä" * 250,
            labels=("l" * 1000, "ü" * 100),
        )  # fmt: skip
        documents.add_document(context, acme, facts)

    for number in range(7):
        add(f"{number}.txt")
    with pytest.raises(Problem, match="stores"):
        add("too much.txt")
    stored = usage(context, "acme")
    assert (stored.documents, stored.bytes > 0.8 * QUOTA) == (7, True)
    context.quota.freed()
    with pytest.raises(Problem, match="stores"):  # counted again
        add("too much.txt")


def test_what_a_document_will_count_is_what_it_counts(context) -> None:
    acme = principal(context)
    new = NewDocument(name="ä.txt", content=prose(1), url="http://ä.org", labels=("ü", "x"), contact="ö")
    documents.add_document(context, acme, new)
    assert usage(context, "acme").bytes == context.quota._documents["acme"] > 0


def test_uploads_and_results_of_jobs_count(context) -> None:
    acme, options = principal(context), ComparisonOptions()
    with pytest.raises(Problem, match="this needs"):
        job_requests.submit_comparison(context, acme, batch(2 * QUOTA), options)
    assert list((context.settings.index / "jobs").iterdir()) == []
    job = job_requests.submit_comparison(context, acme, batch(QUOTA - 1000), options)
    assert usage(context, "acme").job_bytes == QUOTA - 1000
    with pytest.raises(Problem, match="stores"):
        job_requests.submit_comparison(context, acme, batch(2000), options)
    context.jobs.claim()
    context.jobs.results(job.id).mkdir()
    (context.jobs.results(job.id) / "comparison.json").write_bytes(b"y" * (QUOTA + 1))
    context.jobs.finish(job.id, {})
    assert usage(context, "acme").job_bytes == QUOTA + 1
    with pytest.raises(Problem, match="stores"):
        job_requests.submit_clustering(context, acme)
    job_requests.forget_result(context, acme, job.id)
    assert context.jobs.bytes_of("acme") == 0
    job_requests.submit_clustering(context, acme)


def test_jobs_of_an_older_version_are_measured_at_the_start(context) -> None:
    acme = principal(context)
    job_requests.submit_comparison(context, acme, batch(3000), ComparisonOptions())
    context.database.write("DELETE FROM job_sizes")
    assert context.jobs.bytes_of("acme") == 0
    context.jobs.recover()
    assert context.jobs.bytes_of("acme") == 3000


def test_documents_of_the_command_line_count(context) -> None:
    with Index.open(context.settings.index) as index:
        index.add(Document("acme/main/large", prose(5, 4000), owner="acme"))
    with pytest.raises(Problem, match="stores"):
        documents.add_document(context, principal(context), NewDocument(name="one.txt", content=prose(1)))


def test_stored_bytes_are_counted_seldom() -> None:
    time, counts, sizes = [0.0], [0], {"acme": 90}

    def count():
        counts[0] += 1
        return sizes

    quota = StorageQuota(100, count, lambda tenant: 0, lambda: time[0])

    def add(size: int) -> bool:
        try:
            with quota.reserved("acme", size):
                return True
        except Problem:
            return False

    assert add(5)
    assert counts == [1]
    assert not add(20)
    assert not add(20)
    assert counts == [1]  # it was counted just now
    time[0] += COUNTED_FOR_REFUSAL + 1
    sizes["acme"] = 10  # a purge in another process
    assert add(20)
    assert add(20)
    assert counts == [2]
    sizes["acme"] = 0
    quota.freed()
    assert add(30)
    assert counts == [2]  # there was room anyway
    assert add(40)
    assert counts == [3]
    time[0] += COUNTED_AGAIN + 1
    assert add(1)
    assert counts == [4]


def test_what_fails_to_be_stored_does_not_count() -> None:
    quota = StorageQuota(100, dict, lambda tenant: 0)
    for _ in range(3):
        with pytest.raises(OSError, match="disk"), quota.reserved("acme", 60):
            raise OSError("disk")
    with quota.reserved("acme", 60), pytest.raises(Problem), quota.reserved("acme", 60):
        pass


def test_a_quota_is_above_zero(tmp_path) -> None:
    with pytest.raises(ServiceSettingsError, match="quota: 0"):
        ServiceSettings(index=tmp_path, quota=0)
