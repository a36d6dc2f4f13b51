"""The overview page: pairs, scores, graph, clusters, groups, skipped files and method."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from platform import python_version
from typing import Any, NamedTuple

from whorl._version import VERSION
from whorl.comparison.result import BY_PASSAGE, Comparison, Pair, Submission
from whorl.report import words
from whorl.report.graph import LABEL_COLOURS, graph, whole_percent
from whorl.report.markup import plain
from whorl.report.pages import DIGITS, NO_REVIEW, Review, page_name, render
from whorl.report.plots import day, histogram, labels, timeline
from whorl.report.submission import best_scores, names_of, pairs_by_submission

# Maximum number of listed links of a cluster, and of clusters with such a list; the table of pairs has all.
LINKS_A_CLUSTER = 100
CLUSTERS_WITH_LINKS = 50

# Maximum number of listed pairs in a browser without scripts.
WITHOUT_SCRIPTS = 500

# Shares of the pairs below the parts of the box plot: the whiskers' ends, the box's sides and the line in it.
BOX = (0.05, 0.25, 0.5, 0.75, 0.95)

# Decimals of the shares in the page's data: more than are shown, so that sorting does not depend on rounding.
DECIMALS = 5


@dataclass(frozen=True, slots=True)
class PairLink:
    """A pair with its page and its two submissions."""

    page: str
    left: Submission
    right: Submission
    pair: Pair


class SubmissionRow(NamedTuple):
    """A submission with its page, its highest score, None without a listed pair, and the number of its pairs."""

    page: str
    submission: Submission
    highest: float | None
    pairs: int


@dataclass(frozen=True, slots=True)
class SubmissionCluster:
    """A cluster of submissions: its members, its strongest links, and the number of further links."""

    members: tuple[Submission, ...]
    links: tuple[PairLink, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class PeopleGroup:
    """Two people and their pairs."""

    left: str
    right: str
    score: float
    links: tuple[PairLink, ...]


def overview(comparison: Comparison, title: str, now: datetime, review: Review = NO_REVIEW, cut: int = 0) -> str:
    """Return the page. ``cut`` is the number of pairs whose pages leave out passages."""
    numbers = labels(comparison.submissions)
    drawn = graph(comparison)
    linked = max(drawn.start, _minimum(comparison))
    return render(
        "overview",
        title=title,
        version=VERSION,
        made=f"{now:%Y-%m-%d %H:%M %Z}",
        comparison=comparison,
        named=names_of(comparison),
        files=sum(len(submission.files) for submission in comparison.submissions),
        archived=sum(submission.archived for submission in comparison.submissions),
        recipe=words.recipe(comparison.scheme),
        guarantee=words.guarantee(comparison.scheme),
        measures=words.MEASURES,
        symbols=comparison.scheme.symbols,
        histogram=histogram(comparison.scores),
        graph=drawn,
        linked=linked,
        every_label=sorted(numbers),
        labels=tuple(numbers)[:LABEL_COLOURS],
        timeline=timeline(comparison, numbers),
        dated=any(submission.date for submission in comparison.submissions),
        minimum=_minimum(comparison),
        label_colours=LABEL_COLOURS,
        clusters=clusters(comparison),
        with_links=CLUSTERS_WITH_LINKS,
        submissions=submission_rows(comparison),
        groups=groups(comparison),
        notes=notes(comparison.submissions),
        not_compared=comparison.not_compared,
        left_out=sum(item.files for item in comparison.skipped),
        cut=cut,
        odd=[
            (comparison.submissions[number].name, finding.words)
            for number, findings in comparison.findings.submissions.items()
            for finding in findings
        ],
        listed=pair_links(comparison, comparison.rows[:WITHOUT_SCRIPTS]),
        page_name=page_name,
        facts=facts(comparison) | {"linked": linked},
        ignored=len({passage for mark in review.values() for passage in mark.ignored}),
        review=_review(title, review),
        versions=f"Whorl {VERSION}, Python {python_version()}",
        typical=(comparison.quantile(0.5), comparison.quantile(0.95)),
        box=tuple(comparison.quantile(share) for share in BOX),
        identical=[[comparison.submissions[member].name for member in group] for group in comparison.identical],
        long=words.symbols(comparison.long, comparison.scheme) if comparison.long else "",
    )


def _review(title: str, review: Review) -> dict[str, Any]:
    """Return the report's name and all marks, for the scripts. Marks of pairs that are no longer listed are kept: their
    ignored passages may be the reason."""
    return {"report": title, "marks": [[*names, *mark] for names, mark in review.items()]}


def pair_links(comparison: Comparison, numbers: Sequence[int]) -> tuple[PairLink, ...]:
    """Return links to the pairs with these numbers."""
    submissions, pairs = comparison.submissions, comparison.pairs
    return tuple(
        PairLink(page_name(number), submissions[pairs[number].left], submissions[pairs[number].right], pairs[number])
        for number in numbers
    )


def clusters(comparison: Comparison) -> tuple[SubmissionCluster, ...]:
    """Return the clusters, largest first, each with its strongest links."""
    views = []
    for cluster in sorted(comparison.clusters, key=lambda cluster: -len(cluster.members)):
        strongest = sorted(cluster.pairs, key=lambda number: -comparison.pairs[number].score)[:LINKS_A_CLUSTER]
        members = tuple(comparison.submissions[member] for member in cluster.members)
        views.append(SubmissionCluster(members, pair_links(comparison, strongest), len(cluster.pairs) - len(strongest)))
    return tuple(views)


def submission_rows(comparison: Comparison) -> list[SubmissionRow]:
    """Return all submissions, those with the highest scores first."""
    best, pairs = best_scores(comparison), pairs_by_submission(comparison)
    rows = [
        SubmissionRow(
            page_name(number), submission, best[number] if number in pairs else None, len(pairs.get(number, ()))
        )
        for number, submission in enumerate(comparison.submissions)
    ]
    return sorted(rows, key=lambda row: -1 if row.highest is None else row.highest, reverse=True)


def groups(comparison: Comparison) -> tuple[PeopleGroup, ...]:
    """Return the pairs of each two people, over all assignments."""
    return tuple(
        PeopleGroup(group.left, group.right, group.score, pair_links(comparison, group.pairs))
        for group in comparison.groups
    )


def notes(submissions: Sequence[Submission]) -> tuple[tuple[str, str, str], ...]:
    """Return submission, file and text of each note."""
    return tuple(
        (submission.name, file.name, note)
        for submission in submissions
        for file in submission.files
        for note in file.notes
    )


def facts(comparison: Comparison) -> dict[str, Any]:
    """Return the data of the page's scripts."""
    return {
        "ids": [submission.name for submission in comparison.submissions],
        "aliases": [names_of(comparison).number(submission.name) for submission in comparison.submissions],
        "names": [plain(submission.name) for submission in comparison.submissions],
        "labels": [plain(submission.label or "") for submission in comparison.submissions],
        "dates": [plain(submission.date or "") for submission in comparison.submissions],
        "days": [day(submission) for submission in comparison.submissions],
        "archived": [int(submission.archived) for submission in comparison.submissions],
        "pairs": [_row(pair, comparison) for pair in comparison.pairs],
        "minimum": _minimum(comparison),
        "digits": DIGITS,
    }


def _minimum(comparison: Comparison) -> int:
    """Return the lowest score of all pairs, in whole percent. Pairs ranked by another measure may be below the
    threshold."""
    lowest = min((pair.score for pair in comparison.pairs), default=comparison.threshold)
    return whole_percent(min(lowest, comparison.threshold))


def _row(pair: Pair, comparison: Comparison) -> list[float]:
    """Return the values of the table's columns, whether to show the row, the number of submissions identical with each
    side, and whether the pair is listed for a long passage."""
    shares = (pair.score, pair.similarity, pair.containment, pair.left_coverage, pair.right_coverage)
    return [
        pair.left,
        pair.right,
        *(round(share, DECIMALS) for share in shares),
        pair.longest,
        pair.shared_fingerprints,
        int(pair.same_as is None),
        *map(len, comparison.others(pair)),
        int(pair.listed == BY_PASSAGE),
    ]
