"""The provenance of programs: releases, lines and licences, and the bills of materials."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from whorl import Document, Exclusions, MemoryIndex, check_manuscript
from whorl.cli import main
from whorl.model import Span
from whorl.report.provenance import CheckedFile, cyclonedx, licence_expression, line_ranges, lines_text, origins, spdx

SORT = """def insertion_sort(items):
    for at in range(1, len(items)):
        value = items[at]
        while at > 0 and items[at - 1] > value:
            items[at] = items[at - 1]
            at -= 1
        items[at] = value
    return items
"""
PRIMES = """def primes(limit):
    sieve = [True] * (limit + 1)
    for number in range(2, int(limit ** 0.5) + 1):
        if sieve[number]:
            for multiple in range(number * number, limit + 1, number):
                sieve[multiple] = False
    return [number for number in range(2, limit + 1) if sieve[number]]
"""
MEAN = "def mean(values):\n    total = sum(values) / max(1, len(values))\n    return round(total, 2)\n"
OWN = 'print("grüezi", 1)\n'
SORTS = ("purl=pkg:generic/acme/sorts@2.1", "licence=MIT")


@pytest.fixture
def index():
    made = MemoryIndex.create("code")
    made.add(Document("sorts/insertion.py", SORT, labels=SORTS))
    made.add(Document("sorts/mean.py", MEAN, labels=SORTS))
    made.add(Document("primes.py", PRIMES, url="https://example.org/p", labels=("title=Primes", "licence=Ask us")))
    return made


def checked(index: MemoryIndex, content: bytes, name: str = "src/mine.py") -> CheckedFile:
    return CheckedFile(name, content, check_manuscript(index, Document(name, content)))


def renamed(program: str) -> str:
    return re.sub(r"\b(items|value|sieve|number|at)\b", lambda match: f"my_{match[0]}", program)


def test_a_program_comes_from_releases_whatever_its_names_and_line_ends(index):
    text = OWN + renamed(SORT) + OWN + PRIMES + MEAN
    best, other, common = origins(checked(index, text.replace("\n", "\r\n").encode()).check)
    assert (best.release.name, best.release.purl, best.release.licence) == ("Primes", "", "Ask us")
    assert (other.release.name, other.release.version, other.release.licence) == ("sorts", "2.1", "MIT")
    assert lines_text(line_ranges(text, other.spans)).startswith("2-")
    assert (common.release, common.document.name) == (other.release, "sorts/mean.py")
    assert [each.is_common for each in (best, other, common)] == [False, False, True]
    check = checked(index, text.encode()).check
    assert best.share + other.share == pytest.approx(check.counted.similarity, abs=0.03)
    assert best.share + other.share + common.share == pytest.approx(check.raw.similarity, abs=0.03)


def test_bills_of_materials_claim_no_descent_for_common_code(index):
    content = (PRIMES + OWN + MEAN).encode()
    check = check_manuscript(index, Document("mine.py", content), exclusions=Exclusions(min_tokens=20))
    file = CheckedFile("mine.py", content, check)
    relations = {each["relationshipType"]: each for each in spdx([file], "tree")["relationships"]}
    assert "comment" not in relations["DESCENDANT_OF"]
    assert relations["OTHER"]["comment"].startswith("Common code")
    assert relations["OTHER"]["relatedSpdxElement"] != relations["DESCENDANT_OF"]["relatedSpdxElement"]
    primes, sorts = cyclonedx([file], "tree")["components"][0]["pedigree"]["ancestors"]
    assert {each["name"] for each in primes["properties"]} == {"whorl:lines", "whorl:share", "whorl:url"}
    assert {each["name"] for each in sorts["properties"]} == {"whorl:lines", "whorl:share", "whorl:common"}


def test_a_long_passage_beats_many_short_ones(index):
    """Idioms that a large document has here and there took lines from the release that has all of them."""
    idioms = "".join(f"def f{n}(a):\n{''.join(SORT.splitlines(keepends=True)[n : n + 3])}\n" for n in range(1, 5))
    index.add(Document("idioms.py", idioms * 3 + PRIMES[: len(PRIMES) // 2], labels=("title=Idioms",)))
    result = checked(index, (OWN + SORT).encode())
    assert [origin.release.name for origin in origins(result.check)] == ["sorts"]


def test_of_equally_long_passages_the_one_with_the_same_names_wins(index):
    index.add(Document("a/renamed.py", renamed(SORT), labels=("purl=pkg:generic/renamed@1",)))
    for text, release in ((SORT, "sorts"), (renamed(SORT), "renamed")):
        (origin,) = origins(checked(index, (OWN + text).encode()).check)
        assert origin.release.name == release


def test_a_passage_with_the_same_names_beats_a_slightly_longer_one(index):
    index.add(Document("a/longer.py", f"{renamed(SORT)}\nresult = other(1)\n", labels=("purl=pkg:generic/longer@1",)))
    (origin,) = origins(checked(index, f"{OWN}{SORT}\nx = mine(1)\n".encode()).check)
    assert origin.release.name == "sorts"


# More than a line of no tokens.
IMPORTS = "from importlib.resources import files\nfrom importlib.metadata import version\nimport itertools\n\n\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("from .tools import first\n" + SORT, "from .tools import second\n" + SORT),
        (SORT.replace("(items)", '(items, "-")', 1), SORT.replace("(items)", "(items, '-')", 1)),
        ("# Sorted by insertion.\n" + SORT, "# See the manual.\n" + SORT),
        (f'"""Insertion."""\n\n{IMPORTS}{SORT}', f'"""Selection."""\n\n{IMPORTS}{SORT}'),
    ],
)
def test_of_equal_tokens_and_names_what_is_around_decides(one, other):
    """Imports, comments and quotes are no tokens, and were not looked at."""
    for programs in ((one, other), (other, one)):
        with MemoryIndex.create("code") as index:
            for number, program in enumerate(programs):
                index.add(Document(f"{number}.py", program, labels=(f"purl=pkg:generic/sorts@{number}",)))
            for number, program in enumerate(programs):
                assert [each.release.version for each in origins(checked(index, program.encode()).check)] == [
                    str(number)
                ]


def test_excluded_sources_and_short_passages_are_no_origin(index):
    document = Document("mine.py", OWN + SORT + PRIMES)
    rules = Exclusions(labels=("licence=MIT",))
    assert [each.release.name for each in origins(check_manuscript(index, document, exclusions=rules))] == ["Primes"]
    assert not origins(check_manuscript(index, document, exclusions=Exclusions(min_words=500)))


@pytest.mark.parametrize(
    ("licence", "expression"),
    [
        ("mit", "MIT"),
        ("GPL-2.0-or-later with classpath-exception-2.0", "GPL-2.0-or-later WITH Classpath-exception-2.0"),
        ("(MIT or Apache-2.0) and bsd-3-clause", "(MIT OR Apache-2.0) AND BSD-3-Clause"),
        ("GPL-2.0+", "GPL-2.0+"),
        *((wrong, "") for wrong in ("", "My own", "MIT OR", "(MIT", "MIT)", "()", "MIT WITH MIT", "OR", "MIT Zlib")),
        ("(MIT) WITH Classpath-exception-2.0", ""),
        ("MIT WITH Classpath-exception-2.0 WITH Classpath-exception-2.0", ""),
    ],
)
def test_licences_are_expressions_of_the_licence_list(licence, expression):
    assert licence_expression(licence) == expression


def elements(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    listed = [*document["files"], *document["packages"], *document["snippets"]]
    assert len({each["SPDXID"] for each in listed}) == len(listed)
    return {"SPDXRef-DOCUMENT": document, **{each["SPDXID"]: each for each in listed}}


@pytest.mark.parametrize(
    ("encoding", "line_end"), [("utf-8", "\n"), ("utf-8-sig", "\r\n"), ("latin-1", "\n"), ("utf-16", "\n")]
)
def test_spdx_has_files_snippets_and_releases(index, encoding, line_end):
    content = (OWN + SORT + OWN + PRIMES).replace("\n", line_end).encode(encoding)
    document = spdx([checked(index, content), checked(index, OWN.encode(), "own.py")], "tree")
    by_id = elements(document)
    file = by_id["SPDXRef-File-1"]
    assert file["fileName"] == "./src/mine.py"
    assert {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()} in file["checksums"]
    relations = {(each["relationshipType"], each["spdxElementId"]): each for each in document["relationships"]}
    assert all(each["relatedSpdxElement"] in by_id for each in document["relationships"])
    sources = {}
    for snippet in document["snippets"]:
        package = by_id[relations["DESCENDANT_OF", snippet["SPDXID"]]["relatedSpdxElement"]]
        places, lines = ([side[key] for side in (each["startPointer"], each["endPointer"])]
                         for each, key in zip(snippet["ranges"], ("offset", "lineNumber"), strict=True))  # fmt: skip
        wide = "utf-16-le" if encoding == "utf-16" else encoding
        sources[package["name"]] = content[places[0] - 1 : places[1]].decode(wide).replace("\r\n", "\n"), lines
    assert sources["sorts"][0].strip() in SORT
    assert sources["sorts"][1] == [2, 9]
    assert sources["Primes"][0].strip() in PRIMES
    sorts, primes = sorted(document["packages"], key=lambda each: each["name"], reverse=True)
    assert (sorts["licenseDeclared"], sorts["versionInfo"]) == ("MIT", "2.1")
    assert sorts["externalRefs"][0]["referenceLocator"] == "pkg:generic/acme/sorts@2.1"
    (own_licence,) = document["hasExtractedLicensingInfos"]
    assert (primes["licenseDeclared"], primes["sourceInfo"]) == (own_licence["licenseId"], "https://example.org/p")
    assert own_licence["extractedText"] == "Ask us"


def notebook(program: str) -> bytes:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": program.splitlines(keepends=True)}]
    metadata = {"language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def test_the_snippet_of_a_notebook_is_the_whole_file(index):
    content = notebook(SORT)
    (snippet,) = spdx([checked(index, content, "mine.ipynb")], "tree")["snippets"]
    (places,) = snippet["ranges"]
    assert (places["startPointer"]["offset"], places["endPointer"]["offset"]) == (1, len(content))


def test_cyclonedx_has_the_releases_as_ancestors(index):
    document = cyclonedx(
        [checked(index, (OWN + SORT + PRIMES).encode()), checked(index, OWN.encode(), "own.py")], "tree"
    )
    mine, own = document["components"]
    assert "pedigree" not in own
    primes, sorts = sorted(mine["pedigree"]["ancestors"], key=lambda each: each["name"])
    assert (sorts["purl"], sorts["licenses"]) == ("pkg:generic/acme/sorts@2.1", [{"expression": "MIT"}])
    assert {"name": "whorl:lines", "value": "2-9"} in sorts["properties"]
    assert primes["licenses"] == [{"license": {"name": "Ask us"}}]


def test_lines_are_ranges():
    text = "one\ntwo\nthree\nfour\nfive\n"
    assert lines_text(line_ranges(text, [Span(0, 3), Span(4, 8), Span(14, 18)])) == "1-2, 4"


def test_the_command_checks_a_tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = lambda *arguments: CliRunner().invoke(main, arguments)  # noqa: E731
    Path("release").mkdir()
    Path("release/insertion.py").write_text(SORT)
    labels = [argument for label in SORTS for argument in ("--label", label)]
    assert run("index", "build", "code.index", "release", "--scheme", "code", *labels).exit_code == 0
    Path("tree/deep").mkdir(parents=True)
    Path("tree/deep/mine.py").write_text(OWN + SORT)
    Path("tree/own.py").write_text(OWN)
    Path("tree/README.md").write_text("# Read me\n")
    result = run("check", "code.index", "tree")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "tree/deep/mine.py"
    assert lines[2].endswith("pkg:generic/acme/sorts@2.1  (release/insertion.py), lines 2-9, licence MIT")
    assert lines[3:] == ["1 file without a source"]
    assert "skipped: tree/README.md: " in result.stderr
    document = json.loads(run("check", "code.index", "tree", "--format", "spdx").stdout)
    assert (document["name"], len(document["files"]), len(document["snippets"])) == ("tree", 2, 1)
    assert json.loads(run("check", "code.index", "tree", "--format", "cyclonedx").stdout)["bomFormat"] == "CycloneDX"
    assert run("check", "code.index", "tree/README.md").exit_code == 1
    Path("study.ipynb").write_bytes(notebook(SORT))
    assert "pkg:generic/acme/sorts@2.1  (release/" in (shown := run("check", "code.index", "study.ipynb").stdout)
    assert "licence MIT" in shown
