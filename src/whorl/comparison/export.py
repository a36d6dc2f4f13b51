"""A comparison as JSON and as CSV, for scripts. The keys are a promise."""

from collections.abc import Iterator
from typing import Any

from whorl.comparison.evidence.finding import Finding
from whorl.comparison.result import Comparison, Pair, Submission
from whorl.matching.passage import Passage

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
# What is known of a submission, if anything is.
FACTS = ("person", "assignment", "label", "date")


def as_json(found: Comparison) -> dict[str, Any]:
    """All of it, in plain values."""
    names = [submission.name for submission in found.submissions]
    forms = found.normal_forms
    normal = {} if forms is None else {"normal_form": {"files": forms.files, "without": forms.without}}
    return {
        "scheme": {"id": found.scheme.id, **found.scheme.as_dict(), "guarantee": found.scheme.guarantee},
        "threshold": found.threshold,
        "measure": found.measure,
        **normal,
        "submissions": [
            {**_submission(submission), "findings": _findings(found.findings.of_submission(number), names)}
            for number, submission in enumerate(found.submissions)
        ],
        "pairs": [
            {**_pair(pair, names), "findings": _findings(found.findings.of_pair(pair.left, pair.right), names)}
            for pair in found.pairs
        ],
        "omitted": found.omitted,
        "skipped": [{"file": item.name, "reason": item.reason} for item in found.skipped],
        "clusters": [[names[member] for member in cluster.members] for cluster in found.clusters],
        "groups": [
            {"left": group.left, "right": group.right, "score": group.score, "pairs": list(group.pairs)}
            for group in found.groups
        ],
    }


def as_rows(found: Comparison) -> Iterator[list[str]]:
    """A table of the pairs, its first row the names of the columns."""
    yield ["left", "right", *NUMBERS, *(f"{side}_{fact}" for side in ("left", "right") for fact in FACTS)]
    for pair in found.pairs:
        sides = found.submissions[pair.left], found.submissions[pair.right]
        values = [getattr(pair, name) for name in NUMBERS]
        facts = [getattr(side, fact) or "" for side in sides for fact in FACTS]
        yield [sides[0].name, sides[1].name, *(_number(value) for value in values), *facts]


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _submission(submission: Submission) -> dict[str, Any]:
    facts = {fact: value for fact in FACTS if (value := getattr(submission, fact)) is not None}
    files = [
        {"name": file.name, "format": file.format, "symbols": file.symbols, "notes": list(file.notes)}
        for file in submission.files
    ]
    return {
        "name": submission.name,
        "symbols": submission.symbols,
        "fingerprints": submission.fingerprints,
        "archived": submission.archived,
        **facts,
        "files": files,
    }


def _pair(pair: Pair, names: list[str]) -> dict[str, Any]:
    measures = {name: getattr(pair, name) for name in NUMBERS}
    passages = [_passage(passage) for passage in pair.passages]
    return {"left": names[pair.left], "right": names[pair.right], **measures, "passages": passages}


def _findings(found: tuple[Finding, ...], names: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "kind": finding.kind,
            "words": finding.words,
            "places": [
                {"submission": names[place.submission], "file": place.file, "line": place.line}
                for place in finding.places
            ],
        }
        for finding in found
    ]


def _passage(passage: Passage) -> dict[str, Any]:
    matches = [
        {"left": match.left._asdict(), "right": match.right._asdict(), "symbols": match.symbols}
        for match in passage.matches
    ]
    is_normal = passage.stream == "normal"
    said = {"stream": passage.stream, "rewrites": list(passage.rewrites)} if is_normal else {}
    return {
        "left": passage.left._asdict(),
        "right": passage.right._asdict(),
        "symbols": passage.symbols,
        **said,
        "matches": matches,
    }
