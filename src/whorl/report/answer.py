"""The answer to a question about clusters, as lines that a person reads on a terminal."""

from collections.abc import Iterator

from whorl.clustering.query import Answer, ClusteredDocument, ClusterOf
from whorl.report.visible import plain
from whorl.report.words import count, percent

# Members of a cluster that are shown: a screen of them. The JSON has all.
MEMBERS = 50


def answer_text(answer: Answer) -> str:
    """A block for each cluster, the members that were asked for marked with a star, then what is unknown."""
    lines = [line for cluster in answer.clusters for line in _cluster(cluster, answer)]
    lines += [f"unknown: {plain(name)}: no document has this id or URL" for name in answer.unknown]
    return "\n".join(lines)


def _cluster(cluster: ClusterOf, answer: Answer) -> Iterator[str]:
    names = ", ".join(map(plain, cluster.names))
    if len(cluster.members) == 1:
        yield f"{names}: alone; nothing in the collection is near it"
    else:
        size = count(len(cluster.members), "document")
        yield f"{names}: in a cluster of {size}, for which {plain(cluster.representative)} stands"
    asked = {document.id for name in cluster.names for document in answer.found[name]}
    # Who was asked for is shown whatever the size of the cluster, then the one that stands for it.
    ordered = sorted(cluster.members, key=lambda each: (each.id not in asked, each.id != cluster.representative))
    yield from _aligned([_cells(member, member.id in asked) for member in ordered[:MEMBERS]])
    if len(ordered) > MEMBERS:
        yield f"  and {len(ordered) - MEMBERS:,} more: --format json has them all"


def _cells(document: ClusteredDocument, asked: bool) -> tuple[str, ...]:
    facts = (document.date or "", document.id, document.url or "")
    return "*" if asked else "", percent(document.similarity), document.kind, *map(plain, facts)


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Rows of one width a column, but the last two: ids and URLs are long, and nothing follows them."""
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    for mark, similarity, kind, date, name, url in rows:
        cells = [mark.ljust(1), similarity.rjust(widths[1]), kind.ljust(widths[2]), date.ljust(widths[3]), name, url]
        yield ("  " + "  ".join(cell for cell, width in zip(cells, [*widths, 1, 1], strict=True) if width)).rstrip()
