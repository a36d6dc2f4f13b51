"""Export a comparison as a result file of JPlag, which its viewer opens."""

import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Any

from whorl.comparison.result import Cluster, Comparison, Pair, Run
from whorl.errors import InputError
from whorl.matching.passage import Match, Passage
from whorl.model import Span

# The version of JPlag whose result files have this layout; its viewer refuses files of much older versions.
JPLAG_VERSION = {"major": 6, "minor": 3, "patch": 0}

# Whorl's formats that JPlag has under another name or its own; a result with others is "multi".
LANGUAGES = {"python": "python3", "r": "rlang"} | {
    name: name
    for name in (
        "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "rust", "scheme", "swift", "text", "typescript",
    )
}  # fmt: skip


def check_jplag(path: Path) -> None:
    """Raise InputError unless a result file can be written to this path."""
    if not path.name:
        raise InputError(f"{str(path)!r}: name a file for the result, such as result.jplag")
    around = path.resolve().parent
    if not around.is_dir() or not os.access(around, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot write the result for JPlag: {around} is not a folder that you may write to")
    if path.exists() and not path.is_file():  # the result is put in its place, also in that of /dev/null
        raise InputError(f"{path}: is a folder or a device: name a file for the result, such as result.jplag")


def write_jplag(comparison: Comparison, path: Path, now: datetime) -> None:
    """Write the listed pairs as a result file that JPlag's viewer opens: a zip file of JSON and of the texts.

    The average similarity is Whorl's score, the maximum similarity is the larger coverage. Positions in lists of
    tokens, which the viewer does not use, are positions in the text.
    """
    fresh = path.with_name(f".{path.name}.{token_hex(4)}.new")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            _JPlagResult(comparison, archive).write(now)
        fresh.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot write the result for JPlag: {error.strerror or error}") from error
    finally:
        fresh.unlink(missing_ok=True)


class _JPlagResult:
    """The entries of a result file. The id of a submission is its number, so that any name can be shown. Only
    submissions in listed pairs have files."""

    def __init__(self, comparison: Comparison, archive: zipfile.ZipFile) -> None:
        self._comparison, self._archive = comparison, archive
        self._ids = [f"s{number + 1:04d}" for number in range(len(comparison.submissions))]
        listed = sorted({side for pair in comparison.pairs for side in (pair.left, pair.right)})
        self._files = {number: self._file_names(number) for number in listed}

    def write(self, now: datetime) -> None:
        """Write all entries."""
        pairs, ids = self._comparison.pairs, self._ids
        lookup: dict[str, dict[str, str]] = {ids[number]: {} for number in self._files}
        for pair in pairs:
            left, right = ids[pair.left], ids[pair.right]
            lookup[left][right] = lookup[right][left] = f"{left}-{right}.json"
            self._entry(f"comparisons/{left}-{right}.json", self._report(pair))
        names = {id_: self._comparison.submissions[number].name for number, id_ in enumerate(ids)}
        self._entry("submissionMappings.json", {"submissionIds": names, "submissionIdsToComparisonFileName": lookup})
        self._entry("topComparisons.json", [
            {"firstSubmission": ids[pair.left], "secondSubmission": ids[pair.right],
             "similarities": self._similarities(pair)}
            for pair in pairs
        ])  # fmt: skip
        self._entry("cluster.json", [*map(self._cluster, self._comparison.clusters)])
        self._entry("distribution.json", self._distributions())
        self._entry("runInformation.json", self._run_information(now))
        self._entry("options.json", _jplag_options(self._comparison))
        self._write_files()

    def _entry(self, name: str, value: object) -> None:
        self._archive.writestr(name, json.dumps(value))

    def _file_names(self, number: int) -> dict[str, str]:
        """Return a path below the submission's id for each file, without parts that lead elsewhere."""
        names: dict[str, str] = {}
        for file in self._comparison.submissions[number].files:
            parts = [part for part in PurePosixPath(file.name).parts if part not in ("/", "..")]
            name = "/".join([self._ids[number], *(parts or ["file"])])
            names[file.name] = name if name not in names.values() else f"{name} ({len(names)})"
        return names

    def _write_files(self) -> None:
        counts: dict[str, dict[str, dict[str, int]]] = {}
        for number, names in self._files.items():
            id_, files = self._ids[number], self._comparison.submissions[number].files
            counts[id_] = {names[file.name]: {"tokenCount": file.symbols} for file in files}
            starter_code = []
            for at, file in enumerate(files):
                text = self._comparison.text(number, at)
                self._archive.writestr(f"files/{names[file.name]}", text.encode("utf-8", "replace"))
                starter_code += [_starter_code(names[file.name], span, text) for span in file.sanctioned]
            self._entry(f"basecode/{id_}.json", starter_code)
        self._entry("submissionFileIndex.json", {"fileIndexes": counts})

    def _similarities(self, pair: Pair) -> dict[str, float]:
        sizes = [self._comparison.submissions[side].symbols for side in (pair.left, pair.right)]
        return {"AVG": pair.score, "MAX": pair.coverage, "LONGEST_MATCH": pair.longest, "MAXIMUM_LENGTH": max(sizes)}

    def _report(self, pair: Pair) -> dict[str, Any]:
        texts = {
            (side, file.name): self._comparison.text(side, at)
            for side in (pair.left, pair.right)
            for at, file in enumerate(self._comparison.submissions[side].files)
        }
        return {
            "firstSubmissionId": self._ids[pair.left],
            "secondSubmissionId": self._ids[pair.right],
            "similarities": self._similarities(pair),
            "matches": [self._match(pair, *match, texts) for match in _disjoint(pair)],
            "firstSimilarity": pair.left_coverage,
            "secondSimilarity": pair.right_coverage,
        }

    def _match(
        self, pair: Pair, passage: Passage, match: Match, texts: Mapping[tuple[int, str], str]
    ) -> dict[str, Any]:
        row: dict[str, Any] = {}
        sides = (("First", pair.left, passage.left, match.left), ("Second", pair.right, passage.right, match.right))
        for name, number, side, span in sides:
            text = texts[number, side.file]
            row[f"{name.lower()}FileName"] = self._files[number][side.file]
            row[f"startIn{name}"], row[f"endIn{name}"] = _position(text, span.start), _position(text, span.end)
            row[f"lengthOf{name}"] = match.symbols
        return row

    def _cluster(self, cluster: Cluster) -> dict[str, Any]:
        """Return a cluster. Its strength is the mean score over all pairs of members, unlisted ones included as 0."""
        scores = [self._comparison.pairs[number].score for number in cluster.pairs]
        members = len(cluster.members)
        return {
            "averageSimilarity": sum(scores) / max(1, len(scores)),
            "strength": sum(scores) / (members * (members - 1) / 2),
            "members": [self._ids[member] for member in cluster.members],
        }

    def _distributions(self) -> dict[str, list[int]]:
        """Return the number of pairs in each percent. Pairs that are not listed count by their score in both."""
        comparison = self._comparison
        average = [*comparison.scores]
        average[0] += comparison.compared - sum(average)
        maximum = [*average]
        for pair in comparison.pairs:
            maximum[int(100 * pair.score)] -= 1
            maximum[int(100 * pair.coverage)] += 1
        return {name: [*row[:99], row[99] + row[100]] for name, row in (("AVG", average), ("MAX", maximum))}

    def _run_information(self, now: datetime) -> dict[str, Any]:
        failed = sorted({item.submission for item in self._comparison.not_compared if item.submission})
        return {
            "version": JPLAG_VERSION,
            "failedSubmissions": [{"submissionId": name, "submissionState": "CANNOT_PARSE"} for name in failed],
            "dateOfExecution": f"{now:%d/%m/%y}",
            "executionTime": 0,
            "totalComparisons": self._comparison.compared,
        }


def _disjoint(pair: Pair) -> Iterator[tuple[Passage, Match]]:
    """Yield matches that do not overlap on a side, as JPlag's do not: passages, the longest first, as a whole or, if
    they overlap, by their matches."""
    taken: dict[tuple[str, str], list[Span]] = {}
    for passage in sorted(pair.passages, key=lambda passage: -passage.symbols):
        whole = Match(Span(*passage.left[1:3]), Span(*passage.right[1:3]), passage.symbols)
        if _takes(taken, passage, whole):
            yield passage, whole
        else:
            yield from ((passage, match) for match in passage.matches if _takes(taken, passage, match))


def _takes(taken: dict[tuple[str, str], list[Span]], passage: Passage, match: Match) -> bool:
    """Add a match to the taken ones, unless it overlaps one of them."""
    sides = ((taken.setdefault(("left", passage.left.file), []), match.left),
             (taken.setdefault(("right", passage.right.file), []), match.right))  # fmt: skip
    if any(span.start < other.end and other.start < span.end for others, span in sides for other in others):
        return False
    for others, span in sides:
        others.append(span)
    return True


def _position(text: str, at: int) -> dict[str, int]:
    """Return a position: lines count from 1, columns from 0."""
    return {"line": text.count("\n", 0, at) + 1, "column": at - text.rfind("\n", 0, at) - 1, "tokenListIndex": at}


def _starter_code(name: str, span: Span, text: str) -> dict[str, Any]:
    return {"fileName": name, "start": _position(text, span.start), "end": _position(text, span.end), "tokens": 0}


def _jplag_options(comparison: Comparison) -> dict[str, Any]:
    """Return what the viewer shows as the options of the run; those that Whorl has not are off."""
    formats = {file.format for submission in comparison.submissions for file in submission.files}
    language = LANGUAGES.get(next(iter(formats)), "multi") if len(formats) == 1 else "multi"
    run = comparison.run or Run((), (), (), {})
    return {
        "language": language,
        "minimumTokenMatch": comparison.scheme.guarantee or comparison.scheme.k,
        "submissionDirectories": list(run.paths),
        "oldSubmissionDirectories": list(run.archive),
        "baseCodeSubmissionDirectory": ", ".join(run.base),
        "subdirectoryName": None,
        "fileSuffixes": [],
        "exclusionFileName": None,
        "similarityMetric": "AVG",
        "similarityThreshold": comparison.threshold,
        "maximumNumberOfComparisons": len(comparison.pairs),
        "clusteringOptions": {"enabled": True, "algorithm": "CONNECTED_COMPONENTS", "similarityMetric": "AVG"},
        "debugParser": False,
        "mergingOptions": {
            "enabled": False, "minimumNeighborLength": 0, "maximumGapSize": 0, "minimumRequiredMerges": 0,
        },
        "normalize": comparison.normal_forms is not None,
        "analyzeComments": False,
        "frequencyAnalysisOptions": {
            "enabled": False, "analysisStrategy": "", "weightingFunction": "", "weightingFactor": 0,
        },
    }  # fmt: skip
