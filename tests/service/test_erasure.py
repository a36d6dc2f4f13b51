"""Names of people and documents vanish from results of jobs, too."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from tests.service.harness import prose, settings_in
from whorl.index.index import Index
from whorl.model import Document
from whorl.service import administration, documents
from whorl.service.analysis_jobs import run_clustering
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.jobs import JobProgress, Task
from whorl.service.problems import Problem
from whorl.service.retention import run_purge
from whorl.service.workspace import CLUSTERS

SECRET = "confession-of-anna.txt"
URL = "https://example.org/anna"


@pytest.fixture
def context(tmp_path):
    context = Context(settings_in(tmp_path))  # not started: the tests run the jobs
    yield context
    context.close()


@pytest.fixture
def admin(context) -> Principal:
    return Principal.of(context.tokens.create(None, frozenset({TokenScope.ADMIN}), "admin")[0], None, "")


def task_of(context, kind, tenant=None, settings=None):
    """A job that is running."""
    job = context.jobs.submit(kind, tenant, None, settings or {})
    while context.jobs.get(job.id).state != "running":
        context.jobs.claim()
    inputs, results, scratch = context.jobs.inputs(job.id), context.jobs.results(job.id), context.jobs.scratch(job.id)
    for folder in (inputs, results, scratch):
        folder.mkdir(exist_ok=True)
    progress = JobProgress(context.jobs, job.id)
    return Task(context.settings.index, job, inputs, results, scratch, progress, context.database)


def add_twins(context, admin) -> list[int]:
    """Add two documents with nearly the same text, and give their numbers."""
    new = [
        documents.NewDocument(name=SECRET, content=prose(1), url=URL, contact="anna"),
        documents.NewDocument(name="twin.txt", content=prose(1) + " and more"),
    ]
    return [documents.add_document(context, admin, each).document.id for each in new]


def clustered(context):
    task = task_of(context, "cluster", settings={"everyone": True})
    return task, run_clustering(task)


def purge(context):
    task = task_of(context, "purge")
    context.jobs.finish(task.job.id, run_purge(task))


def members(context, id_):
    result = json.loads((context.jobs.results(id_) / CLUSTERS).read_bytes())
    return {each["id"]: (each["name"], each["collection"], each["url"]) for each in result["clusters"][0]["members"]}


def names_left(context) -> list[str]:
    """Files of jobs with the name or the URL of the deleted document."""
    files = (path for path in (context.settings.index / "jobs").rglob("*") if path.is_file())
    return [path.name for path in files if any(each.encode() in path.read_bytes() for each in (SECRET, URL))]


def test_a_purge_takes_a_deleted_document_out_of_clusterings(context, admin) -> None:
    first, second = add_twins(context, admin)
    task, result = clustered(context)
    context.jobs.finish(task.job.id, result)
    assert members(context, task.job.id) == {first: (SECRET, "main", URL), second: ("twin.txt", "main", None)}
    documents.delete_document(context, admin, first)
    purge(context)
    assert members(context, task.job.id) == {first: (None, None, None), second: ("twin.txt", "main", None)}
    assert names_left(context) == []
    context.jobs.verify()  # the checksums are those of the new file
    evidence = context.receipts.get(first).evidence
    assert evidence["results"] == {"read": 1, "changed": 1}
    assert evidence["clean"]


def test_a_document_that_is_deleted_while_a_clustering_runs_is_not_in_its_result(context, admin) -> None:
    first, second = add_twins(context, admin)
    task, result = clustered(context)  # the names are written, and the job is not done yet
    documents.delete_document(context, admin, first)
    purge(context)
    assert names_left(context) == [CLUSTERS]
    context.jobs.finish(task.job.id, result)
    assert members(context, task.job.id)[first] == (None, None, None)
    assert members(context, task.job.id)[second][0] == "twin.txt"
    context.jobs.verify()


def test_a_damaged_clustering_goes_with_the_purge(context, admin) -> None:
    first, _ = add_twins(context, admin)
    task, result = clustered(context)
    context.jobs.finish(task.job.id, result)
    path = context.jobs.results(task.job.id) / CLUSTERS
    path.write_bytes(path.read_bytes().replace(b'"id": 1', b'"id": 7'))  # whose name this is, nobody knows
    documents.delete_document(context, admin, first)
    purge(context)
    assert not path.exists()
    assert names_left(context) == []


def comparison(context, tenant, *names, **result):
    """A comparison with these submissions that is done."""
    task = task_of(context, "compare", tenant)
    (task.results / "comparison.json").write_text(json.dumps({"submissions": names, **result}))
    (task.results / "report").mkdir()
    (task.results / "report" / "index.html").write_text("Anna")
    context.jobs.finish(task.job.id, {})
    return task.job.id


def test_a_person_is_erased_from_documents_and_comparisons(context, admin) -> None:
    first, second = add_twins(context, admin)
    people = {"name": "17", "person": "Anna"}, {"name": "anna.pdf"}, {"name": "annabel"}
    by_roster = comparison(context, "acme", people[0])
    by_name = comparison(context, "bolt", {"name": "max"}, people[1])
    of_another = comparison(context, "bolt", people[2])
    waiting = context.jobs.submit("compare", "acme", None, {}).id
    export = administration.export_person(context, admin, "anna")
    with zipfile.ZipFile(io.BytesIO(export.read())) as archive:
        assert json.loads(archive.read(f"jobs/{by_roster}/submissions.json")) == [people[0]]
        assert json.loads(archive.read(f"jobs/{by_name}/submissions.json")) == [people[1]]
        assert f"jobs/{of_another}/submissions.json" not in archive.namelist()
    export.close()
    erased = administration.erase_person(context, admin, "anna")
    assert erased == administration.Erasure((first,), (by_name, by_roster), (waiting,))
    assert not context.jobs.folder(by_roster).exists()
    assert not context.jobs.folder(by_name).exists()
    assert (context.jobs.results(of_another) / "report" / "index.html").exists()
    assert documents.get_receipt(context, admin, first).purged is None
    assert documents.get_document(context, admin, second).name == "twin.txt"
    line = context.audit.listed(None, limit=1, everyone=True)[0]
    assert (line.action, "anna" in f"{line.subject} {line.detail}") == ("erase person", False)
    with pytest.raises(Problem) as nothing:
        administration.erase_person(context, admin, "anna")
    assert nothing.value.status == 404


def skipped(submission: str, file: str) -> dict[str, object]:
    """A file that could not be compared, as the result of a comparison lists it."""
    return {"submission": submission, "file": file, "reason": "empty", "files": 1, "size": 0}


@pytest.mark.parametrize(
    ("person", "file"),
    [
        ("fritz", skipped("fritz.pdf", "fritz.pdf")),
        ("Carol.TXT", skipped("carol.txt", "carol.txt")),
        ("lena", skipped("lena.tar.gz", "lena.tar.gz/a.pdf")),
        ("hans", skipped("hans", "hans/essay.pdf")),
        ("ines", skipped("", "ines\\essay.txt")),
        ("karl", {"file": "karl/essay.pdf", "reason": "an older Whorl"}),
    ],
)
def test_a_person_whose_submission_was_skipped_is_exported_and_erased(context, admin, person, file) -> None:
    left_out = {"submissions": [{"name": "max"}], "skipped": [skipped("eve.pdf", "eve.pdf"), file]}
    id_ = comparison(context, "acme", **left_out)
    with administration.export_person(context, admin, person) as export, zipfile.ZipFile(export) as archive:
        assert json.loads(archive.read(f"jobs/{id_}/submissions.json")) == [file]
    assert administration.erase_person(context, admin, person).jobs == (id_,)
    assert not context.jobs.folder(id_).exists()


@pytest.mark.parametrize("person", ["dora", "dora.tar", "DORA.tar.gz"])
def test_a_person_is_found_by_the_name_of_an_archive(context, admin, person) -> None:
    id_ = comparison(context, "acme", {"name": "dora.tar.gz"})
    assert administration.erase_person(context, admin, person).jobs == (id_,)


def test_a_part_of_a_name_is_no_person(context, admin) -> None:
    comparison(context, "acme", {"name": "dora.smith.pdf"}, skipped=[skipped("", "")])
    for person in ("dora", "smith", "tar"):
        with pytest.raises(Problem, match="Nothing about this person is stored"):
            administration.erase_person(context, admin, person)


@pytest.mark.parametrize("person", ["", " "])
def test_nobody_has_an_empty_name(context, admin, person) -> None:
    id_ = comparison(context, "acme", {"name": "max"}, skipped=[skipped("", "")])
    with pytest.raises(Problem, match="give a name"):
        administration.erase_person(context, admin, person)
    with pytest.raises(Problem, match="give a name"):
        administration.export_person(context, admin, person)
    assert context.jobs.folder(id_).exists()


def test_a_result_that_goes_while_a_person_is_exported_is_left_out(context, admin) -> None:
    own = comparison(context, "acme", {"name": "max"})
    (context.jobs.results(own) / "gone.json").symlink_to("nowhere")  # listed, but not there when it is read
    with administration.export_person(context, admin, "acme") as export, zipfile.ZipFile(export) as archive:
        assert [name for name in archive.namelist() if own in name] == [f"jobs/{own}/comparison.json"]


def test_a_tenant_is_erased_with_the_results_of_its_jobs(context, admin) -> None:
    with Index.open(context.settings.index) as index:
        index.add(Document("acme/main/a", prose(3), owner="acme"))
    own, others = comparison(context, "acme", {"name": "max"}), comparison(context, "bolt", {"name": "eve"})
    erased = administration.erase_person(context, admin, "acme")
    assert (len(erased.documents), erased.jobs) == (1, (own,))
    assert context.jobs.results(others).exists()


def test_only_admins_erase(context, admin) -> None:
    with pytest.raises(Problem, match="admin"):
        administration.erase_person(context, replace(admin, scopes=frozenset({TokenScope.ADD})), "anna")
