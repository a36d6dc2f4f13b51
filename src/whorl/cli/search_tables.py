"""What ``whorl search`` shows a person of an answer, which an index or a server gave."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

# Passages and letters of each that a person reads in a table; --format json has all.
PASSAGES = 3
LETTERS = 70

# Names of near-identical documents that are shown under the best of them.
NAMES = 5

# How much somebody else's document shares, where a server tells no more.
_LEVELS = {"some": "some of it", "much": "much of it", "most": "most of it"}


def print_answer(answer: dict[str, Any], explain: bool) -> None:
    """The hits of one file, each with its best passages."""
    console = Console(highlight=False)
    console.print(Text(answer["name"], "bold"), soft_wrap=True)
    for note in answer["notes"]:
        console.print(Text(f"note: {note}", "yellow"), soft_wrap=True)
    if explain:
        told = ", ".join(f"{name.replace('_', '-')} {value:,}" for name, value in answer["cost"].items())
        console.print(Text(told, "dim"), soft_wrap=True)
    if not answer["hits"] and not answer.get("foreign"):
        console.print("nothing in the index shares a fingerprint with it")
    for hit, alike in _shown(answer):
        _print_hit(console, hit)
        _print_alike(console, alike)
        _print_passages(console, hit)
    _print_foreign(console, answer.get("foreign", []))


def _shown(answer: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The hits that have lines of their own, each with those that are alike."""
    if "groups" not in answer:
        yield from ((hit, []) for hit in answer["hits"])
        return
    by_name = {hit["document"]["name"]: hit for hit in answer["hits"]}
    yield from ((by_name[group["document"]], group["alike"]) for group in answer["groups"])


def _print_hit(console: Console, hit: dict[str, Any]) -> None:
    document = hit["document"]
    more = f", who has {hit['others']:,} more" if hit["others"] else ""
    owner = f"  ({document['owner']}{more})" if document.get("owner") else ""
    shares = f"{100 * hit['score']:4.0f}%  resembles {100 * hit['resemblance']:.0f}%, "
    told = f"has {100 * hit['containment']:.0f}% of the file, {100 * hit['contained']:.0f}% of it is in the file"
    console.print(Text(f"{shares}{told}  {document['name']}{owner}"), soft_wrap=True)


def _print_alike(console: Console, alike: list[dict[str, Any]]) -> None:
    if alike:
        names = ", ".join(f"{each['document']} ({100 * each['resemblance']:.0f}%)" for each in alike[:NAMES])
        more = f" and {len(alike) - NAMES:,} more" if len(alike) > NAMES else ""
        console.print(Text(f"       and {len(alike):,} near-identical: {names}{more}"), soft_wrap=True)


def _print_passages(console: Console, hit: dict[str, Any]) -> None:
    passages = hit["passages"]
    if passages and not hit["verified"]:
        console.print(Text("       not verified: the index keeps no texts", "yellow"))
    for passage in passages[:PASSAGES]:
        left, right = passage["left"], passage["right"]
        quoted = " ".join(right.get("text", "").split())
        quoted = quoted if len(quoted) <= LETTERS else quoted[: LETTERS - 1] + "…"
        lines = f"line {left['start_line']} is line {right['start_line']}" if hit["verified"] else "somewhere"
        console.print(Text(f"       {passage['symbols']:6,} symbols, {lines}: {quoted}", "dim"), soft_wrap=True)
    if len(passages) > PASSAGES:
        console.print(Text(f"       and {len(passages) - PASSAGES:,} passages more", "dim"))


def _print_foreign(console: Console, foreign: list[dict[str, str]]) -> None:
    for each in foreign:
        contact = f": ask {each['contact']}" if "contact" in each else ""
        told = _LEVELS.get(each.get("level", ""), "something of it")
        console.print(Text(f"       somebody else's document has {told}{contact}"), soft_wrap=True)
