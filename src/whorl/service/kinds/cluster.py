"""Near-duplicates among the documents of a tenant, of one collection or of all."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from whorl.clustering.cluster import cluster
from whorl.clustering.result import Clustering, Member
from whorl.index.entry import Entry
from whorl.index.index import Index
from whorl.model import Document
from whorl.service.naming import HOUSE, place_of, prefix_of
from whorl.service.task import Task

# Settings of a job that are those of a clustering, too.
SETTINGS = ("measure", "threshold")

# Documents that are looked up at a time.
PAGE = 500


def run(task: Task) -> dict[str, Any]:
    """Cluster, and write ``clusters.json``: the clusters of more than one document, the largest first.

    Of the settings, ``collection`` None means all of the tenant's; who has the scope admin may ask for ``everyone``.
    """
    given = {name: task.settings[name] for name in SETTINGS if task.settings.get(name) is not None}
    with Index.open(task.index) as index:
        found = cluster(
            _documents(index, task),
            task.settings.get("scheme") or "pages",
            folder=task.scratch,
            progress=lambda step, done, total: task.progress(step, done, total),
            **given,
        )
        told = _told(found, index)
    (task.results / "clusters.json").write_text(json.dumps(told), "utf-8")
    return {"documents": len(found.members), "clusters": len(told["clusters"]), "skipped": len(found.skipped)}


def _documents(index: Index, task: Task) -> Iterator[Document]:
    """Documents under their numbers, which are their ids in the API. One that is removed meanwhile is left out."""
    for entry in _entries(index, task):
        if index.entry(entry.name) is not None:
            yield replace(index.document(entry.name), name=str(entry.id))


def _entries(index: Index, task: Task) -> Iterator[Entry]:
    tenant, collection = task.job.tenant, task.settings.get("collection")
    everyone = bool(task.settings.get("everyone"))
    prefix = "" if everyone else f"{tenant or HOUSE}/" if collection is None else prefix_of(tenant, collection)
    after = ""
    while page := index.page(prefix, after, PAGE):
        yield from (entry for entry in page if everyone or entry.owner == tenant)
        after = page[-1].name


def _told(found: Clustering, index: Index) -> dict[str, Any]:
    sizes = Counter(member.cluster for member in found.members)
    groups: dict[int, list[Member]] = {}
    for member in found.members:
        if sizes[member.cluster] > 1:
            groups.setdefault(member.cluster, []).append(member)
    largest = sorted(groups.values(), key=lambda members: (-len(members), int(members[0].representative)))
    return {
        "documents": len(found.members),
        "clusters": [_cluster(members, index) for members in largest],
        "skipped": [{"id": int(item.name), "reason": item.reason} for item in found.skipped],
    }


def _cluster(members: list[Member], index: Index) -> dict[str, Any]:
    return {"representative": int(members[0].representative), "members": [_member(each, index) for each in members]}


def _member(member: Member, index: Index) -> dict[str, Any]:
    entry = index.find(int(member.id))
    place = None if entry is None else place_of(entry)
    return {
        "id": int(member.id),
        "name": None if place is None else place.name,
        "collection": None if place is None else place.collection,
        "url": None if entry is None else entry.url,
        "similarity": member.similarity,
        "kind": member.kind,
    }
