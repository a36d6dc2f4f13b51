"""The first page: what was compared and how, the pairs, their scores, the graph, clusters, groups, what was skipped."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import floor
from typing import Any

from whorl._version import VERSION
from whorl.comparison.result import Comparison, Pair, Submission
from whorl.report import words
from whorl.report.graph import LABEL_COLOURS, graph
from whorl.report.histogram import histogram
from whorl.report.pages import DIGITS, page_name, render
from whorl.report.plots import labels, timeline
from whorl.report.visible import plain

# A cluster shows its strongest links; the table of pairs has them all.
LINKS_A_CLUSTER = 100

# What a browser without scripts lists instead of the table.
WITHOUT_SCRIPTS = 500

# Decimals of the shares in the page's data: finer than what is shown, so that sorting is not by rounding.
DECIMALS = 5


@dataclass(frozen=True, slots=True)
class Linked:
    """A pair with its number, its page and the names of its sides."""

    page: str
    left: Submission
    right: Submission
    pair: Pair


@dataclass(frozen=True, slots=True)
class ClusterView:
    """A cluster: its members, its strongest links, and how many more there are."""

    members: tuple[Submission, ...]
    links: tuple[Linked, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class GroupView:
    """Two people and their pairs."""

    left: str
    right: str
    score: float
    links: tuple[Linked, ...]


def overview(comparison: Comparison, title: str, made: datetime) -> str:
    """The page, whole."""
    numbers = labels(comparison.submissions)
    return render(
        "overview",
        title=title,
        version=VERSION,
        made=f"{made:%Y-%m-%d %H:%M %Z}",
        comparison=comparison,
        files=sum(len(submission.files) for submission in comparison.submissions),
        archived=sum(submission.archived for submission in comparison.submissions),
        recipe=words.recipe(comparison.scheme),
        guarantee=words.guarantee(comparison.scheme),
        measures=words.MEASURES,
        symbols=comparison.scheme.symbols,
        histogram=histogram(comparison.scores),
        graph=graph(comparison, numbers),
        labels=tuple(numbers)[:LABEL_COLOURS],
        timeline=timeline(comparison, numbers),
        dated=any(submission.date for submission in comparison.submissions),
        minimum=_minimum(comparison),
        label_colours=LABEL_COLOURS,
        clusters=clusters(comparison),
        groups=groups(comparison),
        notes=notes(comparison.submissions),
        odd=[
            (comparison.submissions[number].name, finding.words)
            for number, found in comparison.findings.submissions.items()
            for finding in found
        ],
        listed=linked(comparison, range(min(WITHOUT_SCRIPTS, len(comparison.pairs)))),
        page_name=page_name,
        facts=facts(comparison),
    )


def linked(comparison: Comparison, numbers: Sequence[int]) -> tuple[Linked, ...]:
    """Pairs by their numbers."""
    every, pairs = comparison.submissions, comparison.pairs
    return tuple(
        Linked(page_name(number), every[pairs[number].left], every[pairs[number].right], pairs[number])
        for number in numbers
    )


def clusters(comparison: Comparison) -> tuple[ClusterView, ...]:
    """Clusters, the largest first, each with its strongest links."""
    views = []
    for cluster in sorted(comparison.clusters, key=lambda cluster: -len(cluster.members)):
        strongest = sorted(cluster.pairs, key=lambda number: -comparison.pairs[number].score)[:LINKS_A_CLUSTER]
        members = tuple(comparison.submissions[member] for member in cluster.members)
        views.append(ClusterView(members, linked(comparison, strongest), len(cluster.pairs) - len(strongest)))
    return tuple(views)


def groups(comparison: Comparison) -> tuple[GroupView, ...]:
    """The same two people over several assignments."""
    return tuple(
        GroupView(group.left, group.right, group.score, linked(comparison, group.pairs)) for group in comparison.groups
    )


def notes(submissions: Sequence[Submission]) -> tuple[tuple[str, str, str], ...]:
    """Submission, file and note, for each note."""
    return tuple(
        (submission.name, file.name, note)
        for submission in submissions
        for file in submission.files
        for note in file.notes
    )


def facts(comparison: Comparison) -> dict[str, Any]:
    """What the page's scripts work on."""
    return {
        "names": [plain(submission.name) for submission in comparison.submissions],
        "labels": [plain(submission.label or "") for submission in comparison.submissions],
        "dates": [plain(submission.date or "") for submission in comparison.submissions],
        "archived": [int(submission.archived) for submission in comparison.submissions],
        "pairs": [_row(pair) for pair in comparison.pairs],
        "minimum": _minimum(comparison),
        "digits": DIGITS,
    }


def _minimum(comparison: Comparison) -> int:
    """The lowest score, in whole percent, from which on all pairs are shown. Pairs that were ranked by another measure
    may have scores below the threshold."""
    lowest = min((pair.score for pair in comparison.pairs), default=comparison.threshold)
    return floor(round(100 * min(lowest, comparison.threshold), DECIMALS - 2))


def _row(pair: Pair) -> list[float]:
    """In the order of the table's columns."""
    shares = (pair.score, pair.similarity, pair.containment, pair.left_coverage, pair.right_coverage)
    return [
        pair.left,
        pair.right,
        *(round(share, DECIMALS) for share in shares),
        pair.longest,
        pair.shared_fingerprints,
    ]
