"""The command line's contract: what is printed, where, and the exit codes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import whorl
from whorl.cli import COMMANDS, main
from whorl.sandbox import Limits, Sandbox

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouse.txt"


def run(*arguments, **settings):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **settings)


@pytest.fixture
def song(tmp_path):
    path = tmp_path / "song.txt"
    path.write_text("A do run run run, a do run run. Da do run run!")
    return path


class TestHelp:
    def test_it_lists_every_command(self):
        result = run("--help")
        assert result.exit_code == 0
        assert all(f"  {name}" in result.output for name in COMMANDS)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_one(self, name):
        result = run(name, "--help")
        assert result.exit_code == 0
        assert result.output.startswith("Usage: main " + name)

    def test_version_says_which_kernel_runs(self):
        assert run("--version").output == f"whorl {whorl.__version__} (kernel: native)\n"


class TestFingerprint:
    def test_table(self, song):
        result = run("fingerprint", song, "--k", 5, "--w", 4, env={"COLUMNS": "120"})
        assert result.exit_code == 0
        assert "every shared passage of 8 symbols is found" in result.output
        assert "density" in result.output
        assert "theory 0.4000" in result.output
        found = whorl.fingerprint(song, whorl.Scheme(k=5, w=4))
        assert f"{found.hashes[0]:016x}" in result.output

    def test_json(self, song):
        result = run("fingerprint", song, "--k", 5, "--w", 4, "--format", "json")
        answer = json.loads(result.stdout)
        assert answer["scheme"] == {
            "id": whorl.Scheme(k=5, w=4).id, "frontend": "text", "symbols": "characters", "k": 5, "select": "robust",
            "w": 4, "key": "public", "guarantee": 8,
        }  # fmt: skip
        (document,) = answer["documents"]
        found = whorl.fingerprint(song, whorl.Scheme(k=5, w=4))
        assert (document["symbols"], document["grams"], document["count"]) == (found.symbols, found.grams, len(found))
        assert document["expected_density"] == pytest.approx(0.4)
        text = song.read_text()
        for row, hashed, position, span in zip(
            document["fingerprints"], found.hashes, found.positions, found.spans, strict=True
        ):
            assert row == {
                "hash": f"{hashed:016x}", "position": position, "start": span.start, "end": span.end,
                "text": text[span.start : span.end],
            }  # fmt: skip

    def test_several_files_and_every_selector(self, song):
        for select, number in (("mod", "--p"), ("minima", "--n"), ("full", None), ("safe-mod", "--p")):
            extra = [number, 3] if number else []
            result = run("fingerprint", song, song, "--format", "json", "--k", 5, "--select", select, *extra)
            assert result.exit_code == 0, result.output
            assert len(json.loads(result.stdout)["documents"]) == 2

    def test_limit(self, song):
        result = run("fingerprint", song, "--k", 5, "--w", 1, "--format", "json", "--limit", 2)
        assert len(json.loads(result.stdout)["documents"][0]["fingerprints"]) == 2
        assert "more: --limit" in run("fingerprint", song, "--k", 5, "--w", 1, "--limit", 2).output

    def test_the_guarantee_instead_of_the_window(self, song):
        result = json.loads(run("fingerprint", song, "--k", 5, "--t", 8, "--format", "json").stdout)
        assert result["scheme"]["w"] == 4

    @pytest.mark.parametrize("suffix", [".toml", ".json"])
    def test_a_scheme_from_a_file(self, song, tmp_path, suffix):
        scheme = whorl.Scheme(k=6, w=3, symbols="consonants")
        path = tmp_path / f"scheme{suffix}"
        path.write_text(scheme.to_toml() if suffix == ".toml" else scheme.to_json())
        result = json.loads(run("fingerprint", song, "--scheme", path, "--format", "json").stdout)
        assert result["scheme"]["id"] == scheme.id

    def test_a_secret_key(self, song, tmp_path):
        key = tmp_path / "key"
        key.write_text("00" * 16 + "\n")
        result = json.loads(run("fingerprint", song, "--key-file", key, "--format", "json").stdout)
        assert result["scheme"]["key"] == whorl.Key(bytes(16)).id
        assert "00" * 16 not in json.dumps(result)

    def test_a_short_document_is_explained(self, tmp_path):
        path = tmp_path / "short.txt"
        path.write_text("hi")
        assert "2 symbols: fewer than k = 20, so there are no fingerprints" in run("fingerprint", path).output

    def test_source_code(self, tmp_path):
        path = tmp_path / "queue.py"
        path.write_text("def push(queue, item):\n    queue.append(item)\n    return len(queue) + 1\n" * 3)
        result = json.loads(run("fingerprint", path, "--scheme", "code", "--format", "json").stdout)
        assert result["scheme"]["symbols"] == "tokens"
        assert result["documents"][0]["count"] > 3
        assert result["documents"][0]["notes"] == []

    @pytest.fixture
    def _small_parsers(self, monkeypatch):
        """Parsers with an eighth of the memory that they have by default, so that one is stopped in less time."""
        with Sandbox(1, Limits(memory=128 << 20)) as sandbox:
            monkeypatch.setattr("whorl.formats.code.frontend.default_sandbox", lambda: sandbox)
            yield

    @pytest.mark.usefixtures("_small_parsers")
    def test_what_was_not_as_usual_is_noted(self, tmp_path):
        """A parser that is stopped costs one note, and the plain lexer reads the file."""
        path = tmp_path / "Hostile.java"
        path.write_text("s<" * 4_000)
        result = json.loads(run("fingerprint", path, "--scheme", "code", "--format", "json", "--limit", 1).stdout)
        (note,) = result["documents"][0]["notes"]
        assert note.startswith("read by the plain lexer, not as java: the parser was stopped: ")
        assert result["documents"][0]["count"] > 100
        assert "note: read by the plain lexer" in run("fingerprint", path, "--scheme", "code").output

    def test_formats_that_become_text(self, tmp_path):
        """The text of a fingerprint is that of the page, not of its source."""
        words = "the lamp was lit and all was well on the northern ledge that night"
        page = tmp_path / "page.html"
        page.write_text(f"<html><script>var a;</script><p class='x'>{words.replace('lit', '<b>l</b>it')}</p></html>")
        result = json.loads(run("fingerprint", page, "--frontend", "html", "--format", "json").stdout)
        assert result["documents"][0]["symbols"] == len(words.replace(" ", ""))
        assert all(row["text"] in words for row in result["documents"][0]["fingerprints"])
        cells = tmp_path / "study.ipynb"
        cells.write_text(json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": [f"# {words}"]}]}))
        result = json.loads(run("fingerprint", cells, "--frontend", "notebook", "--format", "json").stdout)
        assert result["documents"][0]["symbols"] == len(words.replace(" ", ""))

    def test_another_front_end_has_other_symbols(self, tmp_path):
        path = tmp_path / "a.py"
        path.write_text("x = 1\n" * 20)
        result = json.loads(run("fingerprint", path, "--frontend", "code", "--k", 4, "--format", "json").stdout)
        assert result["scheme"]["symbols"] == "tokens"

    def test_an_unknown_language_is_said(self, song):
        result = run("fingerprint", song, "--scheme", "code")
        assert result.exit_code == 1
        assert f"{song}: cannot tell the programming language" in result.stderr

    def test_any_bytes_are_read(self, tmp_path):
        path = tmp_path / "noise"
        path.write_bytes(bytes(range(256)) * 20)
        result = run("fingerprint", path, "--format", "json")
        assert result.exit_code == 0
        json.loads(result.stdout)


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--k", "0"], "--k: 0 is out of range; give a whole number from 1 to"),
            (["--w", "0"], "--w: 0 is out of range"),
            (["--k", "9", "--t", "8"], "--t: 8 is less than k (9)"),
            (["--t", "50", "--w", "3"], "--t: given together with w"),
            (["--scheme", "prose"], "--scheme: unknown preset 'prose': choose one of code, koala, pages, text, web"),
            (["--scheme", "no.toml"], "--scheme: cannot read no.toml: No such file"),
            (["--select", "best"], "--select: unknown selector 'best': choose one of"),
            (["--scheme", "web", "--t", "30"], "--t: the selector 'mod' takes no window"),
            (["--select", "mod"], "--p: missing; the selector 'mod' needs it"),
            (["--symbols", "runes"], "--symbols: 'runes' is unknown"),
            (["--frontend", "scroll"], "--frontend: unknown front-end 'scroll': choose one of"),
            (["--key-file", "nowhere"], "--key-file: cannot read nowhere"),
        ],
    )
    def test_one_clear_line_and_exit_1(self, song, arguments, reason):
        result = run("fingerprint", song, *arguments)
        assert result.exit_code == 1
        assert reason in result.stderr
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""

    @pytest.mark.parametrize("secret", ["", "00" * 15, "zz" * 16])
    def test_a_bad_key_file(self, song, tmp_path, secret):
        path = tmp_path / "key"
        path.write_text(secret)
        result = run("fingerprint", song, "--key-file", path)
        assert result.exit_code == 1
        assert f"--key-file: {path}: key: give 32 hexadecimal digits" in result.stderr

    def test_a_bad_scheme_file(self, song, tmp_path):
        path = tmp_path / "scheme.toml"
        path.write_text("k = 0\nw = 0\n")
        result = run("fingerprint", song, "--scheme", path)
        assert result.exit_code == 1
        assert f"--scheme: {path}: k: 0 is out of range" in result.stderr
        assert f"--scheme: {path}: w: 0 is out of range" in result.stderr

    @pytest.mark.parametrize("arguments", [["--k", "many"], ["--format", "xml"], ["--limit", "-1"], ["--threads", "0"]])
    def test_usage_is_exit_2(self, song, arguments):
        result = run("fingerprint", song, *arguments)
        assert result.exit_code == 2
        assert arguments[0] in result.stderr

    def test_no_file_is_usage(self):
        assert run("fingerprint").exit_code == 2

    def test_unknown_command(self):
        assert run("fingerprints").exit_code == 2

    def test_nothing_is_printed_if_any_file_cannot_be_read(self, song, tmp_path):
        for bad, answer in ((tmp_path / "gone.txt", "cannot be read"), (tmp_path, "a folder: name the files in it")):
            for form in ("table", "json"):
                result = run("fingerprint", song, bad, "--format", form)
                assert result.exit_code == 1
                assert answer in result.stderr
                assert str(bad) in result.stderr
                assert result.stdout == ""


class TestFormats:
    def test_table(self):
        result = run("formats")
        assert result.exit_code == 0
        for name in ("text", "mod-minimizer", "koala"):
            assert name in result.output

    def test_json(self):
        result = json.loads(run("formats", "--format", "json").stdout)
        assert {row["name"] for row in result["presets"]} == set(whorl.PRESETS)
        assert "robust" in {row["name"] for row in result["selectors"]}
        assert {"code", "text"} <= {row["name"] for row in result["frontends"]}
        assert {row["name"] for row in result["languages"] if row["installed"]} >= {"c", "java", "python"}
        assert len(result["languages"]) >= 40

    def test_what_is_missing_is_said_with_the_command_that_adds_it(self, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
        monkeypatch.setattr("shutil.which", lambda _name: None)
        result = json.loads(run("formats", "--format", "json").stdout)
        missing = {row["name"]: row["missing"] for row in result["frontends"] if not row["installed"]}
        assert missing == {"pdf": 'pip install "whorl[documents]"', "postscript": "install the package ghostscript"}
        assert "not installed: pip install" in run("formats").output

    def test_a_languages_extra_is_named(self, monkeypatch):
        monkeypatch.setattr("whorl.formats.code.languages.installed", lambda name: name == "c")
        result = json.loads(run("formats", "--format", "json").stdout)
        missing = {row["name"]: row.get("missing") for row in result["languages"]}
        assert missing["c"] is None
        assert missing["haskell"] == 'pip install "whorl[languages]"'


def test_the_example():
    result = json.loads(run("fingerprint", EXAMPLE, "--format", "json").stdout)
    assert result["documents"][0]["count"] > 100
