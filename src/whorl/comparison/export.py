"""Export a comparison as JSON, CSV and SARIF. The keys are a public interface."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from whorl._version import VERSION
from whorl.comparison.evidence.finding import Finding
from whorl.comparison.result import Comparison, Pair, Run, Submission
from whorl.matching.passage import Passage, Side
from whorl.model import Skipped

# The measures of a pair, in the order of the columns.
NUMBERS = (
    "score",
    "similarity",
    "containment",
    "left_coverage",
    "right_coverage",
    "longest",
    "shared_fingerprints",
)
# Columns after the facts about the submissions.
REASONS = ("matched", "damping", "listed")
# Optional facts about a submission, from the roster.
FACTS = ("person", "assignment", "label", "date")


def as_json(comparison: Comparison) -> dict[str, Any]:
    """Return the whole comparison in plain values."""
    names = [submission.name for submission in comparison.submissions]
    forms = comparison.normal_forms
    normal = {} if forms is None else {"normal_form": {"files": forms.files, "without": forms.without}}
    run = {} if comparison.run is None else {"run": _run(comparison.run)}
    return {
        "version": VERSION,
        **run,
        "scheme": {"id": comparison.scheme.id, **comparison.scheme.as_dict(), "guarantee": comparison.scheme.guarantee},
        "not_compared": [item._asdict() for item in comparison.not_compared],
        "threshold": comparison.threshold,
        "long": comparison.long,
        "measure": comparison.measure,
        "compared": comparison.compared,
        "layouts": [each._asdict() for each in comparison.layouts],
        "unlisted": comparison.unlisted,
        "typical": {"median": comparison.quantile(0.5), "p95": comparison.quantile(0.95)},
        **normal,
        "submissions": [
            {**_submission(submission), "findings": _findings(comparison.findings.of_submission(number), names)}
            for number, submission in enumerate(comparison.submissions)
        ],
        "pairs": [
            {**_pair(pair, names), "findings": _findings(comparison.findings.of_pair(pair.left, pair.right), names)}
            for pair in comparison.pairs
        ],
        "omitted": comparison.omitted,
        "skipped": [_left_out(item) for item in comparison.skipped],
        "identical": [[names[member] for member in group] for group in comparison.identical],
        "clusters": [[names[member] for member in cluster.members] for cluster in comparison.clusters],
        "groups": [
            {"left": group.left, "right": group.right, "score": group.score, "pairs": list(group.pairs)}
            for group in comparison.groups
        ],
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "command": run.command,
        "paths": list(run.paths),
        "base": list(run.base),
        "archive": list(run.archive),
        "settings": dict(run.settings),
    }


def as_rows(comparison: Comparison) -> Iterator[list[str]]:
    """Yield a table of the pairs; the first row names the columns."""
    yield ["left", "right", *NUMBERS, *(f"{side}_{fact}" for side in ("left", "right") for fact in FACTS), *REASONS]
    for pair in comparison.pairs:
        sides = comparison.submissions[pair.left], comparison.submissions[pair.right]
        values = [getattr(pair, name) for name in NUMBERS]
        facts = [getattr(side, fact) or "" for side in sides for fact in FACTS]
        texts = [cell(text) for text in (sides[0].name, sides[1].name, *facts)]
        reasons = [str(pair.score_parts.matched), _number(pair.score_parts.damping), pair.listed]
        yield [*texts[:2], *(_number(value) for value in values), *texts[2:], *reasons]


# A text that a spreadsheet reads as a formula, also in full-width letters; and one inside a text, after a mark that
# some spreadsheets take for the end of a cell.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
_INNER = re.compile(r"([;|\t\r\n])(\s*+)([=+\-@＝＋－＠]?)")


def cell(text: str) -> str:
    """Quote a text that a spreadsheet would read as a formula."""
    inner = _INNER.sub(lambda match: f"{match[1]}'{match[2]}{match[3]}" if match[3] else match[0], text)
    return f"'{inner}" if _FORMULA.match(text) else inner


# The score from which a result of SARIF is a warning; below, it is a note.
WARNING = 0.5
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULE = "shared-passage"


def as_sarif(comparison: Comparison) -> dict[str, Any]:
    """Return the passages as results of SARIF 2.1.0, best pair first: the left side is the location of a result, the
    right side its related location. The rank is the score of the pair in percent."""
    from importlib.metadata import version  # slow to import, and the other formats need none

    driver = {
        "name": "Whorl",
        "semanticVersion": version("whorl"),
        "rules": [{"id": _RULE, "shortDescription": {"text": "Two submissions share a passage"}}],
    }
    notes = [
        {"level": "warning", "message": {"text": f"{item.submission}: {item.file}: not compared: {item.reason}"}}
        for item in comparison.not_compared
    ]
    results = [result for pair in comparison.pairs for result in _results(pair, comparison)]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": results,
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(pair: Pair, comparison: Comparison) -> Iterator[dict[str, Any]]:
    sides = comparison.submissions[pair.left], comparison.submissions[pair.right]
    left, right = (side.name for side in sides)
    unit = comparison.scheme.symbols or "symbols"
    for passage in pair.passages:
        lines = f"lines {passage.right.start_line} to {passage.right.end_line} of {passage.right.file}"
        text = f"{left} shares {passage.symbols} {unit} with {right}: {lines}. The pair scores {pair.score:.0%}."
        yield {
            "ruleId": _RULE,
            "level": "warning" if pair.score >= WARNING else "note",
            "message": {"text": text},
            "rank": round(100 * pair.score, 2),
            "locations": [_location(sides[0], passage.left)],
            "relatedLocations": [{"id": 1, "message": {"text": right}, **_location(sides[1], passage.right)}],
            "properties": {name: getattr(pair, name) for name in NUMBERS},
        }


def _location(submission: Submission, side: Side) -> dict[str, Any]:
    """Return the place of a side: a path from where the comparison ran, or a file's URI if the path is absolute."""
    place = submission.place or f"{submission.name}/"
    name = f"{place}{side.file}" if place.endswith("/") else place
    uri = Path(name).as_uri() if name.startswith("/") else quote(Path(name).as_posix())
    region = {"startLine": side.start_line, "endLine": side.end_line}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _left_out(item: Skipped) -> dict[str, Any]:
    return {
        "submission": item.submission, "file": item.name, "reason": item.reason, "files": item.files, "size": item.size,
    }  # fmt: skip


def _submission(submission: Submission) -> dict[str, Any]:
    facts = {fact: value for fact in FACTS if (value := getattr(submission, fact)) is not None}
    files = [
        {
            "name": file.name,
            "format": file.format,
            "symbols": file.symbols,
            "size": file.size,
            "sha256": file.digest,
            "notes": list(file.notes),
        }
        for file in submission.files
    ]
    return {
        "name": submission.name,
        "symbols": submission.symbols,
        "fingerprints": submission.fingerprints,
        "archived": submission.archived,
        "sha256": submission.digest,
        **facts,
        "files": files,
    }


def _pair(pair: Pair, names: list[str]) -> dict[str, Any]:
    measures = {name: getattr(pair, name) for name in NUMBERS}
    passages = [_passage(passage) for passage in pair.passages]
    return {
        "left": names[pair.left],
        "right": names[pair.right],
        **measures,
        "parts": [part._asdict() for part in pair.score_parts.parts],
        "matched": pair.score_parts.matched,
        "damping": pair.score_parts.damping,
        "listed": pair.listed,
        "same_as": pair.same_as,
        "passages": passages,
    }


def _findings(findings: tuple[Finding, ...], names: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "kind": finding.kind,
            "words": finding.words,
            "places": [
                {"submission": names[place.submission], "file": place.file, "line": place.line}
                for place in finding.places
            ],
        }
        for finding in findings
    ]


def _passage(passage: Passage) -> dict[str, Any]:
    matches = [
        {"left": match.left._asdict(), "right": match.right._asdict(), "symbols": match.symbols}
        for match in passage.matches
    ]
    is_normal = passage.stream == "normal"
    stream = {"stream": passage.stream, "rewrites": list(passage.rewrites)} if is_normal else {}
    return {
        "left": passage.left._asdict(),
        "right": passage.right._asdict(),
        "symbols": passage.symbols,
        **stream,
        "matches": matches,
    }
