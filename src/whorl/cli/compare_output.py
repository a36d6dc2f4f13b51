"""Output of ``whorl compare``: tables, and advice after a comparison with fewer than two submissions."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from whorl.comparison.layouts import WRAPPER
from whorl.comparison.result import BY_PASSAGE, Comparison, Pair
from whorl.formats.archives.gitignore import parse
from whorl.formats.archives.kinds import FOLDERS, named_archive
from whorl.formats.archives.names import matchable, printable
from whorl.formats.archives.walk import NOT_INCLUDED
from whorl.model import Skipped
from whorl.report.words import counted
from whorl.sandbox.limits import format_bytes

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

# Rows of a table.
ROWS = 25

# Option that reads skipped files → how their reasons begin.
READ_BY = {
    "--generated": tuple({row.meaning for rows in FOLDERS.values() for row in rows}),
    "--hidden": ("hidden",),
    "--no-gitignore": ("ignored by a .gitignore",),
}

# Width of a name that figures make room for, and of the gap between two columns.
NAME, GAP = 12, 2

# Figures that a narrow terminal has no room for, in the order in which they are left out: the others say most of them.
DISPENSABLE = ("contained", "similar", "covers", "listed for", "longest")

# Names listed for one reason; --format json and the report have all.
NAMES = 3


def print_tables(comparison: Comparison, by_person: bool) -> None:
    """Print a comparison; with ``by_person``, also group pairs by the same two people."""
    from rich.console import Console  # slow to import, and JSON needs no tables

    console = Console(highlight=False)
    _print_not_compared(console, comparison)
    console.print(_summary(comparison), soft_wrap=True)
    if by_person:
        console.print(_groups(comparison))
    if comparison.pairs:
        console.print()
        console.print(_pairs(comparison, console.width))
    rest = max(0, len(comparison.rows) - ROWS)
    if rest:
        console.print(f"… and {counted(rest, 'row')} more: --report FOLDER or --format json|csv has them", style="dim")
    _print_unlisted(console, comparison)
    _print_clusters(console, comparison)
    _print_odd(console, comparison)
    _print_notes(console, comparison)


def _text(words: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(words, style)


def _table() -> "Table":
    from rich.table import Table

    return Table(box=None, pad_edge=False, header_style="dim")


def recognised_lines(comparison: Comparison) -> list[str]:
    """Return what was recognised, and the option that overrules it. The only folder of an archive is never a submission
    by itself."""
    lines = []
    for each in comparison.layouts:
        is_fixed = each.layout == WRAPPER and named_archive(each.path)
        overrule = "" if is_fixed else "; --layout none compares each entry as it is"
        lines.append(f"recognised: {each.sentence()}{overrule}")
    return lines


def _print_not_compared(console: "Console", comparison: Comparison) -> None:
    """Print the files that have no score, before all scores."""
    items = comparison.not_compared
    if not items:
        return
    console.print(_text(f"NOT COMPARED: {counted(len(items), 'file')}. Check them first:", "bold red"), soft_wrap=True)
    for item in items[:ROWS]:
        size = "" if item.size is None else f" ({format_bytes(item.size)})"
        inside = item.file.removeprefix(f"{item.submission}/")
        file = f": {inside}" if inside and inside != item.submission else ""
        line = f"  {item.submission or 'the base'}{file}{size}: {item.reason}"
        console.print(_text(printable(line), "red"), soft_wrap=True)
    if len(items) > ROWS:
        console.print(f"  … and {len(items) - ROWS:,} more: --report FOLDER or --format json shows them", style="red")
    console.print()


def _summary(comparison: Comparison) -> "Text":
    fresh = sum(not submission.archived for submission in comparison.submissions)
    archived = len(comparison.submissions) - fresh
    everybody = counted(fresh, "submission") + (f" and {archived:,} archived" if archived else "")
    if not comparison.compared:
        return _text(f"{everybody}, no pair to compare")
    unit = comparison.scheme.symbols or "symbols"
    or_long = f" or {comparison.long_rule}" if comparison.long else ""
    guarantee = comparison.scheme.guarantee
    promise = f"; every shared passage of {guarantee} {unit} is found" if guarantee else ""
    return _text(
        f"{everybody}, {counted(comparison.compared, 'pair')} compared, {len(comparison.pairs):,} listed: "
        f"{comparison.measure} of at least {comparison.threshold:g}{or_long}\n"
        f"half of all pairs score at most {comparison.quantile(0.5):.0%}, "
        f"95 of 100 at most {comparison.quantile(0.95):.0%}\n"
        f"scheme {comparison.scheme.id}: {unit}, k = {comparison.scheme.k}{promise}"
    )


def _print_unlisted(console: "Console", comparison: Comparison) -> None:
    """Print how many pairs share something and are not listed, and how to see them. They share less than those that
    are, unless a row stands for many identical submissions."""
    if comparison.unlisted:
        options = ["--threshold 0"] * (comparison.threshold > 0)
        options += [f"--limit {len(comparison.pairs) + comparison.unlisted}"] * (comparison.omitted > 0)
        advice = f"{' '.join(options)} lists those with a passage" if options else "no passage"
        share = "shares" if comparison.unlisted == 1 else "share"
        verb = "is" if comparison.unlisted == 1 else "are"
        line = f"{counted(comparison.unlisted, 'other pair')} {share} something and {verb} not listed"
        console.print(f"{line}: {advice}", style="dim", soft_wrap=True)


def _pairs(comparison: Comparison, width: int) -> "Table":
    """Return the table of pairs. On a narrow terminal, figures are left out before names are broken."""
    rows = [comparison.pairs[number] for number in comparison.rows[:ROWS]]
    names = [
        [
            printable(f"{comparison.submissions[side].name}{_and_more(others)}")
            for side, others in zip((pair.left, pair.right), comparison.others(pair), strict=True)
        ]
        for pair in rows
    ]
    figures = [_figures(pair) for pair in rows]
    if any(pair.listed == BY_PASSAGE for pair in rows):
        for pair, cells in zip(rows, figures, strict=True):
            cells["listed for"] = [pair.listed if pair.listed == BY_PASSAGE else "its " + comparison.measure]
    room = width - sum(min(NAME, max(map(len, side))) + GAP for side in zip(*names, strict=True))
    headings = list(figures[0])
    for heading in DISPENSABLE:
        if sum(_widths(figures, headings)) > room and heading in headings:
            headings.remove(heading)
    table = _table()
    numbers = [heading for heading in headings if heading != "listed for"]
    for heading in numbers:
        for place in range(len(figures[0][heading])):
            table.add_column(heading if place == 0 else "", justify="right", no_wrap=True)
    table.add_column("left", overflow="fold")
    table.add_column("right", overflow="fold")
    if headings != numbers:
        table.add_column("listed for", no_wrap=True)
    for cells, sides in zip(figures, names, strict=True):
        shown = [cell for heading in numbers for cell in cells[heading]]
        table.add_row(*shown, *map(_text, sides), *(cells["listed for"] if headings != numbers else []))
    return table


def _figures(pair: Pair) -> dict[str, list[str]]:
    """Return the figures of a pair, by the heading of their columns."""
    shares = {
        "score": [pair.score], "similar": [pair.similarity], "contained": [pair.containment],
        "covers": [pair.left_coverage, pair.right_coverage],
    }  # fmt: skip
    figures = {heading: [f"{100 * share:.0f}%" for share in parts] for heading, parts in shares.items()}
    return {**figures, "longest": [f"{pair.longest:,}"]}


def _widths(figures: Sequence[dict[str, list[str]]], headings: Sequence[str]) -> Iterator[int]:
    """Yield the width of each column under some headings, with the gap behind it."""
    for heading in headings:
        for place, _ in enumerate(figures[0][heading]):
            longest = max(len(cells[heading][place]) for cells in figures)
            yield max(longest, len(heading) if place == 0 else 0) + GAP


def _and_more(others: tuple[int, ...]) -> str:
    return f" +{len(others):,} identical" if others else ""


def _groups(comparison: Comparison) -> "Table | Text":
    if not comparison.groups:
        return _text("\nno pair has a known person on both sides: see --submissions-csv", "yellow")
    table = _table()
    for name in ("together", "pairs"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("person")
    table.add_column("person")
    for group in comparison.groups[:ROWS]:
        people = (_text(printable(person)) for person in (group.left, group.right))
        table.add_row(f"{100 * group.score:.0f}%", str(len(group.pairs)), *people)
    return table


def _print_clusters(console: "Console", comparison: Comparison) -> None:
    for number, cluster in enumerate(comparison.clusters[:ROWS], 1):
        names = ", ".join(comparison.submissions[member].name for member in cluster.members[:ROWS])
        more = f" … and {len(cluster.members) - ROWS:,} more" if len(cluster.members) > ROWS else ""
        line = printable(f"cluster {number}, {len(cluster.members):,} submissions: {names}{more}")
        console.print(_text(line if number > 1 else f"\n{line}"), soft_wrap=True)


def _print_odd(console: "Console", comparison: Comparison) -> None:
    """Print findings about single submissions."""
    odd = [(number, finding) for number, findings in comparison.findings.submissions.items() for finding in findings]
    for number, finding in odd[:ROWS]:
        line = f"odd, {comparison.submissions[number].name}: {finding.words}"
        console.print(_text(printable(line)), soft_wrap=True)
    if len(odd) > ROWS:
        more = f"… and {len(odd) - ROWS:,} more findings: --report FOLDER or --format json shows them"
        console.print(more, style="dim")


def _print_notes(console: "Console", comparison: Comparison) -> None:
    """Print which submissions are of another kind, and which files were skipped or read differently, by reason."""
    if comparison.other_kind:
        console.print(_text(comparison.other_kind, "yellow"), soft_wrap=True)
    left_out: dict[str, list[Skipped]] = {}
    for item in comparison.skipped:
        if item.expected:
            left_out.setdefault(item.reason.replace(item.name, "the file"), []).append(item)
    for reason, items in sorted(left_out.items(), key=lambda entry: -sum(item.size or 0 for item in entry[1])):
        console.print(_text(printable(_left_out(reason, items)), "yellow"), soft_wrap=True)
    notes: dict[str, list[str]] = {}
    for submission in comparison.submissions:
        for file in submission.files:
            for note in file.notes:
                notes.setdefault(note, []).append(f"{submission.name}: {file.name}")
    for reason, names in sorted(notes.items(), key=lambda entry: -len(entry[1])):
        console.print(_text(printable(f"note: {_some(names)}: {reason}"), "yellow"), soft_wrap=True)


def _left_out(reason: str, items: list[Skipped]) -> str:
    """Return one line for all files skipped for one reason: names, size, and the option that reads them."""
    files, size = sum(item.files for item in items), sum(item.size or 0 for item in items)
    amount = f" ({counted(files, 'file')}, {format_bytes(size)})" if files else ""
    option = next((option for option, reasons in READ_BY.items() if reason.startswith(reasons)), "")
    return f"skipped: {_some([item.name for item in items])}{amount}: {reason}" + f"; {option} reads them" * bool(
        option
    )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMES:,} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more


def after_comparing(
    comparison: Comparison, paths: Sequence[Path], base: Sequence[Path], include: Sequence[str]
) -> str | None:
    """Return what to do next if there were not two new submissions, or if each holds several; None if nothing is to be
    said."""
    fresh = [submission.name for submission in comparison.submissions if not submission.archived]
    if len(fresh) > 1:
        return None if comparison.layouts else _of_archives(paths)
    if twice := [path for path in paths if path.resolve() in [each.resolve() for each in base]]:
        return f"{_named(twice)}: starter code (--base) is not compared. Name the submissions beside it"
    unmatched = [item for item in comparison.skipped if include and item.reason == NOT_INCLUDED]
    if any(item.submission not in fresh for item in unmatched):
        return _without_match(include, [item.name for item in unmatched], fresh)
    if fresh:
        return _single(paths, has_archive=len(comparison.submissions) > 1)
    if comparison.skipped and any(item.name != "./" for item in comparison.skipped):
        return "no submission could be read. The reasons are listed above; --format json lists all of them"
    return f"{_named(paths)}: nothing to compare. Put each submission into it, as a file, a folder or an archive"


def _of_archives(paths: Sequence[Path]) -> str | None:
    """Return what to do about folders that hold nothing but archives, several each, such as one for each assignment."""
    if len(paths) != 1 or not paths[0].is_dir():
        return None
    folders = _visible(paths[0])
    for folder in folders:
        inside = _visible(folder) if folder.is_dir() else []
        if len(inside) < 2 or not all(named_archive(each.name) for each in inside):
            return None
    return (
        f"each submission is a folder of archives. If each archive is a submission of its own, name the folders: "
        f"whorl compare {' '.join(quote(str(folder)) for folder in folders[:ROWS])}{' …' * (len(folders) > ROWS)}"
    )


def _single(paths: Sequence[Path], *, has_archive: bool) -> str | None:
    """Return what to do about a single submission. With earlier ones it is enough, unless it is a folder around all."""
    for path in paths:
        if path.is_dir() and (inner := _only_folder(path)) is not None:
            instead = dict.fromkeys(quote(str(inner if each == path else each)) for each in paths)
            return (
                f"{path} contains one folder, {inner.name}, which counts as one submission. "
                f"To compare its contents: whorl compare {' '.join(instead)}"
            )
    if has_archive:
        return None
    if len(paths) == 1 and paths[0].is_dir():
        return (
            f"{paths[0]} contains only one submission. Add the others to the folder, "
            "or name earlier submissions: --archive FOLDER"
        )
    amount = "is only one submission" if len(set(paths)) == 1 else "have only one submission between them"
    return (
        f"{_named(paths)} {amount}. Name a second file, or the folder of all submissions. "
        "To look a file up in an index, use whorl search"
    )


def _only_folder(path: Path) -> Path | None:
    """Return the folder that is alone in a folder, but for files."""
    folders = [child for child in _visible(path) if child.is_dir()]
    return folders[0] if len(folders) == 1 else None


def _visible(path: Path) -> list[Path]:
    """Return the entries of a folder that are not hidden, by name."""
    return [child for child in sorted(path.iterdir()) if not child.name.startswith(".")]


def _without_match(include: Sequence[str], names: Sequence[str], fresh: Sequence[str]) -> str:
    """Explain how patterns are matched. ``names`` are the files that match none, ``fresh`` the submission that has
    others."""
    tried = f"--include {', '.join(map(quote, include))}"
    what = f"only {fresh[0]} has files that match {tried}" if fresh else f"no file that can be compared matches {tried}"
    rule = (
        "A pattern without a slash matches file names in any folder; a pattern with a slash matches the whole path "
        "below the folder or archive that you named"
    )
    wider = next((f"**/{text.lstrip('/')}" for text in include if _would_match(f"**/{text.lstrip('/')}", names)), "")
    advice = f". To match in any folder: --include {quote(wider)}" if wider else ""
    if any(os.path.lexists(text) for text in include):
        advice += ". Put patterns in quotes, or the shell replaces them with the names of files"
    return f"{what}. {rule}{advice}"


def _would_match(pattern: str, names: Sequence[str]) -> bool:
    """Return whether a pattern matches a file, or a folder that it is in."""
    parsed = parse(matchable(pattern))
    paths = [matchable(name).split(b"/") for name in names]
    return parsed is not None and any(
        parsed.matches(b"/".join(parts[:depth]), depth < len(parts))
        for parts in paths
        for depth in range(1, len(parts) + 1)
    )


def _named(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, dict.fromkeys(paths)))
