"""The pages about a whole class: the overview, the list of submissions, and a page for each cluster."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from platform import python_version
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from markupsafe import escape

from whorl._version import VERSION
from whorl.comparison.result import BY_PASSAGE, Cluster, Comparison, Pair, Submission
from whorl.report import words
from whorl.report.graph import LABEL_COLOURS, by_size, cluster_graph, cluster_numbers, graph, whole_percent
from whorl.report.markup import plain
from whorl.report.pages import DIGITS, NO_REVIEW, Review, page_name, render
from whorl.report.plots import DateSpan, date_span, day, histogram, labels, length_histogram, timeline
from whorl.report.submission import (
    ClusterLink,
    best_scores,
    cluster_link,
    cluster_pages,
    names_of,
    pairs_by_submission,
    score_plot,
)

# Maximum number of clusters whose members are all named on the overview.
CLUSTERS_WITH_NAMES = 50

# Maximum number of members in the heat map and in the graph of a cluster, and of pairs in its lists, inside and to the
# outside: what a person reads.
MAPPED, DRAWN = 60, 35
PAIRS_OF_CLUSTER, PAIRS_OUTSIDE = 500, 100

# Maximum number of members whose heat map leaves room for the graph beside it.
BESIDE = 14

# Maximum size of the rows in a page of the list of submissions, and the size of a row without its texts, in bytes. A
# page stays below 1.5 MB.
ROWS_SIZE, ROW_SIZE = 1_200_000, 400

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
    """A submission with its page, the pair with its highest score, the number of its pairs, its lines, and its
    cluster."""

    page: str
    submission: Submission
    best: PairLink | None
    pairs: int
    lines: int
    cluster: ClusterLink | None


@dataclass(frozen=True, slots=True)
class SubmissionCluster:
    """A cluster of submissions. ``links`` are the pairs that connect its members, the highest score first; ``mean`` is
    the mean of their scores."""

    link: ClusterLink
    members: tuple[Submission, ...]
    links: tuple[PairLink, ...]
    mean: float


class ClusterMember(NamedTuple):
    """A member of a cluster: its page, the highest and mean score of its listed pairs with other members, their number,
    and the place of its date between the first and the last one, from 0 to 1."""

    page: str
    submission: Submission
    highest: float
    mean: float
    pairs: int
    place: float | None


class HeatCell(NamedTuple):
    """A pair in a heat map: its page and score."""

    page: str
    score: float


class HeatRow(NamedTuple):
    """A row of a heat map: a member with its page, and its listed pair with each mapped member, if there is one."""

    page: str
    submission: Submission
    cells: tuple[HeatCell | None, ...]


@dataclass(frozen=True, slots=True)
class PeopleGroup:
    """Two people and their pairs."""

    left: str
    right: str
    score: float
    links: tuple[PairLink, ...]


class IdenticalGroup(NamedTuple):
    """The names of submissions that are identical, and whether a pair of them is listed."""

    names: list[str]
    is_listed: bool


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
        lengths=length_histogram([pair.longest for pair in comparison.pairs]),
        graph=drawn,
        linked=linked,
        every_label=sorted(numbers),
        label_counts=Counter(submission.label for submission in comparison.submissions),
        unlabelled=any(not submission.label for submission in comparison.submissions),
        labels=tuple(numbers)[:LABEL_COLOURS],
        timeline=timeline(comparison, numbers),
        dated=any(submission.date for submission in comparison.submissions),
        minimum=_minimum(comparison),
        label_colours=LABEL_COLOURS,
        clusters=[cluster_view(comparison, number) for number in range(len(comparison.clusters))],
        with_names=CLUSTERS_WITH_NAMES,
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
        identical=identical_view(comparison),
    )


def identical_view(comparison: Comparison) -> list[IdenticalGroup]:
    """Return the groups of identical submissions. One of which little is left without starter code has no listed
    pair."""
    group_of = {member: number for number, group in enumerate(comparison.identical) for member in group}
    both = ((group_of.get(pair.left), group_of.get(pair.right)) for pair in comparison.pairs)
    listed = {left for left, right in both if left == right}
    return [
        IdenticalGroup([comparison.submissions[member].name for member in group], number in listed)
        for number, group in enumerate(comparison.identical)
    ]


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


def cluster_view(comparison: Comparison, number: int) -> SubmissionCluster:
    """Return a cluster by its number, from 0."""
    cluster = by_size(comparison)[number]
    strongest = sorted(cluster.pairs, key=lambda at: -comparison.pairs[at].score)
    links = pair_links(comparison, strongest)
    members = tuple(comparison.submissions[member] for member in cluster.members)
    mean = sum(link.pair.score for link in links) / max(1, len(links))
    return SubmissionCluster(cluster_link(comparison, number), members, links, mean)


def cluster_page(comparison: Comparison, number: int, title: str) -> str:
    """Return the page of a cluster by its number, from 0."""
    cluster = by_size(comparison)[number]
    inside = _pairs_inside(comparison, cluster)
    submissions = [comparison.submissions[member] for member in cluster.members]
    dates = date_span(submissions)
    view = cluster_view(comparison, number)
    last = cluster_pages(comparison) - 1
    mapped = _strongest_first(cluster, inside, comparison.pairs)
    drawn = mapped[:DRAWN]
    outside = _pairs_outside(comparison, cluster)
    return render(
        "cluster",
        title=title,
        named=names_of(comparison),
        symbols=comparison.scheme.symbols,
        cluster=view,
        listed=view.links[:PAIRS_OF_CLUSTER],
        members=_members(comparison, cluster, inside, dates),
        heat=_heat_map(comparison, mapped, inside),
        beside=BESIDE,
        graph=cluster_graph(comparison, drawn, _links_between(comparison, cluster, drawn)),
        page_name=page_name,
        labels=tuple(labels(comparison.submissions))[:LABEL_COLOURS],
        outside=pair_links(comparison, outside[:PAIRS_OUTSIDE]),
        total_outside=len(outside),
        total=len(comparison.clusters),
        dates=dates,
        labelled=any(each.label for each in submissions),
        dated=any(each.date for each in submissions),
        previous=page_name(number - 1) if number else None,
        following=page_name(number + 1) if number < last else None,
        colour=number if number < LABEL_COLOURS else None,
    )


def _links_between(comparison: Comparison, cluster: Cluster, members: Sequence[int]) -> list[int]:
    """Return the pairs that link these members of a cluster, the highest scores first."""
    chosen = set(members)
    pairs = ((at, comparison.pairs[at]) for at in cluster.pairs)
    between = [at for at, pair in pairs if pair.left in chosen and pair.right in chosen]
    return sorted(between, key=lambda at: -comparison.pairs[at].score)


def _pairs_outside(comparison: Comparison, cluster: Cluster) -> list[int]:
    """Return the pairs of a member with a submission outside the cluster, the highest scores first."""
    members = set(cluster.members)
    rows = (at for at in comparison.rows if len({comparison.pairs[at].left, comparison.pairs[at].right} & members) == 1)
    return sorted(rows, key=lambda at: -comparison.pairs[at].score)


# The numbers of listed pairs of each member of a cluster, by the other member.
PairsInside: TypeAlias = dict[int, dict[int, int]]


def _pairs_inside(comparison: Comparison, cluster: Cluster) -> PairsInside:
    inside: PairsInside = {member: {} for member in cluster.members}
    for at, pair in enumerate(comparison.pairs):
        if pair.left in inside and pair.right in inside:
            inside[pair.left][pair.right] = inside[pair.right][pair.left] = at
    return inside


def _members(
    comparison: Comparison, cluster: Cluster, inside: PairsInside, dates: DateSpan | None
) -> list[ClusterMember]:
    """Return the members in the order of their dates; without dates, the highest scores first."""
    rows = []
    for at, member in enumerate(cluster.members):
        scores = [comparison.pairs[number].score for number in inside[member].values()] or [0.0]
        place = None if dates is None else dates.places[at]
        highest, mean = max(scores), sum(scores) / len(scores)
        submission = comparison.submissions[member]
        rows.append(ClusterMember(page_name(member), submission, highest, mean, len(inside[member]), place))
    return sorted(rows, key=lambda row: (2.0 if row.place is None else row.place, -row.highest))


def _strongest_first(cluster: Cluster, inside: PairsInside, pairs: Sequence[Pair]) -> list[int]:
    """Return the members to map: first the one with the highest scores, then always the one that is most like those
    before it, so that groups stand together."""
    rest = dict.fromkeys(cluster.members, 0.0)
    chosen: list[int] = []
    while rest and len(chosen) < MAPPED:
        member = max(rest, key=lambda each: (rest[each], sum(pairs[at].score for at in inside[each].values())))
        chosen.append(member)
        del rest[member]
        for other, at in inside[member].items():
            if other in rest:
                rest[other] += pairs[at].score
    return chosen


def _heat_map(comparison: Comparison, members: Sequence[int], inside: PairsInside) -> list[HeatRow]:
    rows = []
    for member in members:
        pairs = [inside[member].get(other) for other in members]
        cells = tuple(None if at is None else HeatCell(page_name(at), comparison.pairs[at].score) for at in pairs)
        rows.append(HeatRow(page_name(member), comparison.submissions[member], cells))
    return rows


def submissions_pages(comparison: Comparison, title: str) -> list[str]:
    """Return the list of all submissions, those with the highest scores first, in as many pages as are needed."""
    best, pairs, numbers = best_scores(comparison), pairs_by_submission(comparison), cluster_numbers(comparison)
    rows = []
    for number in sorted(range(len(best)), key=lambda number: (-best[number], number not in pairs)):
        own = pairs.get(number, [])
        strongest = max(own, key=lambda at: comparison.pairs[at].score, default=None)
        rows.append(
            SubmissionRow(
                page_name(number),
                comparison.submissions[number],
                None if strongest is None else pair_links(comparison, [strongest])[0],
                len(own),
                _lines(comparison, number),
                cluster_link(comparison, numbers[number]) if number in numbers else None,
            )
        )
    parts = _parts(rows)
    return [
        render(
            "submissions",
            title=title,
            named=names_of(comparison),
            symbols=comparison.scheme.symbols,
            rows=part,
            at=number,
            pages=len(parts),
            name_of=submissions_name,
            plot=score_plot(comparison) if comparison.pairs else None,
            mean=sum(best) / max(1, len(best)),
            median=median(best) if best else 0.0,
            labelled=any(row.submission.label for row in rows),
            dated=any(row.submission.date for row in rows),
            clustered=bool(comparison.clusters),
        )
        for number, part in enumerate(parts, start=1)
    ]


def submissions_name(number: int) -> str:
    """Return the file name of a page of the list of submissions, from 1."""
    return "submissions.html" if number == 1 else f"submissions-{number}.html"


def _parts(rows: Sequence[SubmissionRow]) -> list[list[SubmissionRow]]:
    """Divide rows into pages that have room for them."""
    parts: list[list[SubmissionRow]] = [[]]
    room = ROWS_SIZE
    for row in rows:
        texts = (row.submission.name, row.submission.label or "", row.submission.date or "")
        size = ROW_SIZE + sum(len(escape(plain(text)).encode()) for text in texts)
        if size > room and parts[-1]:
            parts.append([])
            room = ROWS_SIZE
        parts[-1].append(row)
        room -= size
    return parts


def _lines(comparison: Comparison, number: int) -> int:
    texts = (comparison.text(number, i) for i in range(len(comparison.submissions[number].files)))
    return sum(text.count("\n") + (text != "" and not text.endswith("\n")) for text in texts)


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
    """Return the data of the page's scripts. Clusters count from 1; 0 is none."""
    numbers = cluster_numbers(comparison)
    return {
        "ids": [submission.name for submission in comparison.submissions],
        "aliases": [names_of(comparison).number(submission.name) for submission in comparison.submissions],
        "names": [plain(submission.name) for submission in comparison.submissions],
        "labels": [plain(submission.label or "") for submission in comparison.submissions],
        "dates": [plain(submission.date or "") for submission in comparison.submissions],
        "days": [day(submission) for submission in comparison.submissions],
        "archived": [int(submission.archived) for submission in comparison.submissions],
        "clusters": [numbers.get(number, -1) + 1 for number in range(len(comparison.submissions))],
        "clusterPages": cluster_pages(comparison),
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
        pair.score_parts.matched,
        int(pair.same_as is None),
        *map(len, comparison.others(pair)),
        int(pair.listed == BY_PASSAGE),
    ]
