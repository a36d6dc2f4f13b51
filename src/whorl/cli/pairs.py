"""A comparison on the terminal: the pairs, the clusters, and what was left out."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from whorl.comparison.result import Comparison

# Rows of a table that a person reads before asking for all of them.
ROWS = 25

# Names of files that share a reason; --format json and the report have all.
NAMES = 3


def print_tables(found: Comparison, by_person: bool) -> None:
    """Print what a person wants to know first; ``by_person``, the same two people over several assignments too."""
    console = Console(highlight=False)
    console.print(_summary(found), soft_wrap=True)
    if by_person:
        console.print(_groups(found))
    if found.pairs:
        console.print()
        console.print(_pairs(found))
    rest = max(0, len(found.pairs) - ROWS) + found.omitted
    if rest > 0:
        console.print(f"… and {rest:,} more: --report FOLDER or --format json|csv shows them", style="dim")
    _print_clusters(console, found)
    _print_odd(console, found)
    _print_notes(console, found)


def _summary(found: Comparison) -> Text:
    fresh = sum(not submission.archived for submission in found.submissions)
    archived = len(found.submissions) - fresh
    told = f"{fresh:,} {'submission' if fresh == 1 else 'submissions'}" + (
        f" and {archived:,} archived ones" if archived else ""
    )
    many = len(found.pairs) + found.omitted
    promise = f"; every shared passage of {found.scheme.guarantee} is found" if found.scheme.guarantee else ""
    return Text(
        f"{told}, {many:,} {'pair' if many == 1 else 'pairs'} with a {found.measure} of at least {found.threshold:g}\n"
        f"scheme {found.scheme.id}: {found.scheme.symbols}, k = {found.scheme.k}{promise}"
    )


def _pairs(found: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("score", "similar", "contained", "covers", "", "longest"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("left", overflow="fold")
    table.add_column("right", overflow="fold")
    for pair in found.pairs[:ROWS]:
        numbers = pair.score, pair.similarity, pair.containment, pair.left_coverage, pair.right_coverage
        names = (Text(found.submissions[side].name) for side in (pair.left, pair.right))
        table.add_row(*(f"{100 * number:.0f}%" for number in numbers), f"{pair.longest:,}", *names)
    return table


def _groups(found: Comparison) -> Table | Text:
    if not found.groups:
        return Text("\nno person is known of two submissions in a pair: see --submissions-csv", "yellow")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("together", "pairs"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("person")
    table.add_column("person")
    for group in found.groups[:ROWS]:
        table.add_row(f"{100 * group.score:.0f}%", str(len(group.pairs)), Text(group.left), Text(group.right))
    return table


def _print_clusters(console: Console, found: Comparison) -> None:
    for number, cluster in enumerate(found.clusters[:ROWS], 1):
        names = ", ".join(found.submissions[member].name for member in cluster.members[:ROWS])
        more = f" … and {len(cluster.members) - ROWS:,} more" if len(cluster.members) > ROWS else ""
        line = f"cluster {number}, {len(cluster.members):,} submissions: {names}{more}"
        console.print(Text(line if number > 1 else f"\n{line}"), soft_wrap=True)


def _print_odd(console: Console, found: Comparison) -> None:
    """What is odd about single submissions. The words quote texts, of which nothing may move the cursor."""
    odd = [(number, finding) for number, own in found.findings.submissions.items() for finding in own]
    for number, finding in odd[:ROWS]:
        words = "".join(letter if letter.isprintable() else "�" for letter in finding.words)
        console.print(Text(f"odd, {found.submissions[number].name}: {words}"), soft_wrap=True)
    if len(odd) > ROWS:
        more = f"… and {len(odd) - ROWS:,} more that are odd: --report FOLDER or --format json shows them"
        console.print(more, style="dim")


def _print_notes(console: Console, found: Comparison) -> None:
    """What was left out or read in another way, by reason: no file is dropped silently."""
    left_out: dict[str, list[str]] = {}
    for item in found.skipped:
        left_out.setdefault(item.reason.replace(item.name, "the file"), []).append(item.name)
    notes: dict[str, list[str]] = {}
    for submission in found.submissions:
        for file in submission.files:
            for note in file.notes:
                notes.setdefault(note, []).append(f"{submission.name}: {file.name}")
    for title, reasons in (("left out", left_out), ("note", notes)):
        for reason, names in sorted(reasons.items(), key=lambda entry: -len(entry[1])):
            console.print(Text(f"{title}: {_some(names)}: {reason}", "yellow"), soft_wrap=True)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMES:,} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more
