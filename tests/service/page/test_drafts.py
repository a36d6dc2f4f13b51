"""Uploads that wait for their comparison, and requests that reach for one at the same time."""

import io
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.harness import settings_in
from whorl.service import administration
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.job_requests import ComparisonOptions, ComparisonUploads, submit_comparison
from whorl.service.naming import Upload
from whorl.service.page import comparison
from whorl.service.page.comparison import ALL_JOBS, MOST, PATIENCE, begin, find, start
from whorl.service.problems import Problem


@pytest.fixture
def context(tmp_path):
    context = Context(settings_in(tmp_path))  # not started: nobody runs its jobs
    yield context
    context.close()


def somebody(context) -> Principal:
    return Principal.of(context.tokens.create("acme", frozenset({TokenScope.COMPARE}), "test")[0], None, "")


@pytest.fixture
def teacher(context) -> Principal:
    return somebody(context)


def hand_in(context, who):
    files = [Upload(f"{name}.txt", io.BytesIO(b"some text ")) for name in "abc"]
    return begin(context, who, ComparisonUploads(submissions=files))


def folders(context) -> int:
    return len(list((context.settings.index / "jobs").iterdir()))


def test_requests_at_once_make_room(context, teacher) -> None:
    with ThreadPoolExecutor(8) as windows:
        for _ in range(12):
            for draft in [windows.submit(hand_in, context, teacher) for _ in range(8)]:
                draft.result()
    hand_in(context, teacher)
    assert folders(context) == MOST


def test_a_draft_that_several_requests_start_becomes_one_job(context, teacher) -> None:
    draft, both = hand_in(context, teacher), threading.Barrier(4)

    def send() -> str:
        both.wait()
        return start(context, teacher, draft, frozenset(), ComparisonOptions())

    with ThreadPoolExecutor(4) as clicks:
        places = {sent.result() for sent in [clicks.submit(send) for _ in range(4)]}
    (job,) = context.jobs.listed("acme")
    assert {f"/jobs/{job.id}"} <= places <= {f"/jobs/{job.id}", ALL_JOBS}
    assert find(context, teacher, draft.id).address == f"/jobs/{job.id}"
    assert not context.jobs.inputs(draft.id).exists()
    with pytest.raises(Problem, match="kept for two hours"):
        find(context, somebody(context), draft.id)


def test_a_draft_is_as_it_was_if_its_comparison_is_refused(context, teacher) -> None:
    draft = hand_in(context, teacher)
    with pytest.raises(Problem, match="scheme"):
        start(context, teacher, draft, frozenset(), ComparisonOptions(scheme="nope"))
    assert find(context, teacher, draft.id) == draft
    assert start(context, teacher, draft, frozenset(), ComparisonOptions()).startswith("/jobs/")


def test_a_draft_that_is_being_submitted_is_not_removed(context, teacher, monkeypatch) -> None:
    draft = hand_in(context, teacher)

    def slow(*asked):
        for _ in range(MOST + 1):
            hand_in(context, teacher)
        assert find(context, teacher, draft.id).address == ALL_JOBS
        return submit_comparison(*asked)

    monkeypatch.setattr(comparison, "submit_comparison", slow)
    assert start(context, teacher, draft, frozenset(), ComparisonOptions()).startswith("/jobs/")


def test_nobody_waits_for_ever(context, teacher, monkeypatch) -> None:
    draft, kept = hand_in(context, teacher), hand_in(context, teacher)
    start(context, teacher, draft, frozenset(), ComparisonOptions())
    later = time.time() + PATIENCE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    new = hand_in(context, somebody(context))
    for gone in (draft, kept):
        assert not context.jobs.folder(gone.id).exists()
    assert context.jobs.folder(new.id).exists()
    assert folders(context) == 2  # the job and the new draft


QUOTA = 20_000


@pytest.fixture
def limited(tmp_path):
    context = Context(settings_in(tmp_path, quota=QUOTA))
    yield context
    context.close()


def large(context, who, name="class.txt"):
    files = [Upload(name, io.BytesIO(b"x" * (QUOTA * 6 // 10)))]
    return begin(context, who, ComparisonUploads(submissions=files))


def job_bytes(context) -> int:
    admin = Principal.of(context.tokens.create(None, frozenset({TokenScope.ADMIN}), "test")[0], None, "")
    tenants = {each.tenant: each.job_bytes for each in administration.measure_usage(context, admin).tenants}
    return tenants.get("acme", 0)


def test_drafts_count_for_the_quota(limited) -> None:
    teacher = somebody(limited)
    draft = large(limited, teacher)
    assert job_bytes(limited) == QUOTA * 6 // 10
    for who in (teacher, somebody(limited)):  # another token of the same tenant
        with pytest.raises(Problem, match="this needs") as refused:
            large(limited, who)
        assert refused.value.status == 413
    assert folders(limited) == 1
    with pytest.raises(Problem, match="scheme"):
        start(limited, teacher, draft, frozenset(), ComparisonOptions(scheme="nope"))
    assert job_bytes(limited) == QUOTA * 6 // 10
    start(limited, teacher, draft, frozenset(), ComparisonOptions())  # the upload is not counted twice
    assert job_bytes(limited) == QUOTA * 6 // 10


def test_drafts_that_are_gone_or_forgotten_do_not_count(limited, monkeypatch) -> None:
    teacher = somebody(limited)
    with pytest.raises(Problem, match="not a valid file name"):
        large(limited, teacher, "..")
    assert job_bytes(limited) == 0
    large(limited, teacher)
    later = time.monotonic() + PATIENCE + 1
    monkeypatch.setattr(limited.drafts, "_clock", lambda: later)
    assert job_bytes(limited) == 0
    large(limited, teacher)
    for _ in range(MOST + 1):
        hand_in(limited, teacher)
    assert job_bytes(limited) == MOST * 30


def archive(**files: str) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        for name, text in files.items():
            target.writestr(name, text)
    packed.seek(0)
    return packed


CLASS = {"anna/a.txt": "anna", "bert/a.txt": "bert", "template/a.txt": "starter"}


@pytest.mark.parametrize("template", [frozenset(), frozenset({2})], ids=["without starter code", "with"])
@pytest.mark.parametrize("name", ["hw1/hw.zip", "submissions/hw.zip", "n" * 194 + ".zip"])
def test_a_zip_file_with_folders_in_its_name_or_a_long_one_is_compared(context, teacher, name, template) -> None:
    draft = begin(context, teacher, ComparisonUploads(submissions=[Upload(name, archive(**CLASS))]))
    start(context, teacher, draft, template, ComparisonOptions())
    (job,) = context.jobs.listed("acme")
    inputs, plain = context.jobs.inputs(job.id), name.rpartition("/")[2]
    files = sorted(path.relative_to(inputs).as_posix() for path in inputs.rglob("*") if path.is_file())
    assert files == ([f"base/{plain}"] if template else []) + [f"submissions/{plain}"]
    with zipfile.ZipFile(inputs / "submissions" / plain) as submitted:
        assert submitted.namelist() == list(CLASS)[: 2 if template else 3]


def test_a_zip_file_whose_names_are_refused_is_not_called_empty(context, teacher) -> None:
    for files, reason in (({"anna\\a.txt": "x"}, "refused: a backslash in its name"), ({}, "the zip file is empty")):
        with pytest.raises(Problem, match=reason):
            begin(context, teacher, ComparisonUploads(submissions=[Upload("hw.zip", archive(**files))]))
    assert folders(context) == 0
