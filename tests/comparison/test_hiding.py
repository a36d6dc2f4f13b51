"""What a submission's author can do to keep a copy out of a comparison: nothing of it may succeed silently."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import whorl
from tests.comparison.planting import samples
from tests.formats.archives.packing import zipped
from tests.sandbox.impatience import impatient
from whorl.cli import main
from whorl.comparison.export import as_json
from whorl.comparison.result import Comparison
from whorl.formats.code import frontend, regions

PYTHON, OTHER = (each.text for each in samples("python")[:2])

# Where a copy can lie in a submission, beside a file of somebody's own.
PLACES: dict[str, dict[str, Any]] = {
    "a .gitignore": {".gitignore": "copy.py\n", "copy.py": PYTHON},
    "an ignored folder": {".gitignore": "*\n", "src/copy.py": PYTHON},
    "a hidden folder": {".src/copy.py": PYTHON},
    "a hidden file": {".copy.py": PYTHON},
    "node_modules": {"node_modules/copy.py": PYTHON},
    "node_modules without packages": {"node_modules/copy/copy.py": PYTHON},
    "node_modules beside a package": {"node_modules/a/package.json": "{}", "node_modules/b/copy.py": PYTHON},
    "a version history": {".git/HEAD": "ref: refs/heads/main\n", ".git/objects/copy.py": PYTHON},
    "a cache": {"__pycache__/copy.py": PYTHON},
    "an editor's settings": {".idea/copy.py": PYTHON},
    "a notebook editor's copies": {".ipynb_checkpoints/copy.py": PYTHON},
    "a build's output": {"setup.py": "x = 1\n", "build/copy.py": PYTHON},
    "a build's own folder": {"setup.py": "x = 1\n", "build/lib/copy.py": PYTHON},
    "a distribution": {"package.json": "{}", "dist/copy.py": PYTHON},
    "compiled classes": {"pom.xml": "<x/>", "target/classes/copy.py": PYTHON},
    "a fake environment": {"venv/pyvenv.cfg": "home = /usr/bin\n", "venv/copy.py": PYTHON},
    "an environment's folder": {".venv/pyvenv.cfg": "home = /usr/bin\n", ".venv/lib/python3/copy.py": PYTHON},
    "what a Mac adds": {"__MACOSX/copy.py": PYTHON},
}  # fmt: skip


def handed_in(root: Path, submissions: Mapping[str, Any]) -> Path:
    for name, files in submissions.items():
        for inside, content in files.items():
            file = root / name / inside
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def score(found: Comparison) -> float:
    """Of the first two submissions."""
    return max((pair.score for pair in found.pairs if (pair.left, pair.right) == (0, 1)), default=0.0)


@pytest.fixture(scope="module")
def control(tmp_path_factory) -> Comparison:
    """A copy that nobody hid."""
    files = {"main.py": OTHER, "copy.py": PYTHON}
    folder = handed_in(tmp_path_factory.mktemp("control"), {"ada": {"a.py": PYTHON}, "eve": files})
    return whorl.compare_all(folder, threshold=0)


class TestPlaces:
    @pytest.mark.parametrize("place", PLACES)
    def test_no_place_in_a_submission_hides_a_copy(self, place, control, tmp_path):
        files = {"main.py": OTHER, **PLACES[place]}
        found = whorl.compare_all(handed_in(tmp_path, {"ada": {"a.py": PYTHON}, "eve": files}), threshold=0)
        assert score(control) > 0.3
        assert score(found) == pytest.approx(score(control), abs=0.02)

    def test_nor_in_an_archive(self, tmp_path):
        packed = zipped({"eve/node_modules/copy.py": PYTHON, "eve/.gitignore": "*", "ada/a.py": PYTHON})
        (tmp_path / "class.zip").write_bytes(packed)
        found = whorl.compare_all(tmp_path / "class.zip")
        assert score(found) > 0.9

    def test_a_gitignore_is_obeyed_if_somebody_asks(self, tmp_path):
        handed_in(tmp_path, {"ada": {"a.py": PYTHON}, "eve": PLACES["a .gitignore"]})
        results = {}
        for option in ("--gitignore", "--no-gitignore"):
            result = CliRunner().invoke(main, ["compare", str(tmp_path), option, "--format", "json"])
            results[option] = len(json.loads(result.stdout)["pairs"])
        assert results == {"--gitignore": 0, "--no-gitignore": 1}


STORES: dict[str, dict[str, Any]] = {
    "a whole index": {"index.db": "", "lock": "", "copy.py": PYTHON},
    "an index in a folder": {"a.py": OTHER, "lib/index.db": "", "lib/lock": "", "lib/copy.py": PYTHON},
    "a report": {"a.py": OTHER, "lib/whorl-report.json": "", "lib/index.html": "", "lib/copy.py": PYTHON},
}


@pytest.mark.parametrize("place", STORES)
def test_what_looks_like_a_store_is_told_as_not_compared(place, tmp_path):
    """A folder with the files of one of Whorl's stores is not read: who adds them hides what is beside them."""
    found = whorl.compare_all(handed_in(tmp_path, {"ada": {"a.py": PYTHON}, "eve": STORES[place]}))
    (told,) = found.not_compared
    assert (told.submission, told.reason.partition(": ")[2]) == ("eve", "none of its files is a document")


class TestToolFolders:
    def test_the_notes_of_a_mac_are_no_programs(self, tmp_path):
        notes = b"\0\5\x16\7\0\2\0\0Mac OS X        " + bytes(200)
        files = {"a.py": PYTHON, "._a.py": notes, "__MACOSX/._a.py": notes}
        found = whorl.compare_all(handed_in(tmp_path, {"ada": files, "eve": files}))
        assert (score(found), found.not_compared) == (1, ())
        assert {item.reason for item in found.skipped} == {"binary: what macOS notes about a file"}

    def test_a_real_one_is_left_out_and_measured(self, tmp_path):
        module = {f"node_modules/left-pad/{n}.js": f"module.exports = {n};\n" for n in range(30)}
        package = {"node_modules/left-pad/package.json": "{}"}
        files = {"ada": {"a.py": PYTHON} | module | package}
        found = whorl.compare_all(handed_in(tmp_path, files), layout="none")
        (left_out,) = found.skipped
        assert (left_out.submission, left_out.name, left_out.files) == ("ada", "ada/node_modules/", 31)
        assert left_out.size == sum(map(len, module.values())) + 2
        assert left_out.expected
        assert found.not_compared == ()
        assert [file.name for file in found.submissions[0].files] == ["a.py"]

    def test_a_real_environment_with_a_planted_program(self, tmp_path):
        site = "venv/lib/python3.11/site-packages"
        files = {
            "venv/pyvenv.cfg": "home = /usr/bin\n",
            f"{site}/numpy/core.py": OTHER, f"{site}/numpy-1.dist-info/RECORD": "",
            "venv/bin/activate_this.py": OTHER, "venv/src/copy.py": PYTHON,
        }  # fmt: skip
        found = whorl.compare_all(handed_in(tmp_path, {"eve": files}))
        assert [file.name for file in found.submissions[0].files] == ["venv/src/copy.py"]
        assert [(item.name, item.files) for item in found.skipped] == [("eve/venv/", 4)]

    def test_what_lies_beside_the_submissions_is_nobodys(self, tmp_path):
        found = whorl.compare_all(handed_in(tmp_path, {".git": {"hooks/hook.py": PYTHON}, "ada": {"a.py": PYTHON}}))
        assert [submission.name for submission in found.submissions] == ["ada"]

    def test_everything_is_read_if_somebody_asks(self, tmp_path):
        files = {"a.py": PYTHON, "node_modules/x/package.json": "{}", "node_modules/x/i.js": "x = 1"}
        path = str(handed_in(tmp_path, {"ada": files}))
        result = CliRunner().invoke(main, ["compare", path, "--generated", "--layout", "none", "--format", "json"])
        (submission,) = json.loads(result.stdout)["submissions"]
        assert [file["name"] for file in submission["files"]] == ["a.py", "node_modules/x/i.js"]


class TestListed:
    def test_what_cannot_be_compared_comes_first(self, tmp_path):
        files = {
            "ada": {"a.py": PYTHON},
            "bo": {"b.py": PYTHON},
            "eve": {"main.py": "#" + "x" * 400},
            "fay": {"f.py": b""},
        }
        handed_in(tmp_path, files)
        (tmp_path / "gus").mkdir()
        data = CliRunner().invoke(main, ["compare", str(tmp_path), "--report", str(tmp_path / ".." / "report")]).output
        first = data.splitlines()[:4]
        assert first[0].startswith("NOT COMPARED: 3 files")
        assert [line.strip().partition(" ")[0].rstrip(":") for line in first[1:]] == ["eve", "fay", "gus"]
        assert "main.py (401 bytes): no tokens" in first[1]
        page = (tmp_path / ".." / "report" / "index.html").read_text()
        assert page.index('id="not-compared"') < page.index('id="pairs"')

    def test_in_json(self, tmp_path):
        files = {
            "ada": {"a.py": PYTHON},
            "eve": {"eve.zip": b"PK\3\4 cut short"},
            "fay": {"x.png": b"\x89PNG\r\n\x1a\n"},
        }
        result = as_json(whorl.compare_all(handed_in(tmp_path, files)))
        assert [(each["submission"], each["file"], each["size"]) for each in result["not_compared"]] == [
            ("eve", "eve/eve.zip", 14), ("fay", "fay/", 8),
        ]  # fmt: skip
        assert {(each["file"], each["size"]) for each in result["skipped"]} == {
            ("eve/eve.zip", 14), ("fay/", 8), ("fay/x.png", 8),
        }  # fmt: skip

    def test_a_small_file_without_tokens_beside_others_is_no_alarm(self, tmp_path):
        files = {"ada": {"a.py": PYTHON, "__init__.py": "# nothing\n", "README.md": "Read me. " * 100}}
        assert whorl.compare_all(handed_in(tmp_path, files), layout="none").not_compared == ()

    def test_a_program_that_is_one_string(self, tmp_path):
        files = {"ada": {"a.py": PYTHON}, "eve": {"main.py": OTHER, "copy.py": f"exec({PYTHON!r})"}}
        (listed,) = whorl.compare_all(handed_in(tmp_path, files)).not_compared
        assert (listed.submission, listed.file) == ("eve", "copy.py")

    def test_names_of_nobody_with_anonymise(self, tmp_path):
        files = {
            "ada": {"a.py": PYTHON},
            "evelyn": {"evelyn.py": "#" + "x" * 400},
            "fay": {"f.bin": b"\0\1\2" * 99},
        }
        result = json.dumps(as_json(whorl.compare_all(handed_in(tmp_path, files), anonymise=True)))
        assert not [name for name in ("ada", "evelyn", "fay") if name in result]

    def test_what_is_left_out_is_summed_up(self, tmp_path):
        files = {"p/package.json": "{}", "p/i.js": "x" * 998}
        everyone = {name: {"a.py": PYTHON} | {f"node_modules/{k}": v for k, v in files.items()} for name in "abcde"}
        result = CliRunner().invoke(main, ["compare", str(handed_in(tmp_path, everyone))]).output
        assert "a/node_modules/, b/node_modules/, c/node_modules/ and 2 more (10 files, 4.9 kB): dependencies" in result
        assert "--generated reads them" in result


NAMES = {"c": "main.c", "python": "main.py"}

# How the bytes of a copy can be changed so that it still runs: by language.
DISGUISES: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "line ends of old Macs": ("python", lambda text: text.replace("\n", "\r").encode()),
    "line ends of old Macs in C": ("c", lambda text: ("// first\n" + text).replace("\n", "\r").encode()),
    "UTF-16, little end first": ("c", lambda text: text.encode("utf-16-le")),
    "UTF-16, big end first": ("python", lambda text: text.encode("utf-16-be")),
    "UTF-32": ("c", lambda text: text.encode("utf-32-le")),
    "UTF-16 in a comment": ("c", lambda text: b"/*" + b"a\0" * 600 + b"*/\n" + text.encode()),
    "NUL bytes in a comment": ("c", lambda text: b"/*" + b"\0" * 4000 + b"*/\n" + text.encode()),
    "a PDF's mark": ("python", lambda text: b"#%PDF-1.4\n" + text.encode()),
    "a PDF's mark in a string": ("python", lambda text: b'"""\n%PDF-1.4\n"""\n' + text.encode()),
    "a PDF's mark in C": ("c", lambda text: b"//%PDF-1.7\n" + text.encode()),
    "a GIF's mark": ("python", lambda text: b"GIF89a = 1\n" + text.encode()),
    "a bzip2 mark": ("python", lambda text: "BZh9 = 'é'\n".encode() + text.encode()),
    "a tar header's sum": ("c", lambda text: summed(b"/* %b%%08o%b*/\n" % (b"x" * 145, b"x" * 356)) + text.encode()),
}  # fmt: skip


KEYWORDS = {"return": "RET", "if": "IF", "int": "NUMBER", "for": "LOOP"}

# How the tokens of a copy can be written so that it is the same program: one search and replace.
TOKENS: dict[str, tuple[str, Callable[[str], str]]] = {
    "Java's escapes of letters": ("java", lambda text: re.sub(r"\\.|[a-z]", escaped, text)),
    "Java's escapes of all signs": ("java", lambda text: "".join(f"\\uu{ord(sign):04X}" for sign in text)),
    "digraphs": ("c", lambda text: substituted(text, {"{": "<%", "}": "%>", "[": "<:", "]": ":>", "#": "%:"})),
    "words for operators": (
        "c", lambda text: "#include <iso646.h>\n" + substituted(text, {"&&": " and ", "||": " or ", "!=": " not_eq "}),
    ),
    "macros of brackets": (
        "c", lambda text: "#define BEGIN {\n#define END }\n" + substituted(text, {"{": " BEGIN ", "}": " END "}),
    ),
    "macros of keywords": (
        "c",
        lambda text: "#define RET return\n#define IF WHEN\n#define WHEN if\n#define NUMBER int\n#define LOOP for\n"
        + re.sub(r"\b(return|if|int|for)\b", lambda match: KEYWORDS[match[0]], text),
    ),
    "macros of nothing": ("c", lambda text: "#define NOTHING\n" + re.sub(r"; *$", " NOTHING;", text, flags=re.M)),
    "lines that go on inside words": ("c", lambda text: re.sub(r"\b(\w)(\w+)\b", "\\1\\\\\n\\2", text)),
}  # fmt: skip


def escaped(match: re.Match[str]) -> str:
    """A letter as Java's escape; unchanged behind a backslash, which would escape the escape."""
    return match[0] if match[0].startswith("\\") else f"\\u{ord(match[0]):04x}"


def substituted(text: str, signs: Mapping[str, str]) -> str:
    """The text with other signs outside of strings."""
    pattern = "|".join(map(re.escape, signs))
    return re.sub(rf"""("[^"\n]*"|'[^'\n]*')|{pattern}""", lambda match: match[1] or signs[match[0]], text)


def summed(block: bytes) -> bytes:
    """A block with the checksum of a tar header at the place of its digits."""
    plain = block.replace(b"%08o", b" " * 8)
    return block.replace(b"%08o", b"%08o" % sum(plain[:512]))


class TestDisguises:
    @pytest.mark.parametrize("disguise", DISGUISES)
    def test_no_disguise_of_the_bytes_hides_a_copy(self, disguise, tmp_path):
        language, change = DISGUISES[disguise]
        name, text = NAMES[language], samples(language)[0].text
        found = whorl.compare_all(handed_in(tmp_path, {"ada": {name: text}, "eve": {name: change(text)}}), threshold=0)
        assert score(found) > 0.9, found.skipped

    @pytest.mark.parametrize("disguise", TOKENS)
    def test_nor_one_of_the_tokens(self, disguise, tmp_path):
        language, change = TOKENS[disguise]
        each = samples(language)[0]
        assert change(each.text) != each.text
        name = f"a{each.suffix}"
        folder = handed_in(tmp_path, {"ada": {name: each.text}, "eve": {name: change(each.text)}})
        assert score(whorl.compare_all(folder, threshold=0)) > 0.98

    @pytest.mark.parametrize("language", ["c", "java", "javascript", "python", "rust", "go"])
    @pytest.mark.parametrize("name", ["copy.png", "copy", "copy.dat", "copy.txt"])
    def test_nor_does_another_name(self, language, name, tmp_path):
        each = samples(language)[0]
        files = {"ada": {f"a{each.suffix}": each.text}, "eve": {name: each.text}}
        found = whorl.compare_all(handed_in(tmp_path, files), threshold=0)
        assert score(found) > 0.9, found.skipped

    def test_nor_a_second_extension(self, tmp_path):
        files = {"ada": {"a.py": "x = 1\n" + PYTHON}, "eve": {"copy.py.png": "x = 1\n" + PYTHON}}
        assert score(whorl.compare_all(handed_in(tmp_path, files))) > 0.9

    def test_text_that_is_called_an_image_is_listed(self, tmp_path):
        files = {"ada": {"a.py": PYTHON}, "eve": {"b.py": OTHER, "copy.png": b64encode(PYTHON.encode())}}
        (listed,) = whorl.compare_all(handed_in(tmp_path, files)).not_compared
        assert (listed.submission, listed.file) == ("eve", "eve/copy.png")

    def test_prose_beside_programs_is_no_program(self, tmp_path):
        essay = samples("text")[0].text
        log = "step 1: ok\nvalue = 3\nresult 7\n" * 20
        ada = {"a.py": PYTHON, "README.md": essay, "notes.txt": essay, "LICENSE": essay, "run.log": log}
        found = whorl.compare_all(handed_in(tmp_path, {"ada": ada, "eve": {"b.py": OTHER}}))
        assert [file.name for file in found.submissions[0].files] == ["a.py"]
        assert found.not_compared == ()

    def test_prose_as_a_submission_of_its_own_is_listed_but_not_files_about_all(self, tmp_path):
        essay = samples("text")[0].text
        files = {"a.py": PYTHON, "b.py": OTHER, "README.md": essay, "LICENSE": essay, "essay.txt": essay}
        found = whorl.compare_all(handed_in(tmp_path, {"class": files}))
        assert [listed.submission for listed in found.not_compared] == ["essay.txt"]


# What spoils the tokens of all that follows, or stops a parser; and where a compiler does not mind it.
GARBAGE = {
    "a parser's bomb": "|-" * 30_000,
    "open brackets": "(" * 50,
    "open blocks": "{" * 50,
    "words": "int if while struct union { ; case return ( " * 20,
    "a mixture": "]){(;,}[<>=+*%" * 20,
    "angle brackets": "a <" * 2000,
}
AROUND = {
    "#if 0": ("#if 0\n", "\n#endif\n"),
    "an #elif": ("#if 0\n", "\n#elif 1\n#endif\n"),
    "a name that nobody defines": ("#ifdef NEVER\n", "\n#endif\n"),
}


@pytest.fixture(scope="class")
def _impatient() -> Iterator[None]:
    """Parsers that are stopped soon, so that tests are fast."""
    with impatient(workers=2):
        yield


@pytest.mark.usefixtures("_impatient")
class TestGarbage:
    @pytest.mark.parametrize("garbage", GARBAGE)
    @pytest.mark.parametrize("around", AROUND)
    def test_garbage_that_is_never_compiled(self, garbage, around, tmp_path):
        each = max(samples("c"), key=lambda sample: len(sample.text))
        dead = GARBAGE[garbage].join(AROUND[around])
        # A comparison of 2,000 terms parses: it is padding, which costs similarity and hides nothing.
        least = 0.75 if garbage == "angle brackets" else 0.9
        for number, at in enumerate((0, len(each.functions) // 2, len(each.functions))):
            functions = "\n\n".join([*each.functions[:at], dead, *each.functions[at:]])
            spoiled = "\n\n".join([*each.head, functions, *each.foot])
            folder = handed_in(tmp_path / str(number), {"ada": {"a.c": each.text}, "eve": {"a.c": spoiled}})
            assert score(whorl.compare_all(folder, threshold=0)) > least, (garbage, around, at)

    @pytest.mark.parametrize("garbage", GARBAGE)
    @pytest.mark.parametrize("language", ["c", "java", "javascript", "python"])
    def test_garbage_in_the_middle_of_the_code(self, garbage, language, tmp_path):
        each = max(samples(language), key=lambda sample: len(sample.text))
        half = len(each.functions) // 2
        parts = [*each.head, *each.functions[:half], GARBAGE[garbage], *each.functions[half:], *each.foot]
        name = f"a{each.suffix}"
        folder = handed_in(tmp_path, {"ada": {name: each.text}, "eve": {name: "\n\n".join(parts)}})
        assert score(whorl.compare_all(folder, threshold=0)) > 0.7

    def test_a_bomb_spoils_nobody_else(self, tmp_path):
        """A program that waits for the worker that is stopped is read as ever."""
        bomb = GARBAGE["a parser's bomb"].join(AROUND["a name that nobody defines"])
        text = samples("c")[0].text
        folder = handed_in(tmp_path, {"ada": {"a.c": text}, "eve": {"a.c": text + bomb}, "fay": {"a.c": text}})
        found = whorl.compare_all(folder, threshold=0)
        assert [bool(submission.files[0].notes) for submission in found.submissions] == [False, True, False]
        assert min(pair.score for pair in found.pairs) > 0.9


class TestParsers:
    @pytest.mark.parametrize("language", ["c", "go", "java", "javascript", "python", "rust"])
    def test_a_program_that_is_lexed_is_found(self, language, tmp_path, monkeypatch):
        """Whatever breaks a parser everywhere: the lexer's tokens are those of the parsed counterpart."""
        each = max(samples(language), key=lambda sample: len(sample.text))
        name = f"a{each.suffix}"
        control = each.text + "\n"
        monkeypatch.setattr(regions, "SECONDS", -1.0)
        folder = handed_in(tmp_path, {"ada": {name: control}, "eve": {name: each.text}})
        monkeypatch.setattr(frontend, "is_broken", lambda _, size: size == len(each.text.encode()))
        monkeypatch.setattr(frontend, "KEPT", 0)
        found = whorl.compare_all(folder, threshold=0)
        assert "plain lexer" in found.submissions[1].files[0].notes[0]
        assert score(found) > 0.8

    def test_code_that_only_seems_inactive_is_read(self, tmp_path):
        """Whoever puts ``#if 0`` into a comment, a string or a macro hides nothing."""
        each = samples("c")[0]
        for number, (before, after) in enumerate([
            ("/*\n#if 0\n*/\n", "/*\n#endif\n*/\n"),
            ("#define M \\\n#if 0\n", "#define N \\\n#endif\n"),
            ('char *s = "\\\n#if 0\\\n";\n', 'char *t = "\\\n#endif\\\n";\n'),
            ("// \\\n#if 0\n", "// \\\n#endif\n"),
            ("#if 0\n#else\n", "#endif\n"),
            ("#if 00\n#elif 1\n", "#endif\n"),
        ]):  # fmt: skip
            files = {"ada": {"a.c": each.text}, "eve": {"a.c": before + each.text + after}}
            assert score(whorl.compare_all(handed_in(tmp_path / str(number), files), threshold=0)) > 0.9, before
