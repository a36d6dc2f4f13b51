"""The jobs that clients submit: comparisons and clusterings. They run in the worker process."""

import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from whorl.clustering.cluster import cluster
from whorl.clustering.result import Clustering, ClusterMember
from whorl.comparison.compare import compare_all
from whorl.comparison.export import as_json
from whorl.comparison.result import Comparison, Run
from whorl.errors import InputError
from whorl.index.index import Index
from whorl.index.store import Entry
from whorl.model import Document
from whorl.report.write import write
from whorl.service.jobs import Task
from whorl.service.naming import prefix_of, qualified_name_of

# Settings of a job → those of a comparison.
COMPARISON_SETTINGS = {
    "threshold": "threshold",
    "measure": "measure",
    "limit": "limit",
    "cluster": "cluster",
    "max_share": "max_share",
    "anonymous": "anonymise",
    "format": "format",
    "layout": "layout",
}

# A title that tells nothing of anybody.
DEFAULT_TITLE = "Comparison of submissions"

# The date in archives of reports, so that the same report is the same file: the first that a zip file can hold.
_DATE = (1980, 1, 1, 0, 0, 0)


def run_comparison(task: Task) -> dict[str, Any]:
    """Compare, and write ``comparison.json``, ``report/`` and ``report.zip``."""
    settings = {
        theirs: task.settings[ours]
        for ours, theirs in COMPARISON_SETTINGS.items()
        if task.settings.get(ours) is not None
    }
    scheme, roster = task.settings.get("scheme"), task.inputs / "roster.csv"
    comparison = compare_all(
        _submissions(task.inputs / "submissions"),
        None if scheme in (None, "auto") else scheme,
        base=_children(task.inputs / "base"),
        archive=_children(task.inputs / "archive"),
        roster=roster if roster.is_file() else None,
        progress=task.progress,
        **settings,
    )
    _write(replace(comparison, run=_as_uploaded(comparison, task)), task)
    return {
        "submissions": len(comparison.submissions), "pairs": len(comparison.pairs), "omitted": comparison.omitted,
        "skipped": sum(each.files for each in comparison.skipped), "clusters": len(comparison.clusters),
    }  # fmt: skip


def _submissions(folder: Path) -> list[Path]:
    """Return the submissions: the one archive or folder that was uploaded, each child of which is a submission, or all
    uploads, each of which is one."""
    uploads = _children(folder)
    if not uploads:
        raise InputError("nothing to compare: upload the submissions as files or as one archive")
    return uploads if len(uploads) == 1 else [folder]


def _as_uploaded(comparison: Comparison, task: Task) -> Run | None:
    """Return the inputs of a comparison by the names of the uploads, without paths of the server. An anonymous result
    names none."""
    run, has_roster = comparison.run, (task.inputs / "roster.csv").is_file()
    if run is None or not run.paths:
        return run
    arranged = tuple(each.name for each in comparison.submissions if not each.archived)
    submissions, base, archive = (
        _names(task.inputs / name, numbered=has_roster) for name in ("submissions", "base", "archive")
    )
    return replace(run, paths=arranged if has_roster else submissions, base=base, archive=archive)


def _names(folder: Path, *, numbered: bool) -> tuple[str, ...]:
    """Return the names of uploads. With a roster, each is in a ``numbered`` folder."""
    files = (path.relative_to(folder).parts for path in folder.rglob("*") if path.is_file())
    return tuple(sorted("/".join(parts[numbered:]) for parts in files))


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _write(comparison: Comparison, task: Task) -> None:
    (task.results / "comparison.json").write_text(json.dumps(as_json(comparison)), "utf-8")
    report = task.results / "report"
    title = task.settings.get("title") or DEFAULT_TITLE
    write(comparison, report, title=title, progress=partial(task.progress, "report"))
    task.progress("packing", 0, None)
    _pack(report, task.results / "report.zip")


def _pack(folder: Path, target: Path) -> None:
    """Pack a folder into a zip file."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", _DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, path.read_bytes())


# Settings of a job that are those of a clustering, too.
CLUSTERING_SETTINGS = ("measure", "threshold")

# Documents that are looked up at a time.
PAGE = 500


def run_clustering(task: Task) -> dict[str, Any]:
    """Cluster, and write ``clusters.json``: the clusters of more than one document, the largest first.

    Of the settings, ``collection`` None means all of the tenant's; who has the scope admin may ask for ``everyone``.
    """
    settings = {name: task.settings[name] for name in CLUSTERING_SETTINGS if task.settings.get(name) is not None}
    with Index.open(task.index) as index:
        clustering = cluster(
            _documents(index, task),
            task.settings.get("scheme") or "pages",
            folder=task.scratch,
            progress=lambda step, done, total: task.progress(step, done, total),
            **settings,
        )
        result = _result(clustering, index)
    (task.results / "clusters.json").write_text(json.dumps(result), "utf-8")
    return {
        "documents": len(clustering.members),
        "clusters": len(result["clusters"]),
        "skipped": len(clustering.skipped),
    }


def _documents(index: Index, task: Task) -> Iterator[Document]:
    """Documents under their numbers, which are their ids in the API. One that is removed meanwhile is left out."""
    for entry in _entries(index, task):
        if index.entry(entry.name) is not None:
            yield replace(index.document(entry.name), name=str(entry.id))


def _entries(index: Index, task: Task) -> Iterator[Entry]:
    """Return what is clustered: of a collection, of a tenant or of everyone. The command line gives any name to a
    tenant's document, so without a collection all names are looked through."""
    tenant, collection = task.job.tenant, task.settings.get("collection")
    everyone = bool(task.settings.get("everyone"))
    prefix = "" if everyone or collection is None else prefix_of(tenant, collection)
    after = ""
    while page := index.page(prefix, after, PAGE):
        yield from (entry for entry in page if everyone or entry.owner == tenant)
        after = page[-1].name


def _result(clustering: Clustering, index: Index) -> dict[str, Any]:
    sizes = Counter(member.cluster for member in clustering.members)
    groups: dict[int, list[ClusterMember]] = {}
    for member in clustering.members:
        if sizes[member.cluster] > 1:
            groups.setdefault(member.cluster, []).append(member)
    largest = sorted(groups.values(), key=lambda members: (-len(members), int(members[0].representative)))
    return {
        "documents": len(clustering.members),
        "clusters": [_cluster(members, index) for members in largest],
        "skipped": [{"id": int(item.name), "reason": item.reason} for item in clustering.skipped],
    }


def _cluster(members: list[ClusterMember], index: Index) -> dict[str, Any]:
    return {"representative": int(members[0].representative), "members": [_member(each, index) for each in members]}


def _member(member: ClusterMember, index: Index) -> dict[str, Any]:
    entry = index.find(int(member.id))
    place = None if entry is None else qualified_name_of(entry)
    return {
        "id": int(member.id),
        "name": None if place is None else place.name,
        "collection": None if place is None else place.collection,
        "url": None if entry is None else entry.url,
        "similarity": member.similarity,
        "kind": member.kind,
    }
