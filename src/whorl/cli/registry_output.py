"""Output of ``whorl registry``: tables and JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from whorl.cli.options import echo_skipped
from whorl.formats.archives.names import printable
from whorl.matching.passage import Passage
from whorl.model import Document, Skipped
from whorl.registry.reading import NOT_FOUND
from whorl.registry.rotation import MissingText, RotationResult
from whorl.registry.search import RegistryHit, RegistryHits, Witness
from whorl.registry.store import Activity, RegistryEntry
from whorl.report.words import counted

# Passages in a table, and letters of each. --format json has all.
PASSAGES, LETTERS = 3, 70

# Documents that a rotation names for one reason; the others are counted. A million lines help nobody.
NAMED = 1000

Witnesses = dict[str, Witness]

# A query, its hits, and their passages if they were asked for.
SearchOutcome = tuple[Document, RegistryHits, Witnesses | None]


def print_pairs(figures: Mapping[str, Any], form: str) -> None:
    """Print names and values."""
    if form == "json":
        click.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        shown = f"{shown:,.1f}" if isinstance(shown, float) else shown
        click.echo(printable(f"{name.replace('_', ' '):20} {shown}"))


def print_changes(states: Mapping[str, int], skipped: Sequence[Skipped], form: str) -> None:
    """Print how many documents changed, and which were skipped."""
    if form == "json":
        click.echo(json.dumps({**states, "skipped": _left_out(skipped)}))
        return
    click.echo(_counts(states) or "nothing to do")
    echo_skipped(skipped)


def print_rotation(result: RotationResult, form: str) -> None:
    """Print how many documents were rotated, and those whose text has changed, is missing, or cannot be read."""
    if form == "json":
        changed = [entry.as_dict() for entry in result.changed]
        missing = [{**each.document.as_dict(), "reason": each.reason} for each in result.missing]
        lists = {"changed_documents": changed, "missing": missing, "skipped": _left_out(result.skipped)}
        click.echo(json.dumps({**result.states, **lists}))
        return
    is_idle = not (result.missing or result.skipped)
    click.echo(_counts(result.states) or ("nothing to do" if is_idle else "0 rotated"))
    _print_passed_over("text has changed", [_with_facts(entry) for entry in result.changed])
    if result.changed:
        click.echo("whorl registry add registers a changed text in place of the old one", err=True)
    _print_passed_over("text not found", [_missing(each) for each in result.missing])
    _print_passed_over("skipped", [f"{item.name}: {item.reason}" for item in result.skipped])


def _print_passed_over(reason: str, documents: Sequence[str]) -> None:
    """Print documents that were not rotated for one reason."""
    for document in documents[:NAMED]:
        click.echo(printable(f"{reason}: {document}"), err=True)
    if len(documents) > NAMED:
        click.echo(f"{reason}: {len(documents) - NAMED:,} more, see --format json", err=True)


def _missing(missing: MissingText) -> str:
    return _with_facts(missing.document) + (f": {missing.reason}" if missing.reason != NOT_FOUND else "")


def _with_facts(entry: RegistryEntry) -> str:
    """Return the name of a document, with its URL and contact."""
    facts = ", ".join(fact for fact in (entry.url, entry.contact) if fact)
    return f"{entry.name} ({facts})" if facts else entry.name


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {state}" for state, count in states.items())


def print_entries(entries: list[RegistryEntry], active: dict[int, Activity], form: str) -> None:
    """Print the documents of a registry."""
    if form == "json":
        click.echo(json.dumps([_entry(entry, active) for entry in entries], indent=1))
        return
    for entry in entries:
        figures = _entry(entry, active)
        marked = "!" if figures["suspicious"] else " "
        counts = f"{figures['searches']:6,} searches, {figures['pieces']:5,} pieces"
        facts = "  ".join(fact for fact in (entry.date, entry.url, entry.contact) if fact)
        click.echo(printable(f"{marked} {figures['drawn']}  {counts}  {entry.name}  {facts}".rstrip()))


def print_hits(answers: Sequence[SearchOutcome], form: str, explain: bool) -> None:
    """Print the answers to searches."""
    if form == "jsonl":
        for answer in answers:
            click.echo(json.dumps(_answer(*answer)))
        return
    if form == "json":
        click.echo(json.dumps([_answer(*answer) for answer in answers], indent=1))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for answer in answers:
        _print_answer(console, *answer, explain)


def _left_out(skipped: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"file": item.name, "reason": item.reason} for item in skipped]


def _entry(entry: RegistryEntry, active: dict[int, Activity]) -> dict[str, Any]:
    witnesses = active.get(entry.number, Activity())
    return {**entry.as_dict(), **asdict(witnesses), "suspicious": witnesses.is_suspicious}


def _answer(document: Document, hits: RegistryHits, witnesses: Witnesses | None) -> dict[str, Any]:
    return {
        "name": document.name,
        "symbols": hits.symbols,
        "hits": [_hit(hit, witnesses) for hit in hits],
        "cost": asdict(hits.cost),
        "notes": list(hits.notes),
    }


def _hit(hit: RegistryHit, witnesses: Witnesses | None) -> dict[str, Any]:
    figures = {"document": hit.document.as_dict()} | {
        name: getattr(hit, name) for name in ("ratio", "shared", "ignored", "factor", "low", "high", "warning")
    }
    if witnesses is None:
        return figures
    witness = witnesses.get(hit.document.name)
    if witness is None:
        return {**figures, "verified": False, "reason": NOT_FOUND, "passages": []}
    passages = [_passage(passage, witness) for passage in witness.passages]
    reason = {"reason": witness.fault} if witness.fault else {}
    return {**figures, "verified": not witness.fault, **reason, "passages": passages}


def _passage(passage: Passage, witness: Witness) -> dict[str, Any]:
    left, right = passage.left, passage.right
    return {
        "left": {**left._asdict(), "text": witness.left[left.start : left.end]},
        "right": {**right._asdict(), "text": witness.right[right.start : right.end]},
        "symbols": passage.symbols,
    }


def _print_answer(
    console: Any, document: Document, hits: RegistryHits, witnesses: Witnesses | None, explain: bool
) -> None:
    from rich.text import Text

    console.print(Text(printable(document.name), "bold"), soft_wrap=True)
    for note in hits.notes:
        console.print(Text(printable(f"note: {note}"), "yellow"), soft_wrap=True)
    if explain:
        figures = ", ".join(f"{name.replace('_', '-')} {value:,}" for name, value in asdict(hits.cost).items())
        console.print(Text(figures, "dim"), soft_wrap=True)
    if not len(hits):
        console.print("no registered document shares enough with it")
    for hit in hits:
        facts = "  ".join(fact for fact in (hit.document.date, hit.document.url, hit.document.contact) if fact)
        line = f"{100 * hit.ratio:4.0f}%  {hit.document.name}  {facts}".rstrip()
        console.print(Text(printable(line)), soft_wrap=True)
        if hit.warning:
            console.print(Text(f"       {hit.warning}", "yellow"), soft_wrap=True)
        if witnesses is not None:
            _print_passages(console, witnesses.get(hit.document.name))


def _print_passages(console: Any, witness: Witness | None) -> None:
    from rich.text import Text

    if witness is None or witness.fault:
        reason = NOT_FOUND if witness is None else witness.fault
        console.print(Text(printable(f"       not verified: {reason}"), "yellow"), soft_wrap=True)
        return
    if not witness.passages:
        console.print(Text("       no passage in common", "dim"))
    for passage in witness.passages[:PASSAGES]:
        quoted = printable(" ".join(witness.right[passage.right.start : passage.right.end].split()))
        quoted = quoted if len(quoted) <= LETTERS else quoted[: LETTERS - 1] + "…"
        lines = f"line {passage.left.start_line} is line {passage.right.start_line}"
        console.print(Text(f"       {passage.symbols:6,} symbols, {lines}: {quoted}", "dim"), soft_wrap=True)
    if len(witness.passages) > PASSAGES:
        console.print(Text(f"       and {counted(len(witness.passages) - PASSAGES, 'passage')} more", "dim"))
