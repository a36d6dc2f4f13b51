import asyncio
import io
import json
import os
import zipfile
from typing import IO, Any

import pytest
from anyio.from_thread import start_blocking_portal

from tests.service.harness import PATIENCE, Running, over, prose, settings_in
from whorl.service import job_requests
from whorl.service.app import api_of
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.problems import PROBLEM_MEDIA, Problem
from whorl.storage.folder import size_of


@pytest.fixture
def acme(service: Running):
    with service.client(service.acme) as client:
        yield client


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def test_a_class_in_a_zip_becomes_a_report(acme) -> None:
    own = {name: prose(200 + number) for number, name in enumerate(("ann", "ben", "cem"))}
    own["ben"] += " " + own["ann"][:1500]
    given = prose(210)
    archive = zipped({f"{name}/essay.txt": f"{given} {text}".encode() for name, text in own.items()})
    files = [("submissions", ("class.zip", archive)), ("base", ("task.txt", given.encode()))]
    answer = acme.post("/comparisons", files=files, data={"title": "A <b>class</b>", "threshold": "0.1"})
    assert answer.status_code == 202
    job = answer.json()["id"]
    assert answer.headers["location"] == f"/api/v1/jobs/{job}"
    assert over(acme, job)["state"] == "done"
    found = acme.get(f"/jobs/{job}/result").json()
    assert [sorted((pair["left"], pair["right"])) for pair in found["pairs"]] == [["ann", "ben"]]
    page = acme.get(f"/jobs/{job}/report/index.html")
    assert page.headers["content-type"].startswith("text/html")
    assert "A <b>class" not in page.text
    with zipfile.ZipFile(io.BytesIO(acme.get(f"/jobs/{job}/report.zip").content)) as report:
        assert "report/index.html" in report.namelist()


def test_names_can_be_hidden(acme) -> None:
    files = [("submissions", (f"{name}.txt", prose(220).encode())) for name in ("ursula", "viktor")]
    job = acme.post("/comparisons", files=files, data={"anonymous": "true"}).json()["id"]
    assert over(acme, job)["state"] == "done"
    for result in (acme.get(f"/jobs/{job}/result").text, acme.get(f"/jobs/{job}/report/index.html").text):
        assert "ursula" not in result
        assert "viktor" not in result


def test_progress_is_reported_until_the_end(acme) -> None:
    job = acme.post("/clusters", json={}).json()["id"]
    with acme.stream("GET", f"/jobs/{job}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line]
    assert lines[-2] == "event: end"
    assert json.loads(lines[-1].removeprefix("data: "))["id"] == job


def test_a_job_can_be_cancelled(service: Running, acme) -> None:
    # One runs at a time, so that the last one waits.
    jobs = [acme.post("/clusters", json={}).json()["id"] for _ in range(3)]
    last = acme.delete(f"/jobs/{jobs[-1]}").json()
    assert last["state"] in ("cancelled", "done")
    for job in jobs:
        over(acme, job)
    assert acme.get(f"/jobs/{jobs[-1]}").json()["state"] == last["state"]
    if last["state"] == "cancelled":
        assert acme.get(f"/jobs/{jobs[-1]}/result").status_code == 409


def test_a_comparison_without_files_says_how_to_send_some(acme) -> None:
    forgotten = acme.post("/comparisons", files={"submissions": (None, "class.zip")})
    assert forgotten.json()["detail"] == "submissions: this is a text. Send a file, such as -F submissions=@essay.txt."
    for part in ((None, ""), ("", b"")):
        nothing = acme.post("/comparisons", files={"submissions": part})
        assert nothing.status_code == 422
        assert "such as -F submissions=@class.zip" in nothing.json()["detail"]


def test_skipped_files_are_counted_and_not_their_records(acme) -> None:
    files = {f"{name}/essay.txt": prose(seed).encode() for seed, name in enumerate("ab")}
    files |= {f"a/__pycache__/{number}.pyc": b"x" for number in range(4)}
    made = acme.post("/comparisons", files={"submissions": ("class.zip", zipped(files))}, data={"scheme": "text"})
    job = over(acme, made.json()["id"])
    assert len(acme.get(f"/jobs/{job['id']}/result").json()["skipped"]) == 1
    assert job["result"]["skipped"] == 4


def test_a_stream_that_is_asked_for_by_head_ends(acme) -> None:
    job = over(acme, acme.post("/clusters", json={}).json()["id"])["id"]
    assert acme.head(f"/jobs/{job}/events").headers["content-type"].startswith("text/event-stream")
    assert acme.get("/health").status_code == 200


def test_jobs_are_listed_the_newest_first(acme) -> None:
    made = [acme.post("/clusters", json={}).json()["id"] for _ in range(2)]
    first = acme.get("/jobs", params={"limit": 1}).json()
    assert [job["id"] for job in first["jobs"]] == made[:0:-1]
    then = acme.get("/jobs", params={"limit": 1, "after": first["after"]}).json()
    assert [job["id"] for job in then["jobs"]] == made[:1]
    for job in made:
        over(acme, job)


@pytest.mark.parametrize(
    "path",
    [
        "..%2f..%2fcomparison.json", "%2e%2e/%2e%2e/log", "..%2f..%2f..%2f..%2fservice.sqlite", "%2fetc%2fpasswd",
        "....//....//log", "..\\..\\log", "%00", "pair/../../comparison.json", "%5c..%5clog", "a" * 3000,
    ],
)  # fmt: skip
def test_no_path_leads_out_of_a_report(service: Running, finished, acme, path) -> None:
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", service.port, timeout=30)
    headers = {"Authorization": f"Bearer {service.acme}"}
    connection.request("GET", f"/api/v1/jobs/{finished}/report/{path}", headers=headers)
    answer = connection.getresponse()
    assert answer.status in (400, 404)
    assert b"SQLite" not in answer.read()
    connection.close()


@pytest.fixture(scope="module")
def finished(service: Running) -> str:
    with service.client(service.acme) as acme:
        files = [("submissions", (f"{name}.txt", prose(230).encode())) for name in "ab"]
        job = acme.post("/comparisons", files=files).json()["id"]
        assert over(acme, job)["state"] == "done"
        return str(job)


def test_a_result_names_uploads_and_not_paths_of_the_server(service: Running, acme) -> None:
    texts = {name: prose(240 + number).encode() for number, name in enumerate("abcd")}
    one_archive = [("submissions", ("class.zip", zipped({f"{name}/x.txt": text for name, text in texts.items()})))]
    files = [("submissions", (f"{name}.txt", texts[name])) for name in "ab"] + [
        ("submissions", ("f/c.txt", texts["c"]))
    ]
    others = [("base", ("task.txt", prose(250).encode())), ("archive", ("2025/d.txt", texts["d"]))]
    names = {"base": ["task.txt"], "archive": ["2025/d.txt"]}
    nothing: dict[str, list[str]] = {"paths": [], "base": [], "archive": []}
    for uploads, data, expected in (
        ([*one_archive, *others], {}, {"paths": ["class.zip"], **names}),
        ([*files, *others], {}, {"paths": ["a.txt", "b.txt", "f/c.txt"], **names}),
        ([*files, *others], {"anonymous": "true"}, nothing),
    ):
        job = acme.post("/comparisons", files=uploads, data=data).json()["id"]
        assert over(acme, job)["state"] == "done"
        run = acme.get(f"/jobs/{job}/result").json()["run"]
        assert {key: run[key] for key in expected} == expected
        with zipfile.ZipFile(io.BytesIO(acme.get(f"/jobs/{job}/report.zip").content)) as report:
            texts_of_pages = b"".join(map(report.read, report.namelist())).decode()
        for secret in (service.context.settings.index.name + "/", "/input/", job):
            assert secret not in texts_of_pages


@pytest.mark.parametrize("path", ["result", "report.zip", "report/index.html"])
def test_a_part_of_a_result_is_sent_or_refused_as_documented(finished, acme, path) -> None:
    address = f"/jobs/{finished}/{path}"
    whole = acme.get(address).content
    for wanted, status in (("bytes=1-4", 206), ("bytes=0-0,3-4", 206), (f"bytes={len(whole)}-", 416), ("x", 400)):
        answer = acme.get(address, headers={"Range": wanted})
        assert answer.status_code == status
        documented = api_of("test").openapi()["paths"]["/api/v1/jobs/{job}/result"]["get"]["responses"][str(status)]
        media = answer.headers["content-type"].partition(";")[0]
        assert media in documented["content"] or path != "result"
        if status >= 400:
            assert (media, answer.json()["status"]) == (PROBLEM_MEDIA, status)
    assert acme.get(address, headers={"Range": "bytes=1-4"}).content == whole[1:5]
    assert (
        acme.get(address, headers={"Range": f"bytes={len(whole)}-"}).headers["content-range"] == f"bytes */{len(whole)}"
    )


@pytest.mark.parametrize("name", ["../../evil.txt", "/etc/evil", "a/../../b", "..\\..\\evil", ".."])
def test_no_upload_is_written_outside_its_folder(service: Running, acme, name) -> None:
    files = [("submissions", (name, b"x" * 100)), ("submissions", ("other.txt", b"y"))]
    answer = acme.post("/comparisons", files=files)
    assert answer.status_code == 422
    written = [name for _, _, names in os.walk(service.context.settings.index.parent) for name in names]
    assert written
    assert not [name for name in written if "evil" in name]


def test_a_decompression_bomb_ends_its_job_and_nothing_else(service: Running, acme) -> None:
    bomb = zipped({"a/zeros.txt": b"\0" * (64 << 20), "b/zeros.txt": b" " * (64 << 20)})
    assert len(bomb) < 1 << 20
    job = acme.post("/comparisons", files=[("submissions", ("bomb.zip", bomb))]).json()["id"]
    ended = over(acme, job)
    assert ended["state"] in ("failed", "done")
    if ended["state"] == "done":
        assert ended["result"]["skipped"] >= 1
    assert size_of(service.context.jobs.folder(job)) < 4 << 20
    assert acme.get("/health").status_code == 200


def test_uploads_of_one_name_are_all_kept(acme) -> None:
    files = [("submissions", ("main.c", b"int main() { return %d; }" % number)) for number in range(3)]
    job = acme.post("/comparisons", files=files).json()["id"]
    assert over(acme, job)["result"]["submissions"] == 3


def test_a_result_can_be_deleted_with_all_names_in_it(service: Running) -> None:
    files = [("submissions", (f"secret-name-{name}.txt", prose(3).encode())) for name in "ab"]
    with service.client(service.acme) as acme:
        job = acme.post("/comparisons", files=files, data={"title": "secret title"}).json()["id"]
        assert acme.delete(f"/jobs/{job}/result").status_code in (200, 409)
        over(acme, job)
        assert acme.delete(f"/jobs/{job}/result").status_code == 200
        left = acme.get(f"/jobs/{job}")
        assert "secret" not in left.text
        assert acme.get(f"/jobs/{job}/result").status_code in (404, 409)
        assert acme.get(f"/jobs/{job}/report.zip").status_code == 404
        assert not service.context.jobs.folder(job).exists()


@pytest.fixture
def done(tmp_path):
    """A context, somebody, and the id of their comparison, which is done."""
    context = Context(settings_in(tmp_path))  # not started: nobody runs its jobs
    token, _ = context.tokens.create("acme", frozenset({TokenScope.COMPARE}), "test")
    job = context.jobs.submit("compare", "acme", token.id, {})
    context.jobs.claim()
    report = context.jobs.results(job.id) / "report"
    report.mkdir(parents=True)
    for path in (report / "index.html", report.parent / "comparison.json"):
        path.write_text('{"pairs": []}')
    context.jobs.finish(job.id, {})
    yield context, Principal.of(token, None, ""), job.id
    context.close()


def read(file: IO[bytes]) -> bytes:
    with file:
        return file.read()


def test_a_damaged_result_is_not_served(done, tmp_path):
    context, principal, job = done
    assert read(job_requests.report_file(context, principal, job, "")) == b'{"pairs": []}'
    (context.jobs.results(job) / "comparison.json").write_text('{"pairs": 1 }')
    with pytest.raises(Problem, match="Submit the job again") as damaged:
        job_requests.result_file(context, principal, job)
    assert (damaged.value.status, damaged.value.title) == (500, "The result is damaged")
    assert str(tmp_path) not in damaged.value.detail
    read(job_requests.report_file(context, principal, job, ""))  # only the damaged file is refused
    (context.jobs.folder(job) / "checksums.txt").write_text("")
    with pytest.raises(Problem, match="damaged"):
        job_requests.report_file(context, principal, job, "")


def test_a_result_that_is_deleted_while_it_is_read_is_sent_whole_or_missing(done, monkeypatch):
    context, principal, job = done
    file = job_requests.result_file(context, principal, job)
    check = context.jobs.check_result

    def deleted_first(id_, path):  # its row first, as forget_result does, and no more than one file yet
        context.database.write("UPDATE jobs SET result = NULL WHERE id = ?", id_)
        path.unlink()
        check(id_, path)

    monkeypatch.setattr(context.jobs, "check_result", deleted_first)
    with pytest.raises(Problem) as missing:
        job_requests.result_file(context, principal, job)
    assert missing.value.status == 404
    sent = list[dict[str, Any]]()

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("a file is sent without asking the client")

    with start_blocking_portal() as portal:
        scope: dict[str, Any] = {"type": "http", "method": "GET", "headers": [], "asgi": {"spec_version": "2.4"}}
        portal.call(job_requests.ResultResponse(file).__call__, scope, receive, send)
    assert b"".join(message.get("body", b"") for message in sent) == b'{"pairs": []}'
    assert (b"content-type", b"application/json") in sent[0]["headers"]
    assert file.closed


def test_a_stream_ends_with_its_token(tmp_path) -> None:
    context = Context(settings_in(tmp_path))  # not started: nobody runs its jobs

    async def streamed() -> list[bytes]:
        token, _ = context.tokens.create("acme", frozenset({TokenScope.COMPARE}), "short")
        job = context.jobs.submit("cluster", "acme", token.id, {})
        stream = await job_requests.follow(context, Principal.of(token, None, ""), job.id)
        first = await anext(stream)
        context.tokens.revoke(token.id)
        return [first, *[event async for event in stream]]

    try:
        with start_blocking_portal() as portal:  # a thread of its own: a browser's test may hold this one's event loop
            assert len(portal.call(asyncio.wait_for, streamed(), PATIENCE)) == 1
    finally:
        context.close()
