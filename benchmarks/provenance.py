"""Snippets of real releases in programs of one's own: are they found, and is the right release named?

    python -m benchmarks.provenance FOLDER [--megabytes 50] [--snippets 1000] [--seed 2] [--index FOLDER]
        [--misses FILE] [--schemas FOLDER]

FOLDER holds a folder for each release, such as ``site-packages``; its Python files fill the index. A snippet has 5 to
40 lines and, in its release, at least 11 tokens: imports, decorators, comments and docstrings have none, and a list of
names that was cut out of an import has none either. It is planted in a program that is otherwise new. Half of them are
disguised: identifiers renamed, lines indented and ended differently. A release is right if it has the snippet letter
for letter, white space aside; for a disguised snippet also if its own lines, disguised, are the same letter for letter,
for nothing tells then which of them was disguised. Further figures leave out the latter. ``--misses`` writes the
snippets whose right release is not named first. ``--schemas`` validates the bills of materials with the official JSON
schemas in that folder (``bom-1.5.schema.json`` and the two that it refers to; ``spdx-schema.json`` of SPDX 2.3).
"""

import argparse
import io
import json
import keyword
import random
import re
import tempfile
import time
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import whorl
from whorl.engine.documents import read_whole
from whorl.engine.hashing import Key
from whorl.model import Document, Span
from whorl.report.provenance import CheckedFile, cyclonedx, origins, spdx

LEAST_TOKENS = 11
# A name; the letters before a quotation mark, as in r"…" and f"…", are a part of the string.
_NAME = re.compile(r"\b[^\W\d]\w*\b(?![\"'])")


def sources(folder: Path, megabytes: float) -> Iterator[tuple[str, Path, str]]:
    """Yield the release, the path and the text of Python files, whole releases until there are enough megabytes."""
    releases, size = sorted(path for path in folder.iterdir() if path.is_dir()), 0
    random.Random(1).shuffle(releases)
    for release in releases:
        for path in sorted(release.rglob("*.py")):
            text = path.read_bytes().decode("utf-8", "replace")
            size += len(text)
            yield release.name, path, text
        if size > megabytes * 1e6:
            return


def filled(folder: Path, files: list[tuple[str, Path, str]]) -> whorl.Index:
    """Return the index, made unless it is there."""
    if folder.exists():
        return whorl.Index.open(folder)
    index = whorl.Index.create(folder, "code")
    documents = (
        Document(str(path), text, labels=(f"purl=pkg:generic/{release}@1", "licence=MIT"))
        for release, path, text in files
    )
    for _ in index.add_all(documents, threads=2):
        pass
    index.flush()
    return index


def snippets(files: list[tuple[str, Path, str]], count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield releases and snippets of them. None begins or ends inside a string: its tokens would be others."""
    chance, made = random.Random(seed), 0
    while made < count:
        release, _, text = chance.choice(files)
        lines, size = text.splitlines(keepends=True), chance.randint(5, 40)
        start = chance.randrange(max(1, len(lines) - size + 1))
        snippet, inside = "".join(lines[start : start + size]), _inside_strings(text)
        if len(lines) < size or start + 1 in inside or start + size + 1 in inside:
            continue
        before = len("".join(lines[:start]))
        if _tokens_within(text, Span(before, before + len(snippet))) >= LEAST_TOKENS:
            made += 1
            yield release, snippet


def _tokens_within(text: str, span: Span) -> int:
    """Return the number of tokens of a program that begin in a part of it."""
    starts = read_whole(Document("a.py", text), whorl.PRESETS["code"], Key.PUBLIC).stream.starts
    return int(((starts >= span.start) & (starts < span.end)).sum())


def _inside_strings(text: str) -> set[int]:
    """Return the lines of a program that begin inside a string, counted from 1; all of them if it is none."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return set(range(1, text.count("\n") + 3))
    strings = [token for token in tokens if token.type == tokenize.STRING]
    return {line for token in strings for line in range(token.start[0] + 1, token.end[0] + 1)}


def disguised(snippet: str) -> str:
    """Return a snippet with other names, indentation and line ends."""
    names = dict[str, str]()

    def other(match: re.Match[str]) -> str:
        return match[0] if keyword.iskeyword(match[0]) else names.setdefault(match[0], f"name{len(names)}")

    renamed = _NAME.sub(other, snippet)
    return "".join(f"  {line}\r\n" for line in renamed.splitlines())


def planted(snippet: str, number: int) -> tuple[str, Span]:
    """Return a program with the snippet, and where it is."""
    before = f'"""Program {number}."""\n\n'
    return f"{before}{snippet}\nprint('the end of {number}')\n", Span(len(before), len(before) + len(snippet))


def shape(text: str) -> tuple[str, list[str]]:
    """Return a program without white space and with a blank for each name, and its names."""
    names = list[str]()

    def blank(match: re.Match[str]) -> str:
        if keyword.iskeyword(match[0]):
            return match[0]
        names.append(match[0])
        return "\0"

    return "".join(_NAME.sub(blank, text).split()), names


def _numbered(names: list[str]) -> list[int]:
    """Return names as numbers: how many others occur before each for the first time."""
    numbers = dict[str, int]()
    return [numbers.setdefault(name, len(numbers)) for name in names]


class Truth:
    """The texts of the releases, and which of them have a snippet."""

    def __init__(self, files: list[tuple[str, Path, str]]) -> None:
        self._files = [(release, text, "".join(text.split()), shape(text)[0]) for release, _, text in files]

    def literal(self, snippet: str) -> set[str]:
        """Return the releases that have the snippet letter for letter."""
        bare = "".join(snippet.split())
        return {release for release, _, text, _ in self._files if bare in text}

    def disguised(self, snippet: str) -> set[str]:
        """Return the releases that have lines with the same disguise."""
        blanked, names = shape(snippet)
        numbers = _numbered(names)
        return {
            release
            for release, text, _, shaped in self._files
            if blanked in shaped and any(each == numbers for each in self._occurrences(text, shaped, blanked))
        }

    @staticmethod
    def _occurrences(text: str, shaped: str, blanked: str) -> Iterator[list[int]]:
        """Yield the names, as numbers, at each place of a text that has the shape of a snippet."""
        names, place, count = shape(text)[1], shaped.find(blanked), blanked.count("\0")
        while place >= 0:
            first = shaped.count("\0", 0, place)
            yield _numbered(names[first : first + count])
            place = shaped.find(blanked, place + 1)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The releases that are named for a part of a snippet, best first, the right ones, and those that have it letter
    for letter."""

    named: list[str]
    right: set[str]
    literal: set[str]
    file: CheckedFile

    @property
    def is_named(self) -> bool:
        """Whether a right release is named."""
        return not self.right.isdisjoint(self.named)

    @property
    def is_first(self) -> bool:
        """Whether a right release is named first."""
        return self.named[:1] != [] and self.named[0] in self.right

    @property
    def is_literal(self) -> bool:
        """Whether a release is named that has the snippet letter for letter."""
        return not self.literal.isdisjoint(self.named)

    @property
    def is_literal_first(self) -> bool:
        """Whether such a release is named first."""
        return self.named[:1] != [] and self.named[0] in self.literal


def judged(index: whorl.Index, text: str, snippet: Span, right: set[str], literal: set[str]) -> Judgement:
    """Check a program, and judge the releases that are named for its snippet."""
    check = whorl.check_manuscript(index, Document("mine.py", text))
    named = [
        origin.release.name
        for origin in origins(check)
        if any(span.start < snippet.end and snippet.start < span.end for span in origin.spans)
    ]
    return Judgement(named, right, literal, CheckedFile("mine.py", text.encode(), check))


def main() -> None:
    """Fill the index, plant the snippets, check each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--snippets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--misses", type=Path)
    parser.add_argument("--schemas", type=Path)
    options = parser.parse_args()
    files = list(sources(options.folder, options.megabytes))
    releases, size = {release for release, _, _ in files}, sum(len(text) for _, _, text in files)
    print(f"{len(files):,} files of {len(releases)} releases, {size:,} characters")
    with tempfile.TemporaryDirectory() as home, filled(options.index or Path(home) / "index", files) as index:
        checks = measured(index, files, list(snippets(files, options.snippets, options.seed)), options.misses)
    if options.schemas is not None:
        validate(spdx(checks, "planted"), cyclonedx(checks, "planted"), options.schemas)


def measured(
    index: whorl.Index, files: list[tuple[str, Path, str]], chosen: list[tuple[str, str]], misses: Path | None
) -> list[CheckedFile]:
    """Check the planted programs, and say what was found."""
    truth, cpu = Truth(files), 0.0
    results: dict[str, list[Judgement]] = {"as it is": [], "disguised": []}
    missed = list[dict[str, Any]]()
    for number, (release, snippet) in enumerate(chosen):
        is_disguised, literal = bool(number % 2), truth.literal(snippet)
        right = truth.disguised(snippet) if is_disguised else literal
        shown, start = disguised(snippet) if is_disguised else snippet, time.process_time()
        judgement = judged(index, *planted(shown, number), right, literal)
        cpu += time.process_time() - start
        results["disguised" if is_disguised else "as it is"].append(judgement)
        if not judgement.is_first:
            sets = {"right": sorted(right), "literal": sorted(literal), "named": judgement.named}
            missed.append({"number": number, "release": release, **sets, "snippet": shown})
    print(f"{cpu / len(chosen):.2f} s CPU for a check")
    for name, rows in results.items():
        print(f"{name}, {len(rows)} snippets: {_figures(rows)}")
    if misses is not None:
        misses.write_text(json.dumps(missed, indent=1))
    return [judgement.file for rows in results.values() for judgement in rows]


def _figures(rows: list[Judgement]) -> str:
    figures = ("is_named", "is_first", "is_literal", "is_literal_first")
    named, first, literal, literal_first = (
        sum(getattr(row, each) for row in rows) / max(1, len(rows)) for each in figures
    )
    return (
        f"a right release named {named:.3f}, first {first:.3f}; "
        f"one that has it letter for letter {literal:.3f}, first {literal_first:.3f}"
    )


def validate(spdx_document: dict[str, Any], cyclonedx_document: dict[str, Any], folder: Path) -> None:
    """Validate both documents with the official schemas."""
    import jsonschema_rs

    def schema(address: str) -> Any:
        return json.loads((folder / address.rpartition("/")[2]).read_text())

    for name, document in (("spdx-schema.json", spdx_document), ("bom-1.5.schema.json", cyclonedx_document)):
        if (folder / name).exists():
            errors = list(jsonschema_rs.validator_for(schema(name), retriever=schema).iter_errors(document))
            print(f"{name}: {len(errors)} errors")


if __name__ == "__main__":
    main()
