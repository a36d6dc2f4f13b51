"""Output of ``whorl registry``: tables and JSON."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click

from whorl.matching.passage import Passage
from whorl.model import Document, Skipped
from whorl.registry.search import RegistryHit, RegistryHits, Witness
from whorl.registry.store import Activity, RegistryEntry

# Passages in a table, and letters of each. --format json has all.
PASSAGES, LETTERS = 3, 70

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
        click.echo(f"{name.replace('_', ' '):20} {f'{shown:,.1f}' if isinstance(shown, float) else shown}")


def print_changes(states: Counter[str], skipped: list[Skipped], form: str) -> None:
    """Print how many documents changed, and which were skipped."""
    if form == "json":
        click.echo(json.dumps({**states, "skipped": _left_out(skipped)}))
        return
    click.echo(", ".join(f"{count:,} {state}" for state, count in states.items()) or "nothing to do")
    for item in skipped:
        click.echo(f"skipped: {item.name}: {item.reason}", err=True)


def print_rotation(states: Counter[str], skipped: list[Skipped], missing: list[RegistryEntry], form: str) -> None:
    """Print how many documents were rotated, and those whose texts were not found."""
    if form == "json":
        figures = [entry.as_dict() for entry in missing]
        click.echo(json.dumps({**states, "missing": figures, "skipped": _left_out(skipped)}))
        return
    print_changes(states, skipped, form)
    for entry in missing:
        facts = ", ".join(fact for fact in (entry.url, entry.contact) if fact)
        click.echo(f"text not found: {entry.name}{f' ({facts})' if facts else ''}", err=True)


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
        click.echo(f"{marked} {figures['drawn']}  {counts}  {entry.name}  {facts}".rstrip())


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


def _left_out(skipped: list[Skipped]) -> list[dict[str, str]]:
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
        return {**figures, "verified": False, "reason": "its text was not found", "passages": []}
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

    console.print(Text(document.name, "bold"), soft_wrap=True)
    for note in hits.notes:
        console.print(Text(f"note: {note}", "yellow"), soft_wrap=True)
    if explain:
        figures = ", ".join(f"{name.replace('_', '-')} {value:,}" for name, value in asdict(hits.cost).items())
        console.print(Text(figures, "dim"), soft_wrap=True)
    if not len(hits):
        console.print("no registered document shares enough with it")
    for hit in hits:
        facts = "  ".join(fact for fact in (hit.document.date, hit.document.url, hit.document.contact) if fact)
        console.print(Text(f"{100 * hit.ratio:4.0f}%  {hit.document.name}  {facts}".rstrip()), soft_wrap=True)
        if hit.warning:
            console.print(Text(f"       {hit.warning}", "yellow"), soft_wrap=True)
        if witnesses is not None:
            _print_passages(console, witnesses.get(hit.document.name))


def _print_passages(console: Any, witness: Witness | None) -> None:
    from rich.text import Text

    if witness is None or witness.fault:
        reason = "its text was not found" if witness is None else witness.fault
        console.print(Text(f"       not verified: {reason}", "yellow"), soft_wrap=True)
        return
    if not witness.passages:
        console.print(Text("       no passage in common", "dim"))
    for passage in witness.passages[:PASSAGES]:
        quoted = " ".join(witness.right[passage.right.start : passage.right.end].split())
        quoted = quoted if len(quoted) <= LETTERS else quoted[: LETTERS - 1] + "…"
        lines = f"line {passage.left.start_line} is line {passage.right.start_line}"
        console.print(Text(f"       {passage.symbols:6,} symbols, {lines}: {quoted}", "dim"), soft_wrap=True)
    if len(witness.passages) > PASSAGES:
        console.print(Text(f"       and {len(witness.passages) - PASSAGES:,} passages more", "dim"))
