"""Snippets of real releases in programs of one's own: are they found, and is the right release named?

    python -m benchmarks.provenance FOLDER [--megabytes 50] [--snippets 1000] [--seed 2] [--index FOLDER]
        [--misses FILE] [--schemas FOLDER]

FOLDER holds a folder for each release, such as ``site-packages``; its Python files fill the index. A snippet has 5 to
40 lines and, in its release, at least 11 tokens: imports, decorators, comments and docstrings have none, and a list of
names that was cut out of an import has none either. It is planted in a program that is otherwise new. Half of them are
disguised: identifiers renamed, lines indented and ended differently. A release is right if it has the snippet letter
for letter, white space aside; further figures also count a release that has the same tokens in a row, for a disguised
snippet fits it as well. ``--misses`` writes the snippets whose right release is not named first. ``--schemas``
validates the bills of materials with the official JSON schemas in that folder (``bom-1.5.schema.json`` and the two that
it refers to; ``spdx-schema.json`` of SPDX 2.3).
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
from collections import defaultdict
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


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a right release is named for a part of the snippet, and first; the first that is named; and whether one
    that is named, and the first, is right or has the snippet's tokens in a row."""

    is_named: bool
    is_first: bool
    first: str
    is_found: bool
    has_tokens: bool
    file: CheckedFile


def judged(index: whorl.Index, text: str, snippet: Span, right: set[str]) -> Judgement:
    """Check a program, and judge the releases that are named for its snippet."""
    check = whorl.check_manuscript(index, Document("mine.py", text))
    named = [
        origin
        for origin in origins(check)
        if any(span.start < snippet.end and snippet.start < span.end for span in origin.spans)
    ]
    names, file = [origin.release.name for origin in named], CheckedFile("mine.py", text.encode(), check)
    if not names:
        return Judgement(False, False, "", False, False, file)
    is_first, is_named, tokens = names[0] in right, not right.isdisjoint(names), _tokens(text[slice(*snippet)])
    have_tokens = (tokens in _tokens(index.text(origin.document.name)) for origin in named)
    has_tokens = is_first or next(have_tokens)
    return Judgement(is_named, is_first, names[0], is_named or has_tokens or any(have_tokens), has_tokens, file)


def _tokens(text: str) -> str:
    """Return the tokens of a program, with a space before and after each."""
    stream = read_whole(Document("a.py", text), whorl.PRESETS["code"], Key.PUBLIC).stream
    return f" {' '.join(map(str, stream.symbols.tolist()))} "


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
    texts = defaultdict[str, list[str]](list)
    for release, _, text in files:
        texts[release].append("".join(text.split()))
    whole = {release: "\n".join(parts) for release, parts in texts.items()}
    results: dict[str, list[Judgement]] = {"as it is": [], "disguised": []}
    missed, cpu = list[dict[str, Any]](), 0.0
    for number, (release, snippet) in enumerate(chosen):
        bare = "".join(snippet.split())
        right = {name for name, text in whole.items() if bare in text}
        shown, start = disguised(snippet) if number % 2 else snippet, time.process_time()
        judgement = judged(index, *planted(shown, number), right)
        cpu += time.process_time() - start
        results["disguised" if number % 2 else "as it is"].append(judgement)
        if not judgement.is_first:
            about = {"number": number, "release": release, "right": sorted(right), "snippet": shown}
            missed.append(
                {
                    **about,
                    "named": judgement.is_named,
                    "first": judgement.first,
                    "found": judgement.is_found,
                    "same": judgement.has_tokens,
                }
            )
    print(f"{cpu / len(chosen):.2f} s CPU for a check")
    for name, rows in results.items():
        print(f"{name}, {len(rows)} snippets: {_figures(rows)}")
    if misses is not None:
        misses.write_text(json.dumps(missed, indent=1))
    return [judgement.file for rows in results.values() for judgement in rows]


def _figures(rows: list[Judgement]) -> str:
    names = ("is_named", "is_found", "is_first", "has_tokens")
    named, found, first, tokens = (sum(getattr(row, name) for row in rows) / max(1, len(rows)) for name in names)
    return (
        f"a right release named {named:.3f}, or one with the same tokens {found:.3f}; "
        f"named first {first:.3f}, or one with the same tokens {tokens:.3f}"
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
