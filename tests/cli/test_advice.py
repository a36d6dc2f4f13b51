"""First contact: a command with too little to work on says what to do next."""

import json
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.formats.archives.packing import zipped
from whorl.cli import COMMANDS, OTHER_WORDS, main

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="whorl")


def test_whorl_alone_tells_what_it_can_do_with_examples():
    result = run()
    assert result.exit_code == 0
    assert result.stdout == run("--help").stdout
    assert all(f"  {name}" in result.stdout for name in COMMANDS)
    for example in ("whorl compare homework/", "whorl cluster pages.jsonl", "whorl search archive.whorl"):
        assert example in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80  # of a terminal


def test_a_path_without_a_command(tmp_path):
    homework = tmp_path / "home work"
    homework.mkdir()
    result = run(homework)
    assert result.exit_code == 2
    advice = f"To compare the submissions in it: whorl compare '{homework}'"
    assert result.stderr.endswith(f"\n\nError: No such command '{homework}'. {advice}\n")
    assert "A command comes before the file. whorl --help lists them\n" in run(EXAMPLES / "queue.py").stderr


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("comapre", "command 'comapre'. Did you mean 'compare'?"),
        ("decontamination", "command 'decontamination'. Did you mean 'decontaminate'?"),
        ("zzz", "command 'zzz'."),
        ("index ad", "command 'ad'. Did you mean 'add'?"),
        ("compare --threshhold 1", "option '--threshhold'. Did you mean '--threshold'?"),
        ("compare --top 5", "option '--top'. Did you mean '--limit'?"),
        ("compare --language python", "option '--language'. Did you mean '--as'?"),
        ("compare --langauge python", "option '--langauge'. Did you mean '--as'?"),
        ("compare --language=python", "option '--language'. Did you mean '--as'?"),
        ("compare -l python", "option '-l'. Did you mean '--as'?"),
        ("compare -lpython", "option '-l'. Did you mean '--as'?"),
        ("compare -o report", "option '-o'. Did you mean '--report'?"),
        ("compare --output report", "option '--output'. Did you mean '--report'?"),
        ("cluster --output clusters", "option '--output'. Did you mean '--out'?"),
        ("compare --workers 2", "option '--workers'. Did you mean '--threads'?"),
        ("dedup --threads 2", "option '--threads'. Did you mean '--workers'?"),
        ("compare --base-code template", "option '--base-code'. Did you mean '--base'?"),
        ("serve --language python", "option '--language'."),
        ("compare --zzz", "option '--zzz'."),
        ("compare -z", "option '-z'."),
        ("index add --gitignored", "option '--gitignored'. Did you mean '--no-gitignore'?"),
        ("--verzion", "option '--verzion'. Did you mean '--version'?"),
        ("help", "command 'help'. Did you mean '--help'?"),
        ("version", "command 'version'. Did you mean '--version'?"),
    ],
)
def test_what_is_misspelled_or_another_tools(typed, advice):
    result = run(*typed.split())
    assert result.exit_code == 2
    assert result.stderr.endswith(f"\n\nError: No such {advice}\n")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("50%", "'50%' is not a valid number: write 0.5"),
        ("0,25", "'0,25' is not a valid number: write 0.25"),
        ("150 %", "1.5 is not in the range 0<=x<=1."),
        ("1e3%", "'1e3%' is not a valid number."),
    ],
)
def test_a_number_as_it_is_written_elsewhere(typed, said):
    result = run("compare", EXAMPLES / "class", "--cluster", typed)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: Invalid value for '--cluster': {said}")


def test_each_word_of_another_tool_leads_to_an_option():
    commands = filter(None, (main.get_command(click.Context(main), name) for name in COMMANDS))
    options = {option for command in commands for parameter in command.params for option in parameter.opts}
    assert set(OTHER_WORDS) <= options


def test_compare_without_a_path():
    result = run("compare")
    assert result.exit_code == 2
    assert "Missing argument 'PATHS...': name the folder or archive of the submissions" in result.stderr
    assert "whorl compare homework/ --report report/" in result.stderr


def test_compare_an_empty_folder(tmp_path):
    result = run("compare", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.startswith("0 submissions, no pair to compare\n")
    assert "95 of 100" not in result.stdout
    assert result.stderr.endswith(
        f"{tmp_path}: nothing to compare. Put each submission into it, as a file, a folder or an archive\n"
    )


def test_compare_a_folder_with_one_folder_in_it(tmp_path):
    """The wrapper that a zip file leaves."""
    inner = tmp_path / "home work"
    shutil.copytree(EXAMPLES / "class", inner)
    assert run("compare", tmp_path).stdout.startswith(
        f"recognised: {tmp_path.name} has one folder or archive around 15 submissions"
    )
    result = run("compare", tmp_path, "--layout", "none")
    assert f"{tmp_path} contains one folder, home work, which counts as one submission" in result.stderr
    assert f"whorl compare '{inner}'\n" in result.stderr
    assert run("compare", inner).stderr == ""


def test_a_folder_around_the_class_beside_earlier_submissions(tmp_path):
    """One submission is enough beside earlier ones, so only the advice says that there could be more."""
    shutil.copytree(EXAMPLES / "previous", tmp_path / "homework")
    result = run("compare", tmp_path, "--archive", EXAMPLES / "previous").stderr
    assert f"{tmp_path} contains one folder, homework, which counts as one submission" in result


def test_an_empty_folder_beside_a_class_in_a_folder(tmp_path):
    shutil.copytree(EXAMPLES / "previous", tmp_path / "download" / "homework")
    (tmp_path / "empty").mkdir()
    result = run("compare", tmp_path / "empty", tmp_path / "download").stderr
    assert result.endswith(f": whorl compare {tmp_path}/empty {tmp_path}/download/homework\n")


def test_compare_folders_of_archives(tmp_path):
    folders = [tmp_path / name for name in ("week 1", "week2")]
    for folder in folders:
        folder.mkdir()
        for name in ("ada.zip", "bo.zip"):
            (folder / name).write_bytes(zipped({"queue.py": (EXAMPLES / "queue.py").read_text()}))
    advice = f"name the folders: whorl compare '{folders[0]}' {folders[1]}\n"
    result = run("compare", tmp_path)
    assert result.stdout.startswith("2 submissions")
    assert result.stderr.endswith(advice)
    assert run("compare", *folders).stderr == ""
    (folders[1] / "readme.txt").write_text("A submission of several parts.")
    assert run("compare", tmp_path).stderr == ""


def test_a_file_twice():
    file = EXAMPLES / "queue.py"
    assert run("compare", file, file).stderr.startswith(f"{file} is only one submission. ")


def test_a_name_moves_no_cursor(tmp_path):
    inner = tmp_path / "a\x1b[2Jb"
    inner.mkdir()
    shutil.copy(EXAMPLES / "queue.py", inner)
    assert "\x1b" not in run("compare", tmp_path).stderr
    assert "\x1b" not in run(inner).stderr


def test_compare_a_folder_with_one_file_in_it(tmp_path):
    shutil.copy(EXAMPLES / "queue.py", tmp_path)
    result = run("compare", tmp_path).stderr
    assert f"{tmp_path} contains only one submission" in result
    assert "--archive FOLDER" in result


def test_compare_one_file():
    result = run("compare", EXAMPLES / "queue.py").stderr
    assert "queue.py is only one submission. Name a second file" in result


def test_one_file_and_an_archive_are_enough(tmp_path):
    assert run("compare", EXAMPLES / "queue.py", "--archive", EXAMPLES / "class").stderr == ""


def test_what_is_left_out_is_no_empty_folder(tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert "no submission could be read. The reasons are listed above" in run("compare", tmp_path).stderr


class TestInclude:
    @pytest.fixture
    def homework(self, tmp_path):
        for name in ("alice", "bob"):
            (tmp_path / name / "pset3").mkdir(parents=True)
            shutil.copy(EXAMPLES / "queue.py", tmp_path / name / "pset3" / "main.py")
        return tmp_path

    def test_no_match_says_what_was_tried_and_how_patterns_are_anchored(self, homework):
        result = run("compare", homework, "--include", "pset3/*.py", "--include", "*.c").stderr
        assert "no file that can be compared matches --include 'pset3/*.py', '*.c'. A pattern without a slash" in result
        assert "matches the whole path below the folder or archive that you named" in result
        assert result.endswith("any folder: --include '**/pset3/*.py'\n")

    def test_what_it_proposes_matches(self, homework):
        result = run("compare", homework, "--include", "**/pset3/*.py", "--format", "json")
        assert result.stderr == ""
        assert len(json.loads(result.stdout)["submissions"]) == 2

    @pytest.mark.parametrize("pattern", ["*.c", "pset3/*.c", "**/*.c"])
    def test_a_wider_pattern_that_would_match_nothing_is_not_proposed(self, homework, pattern):
        assert run("compare", homework, "--include", pattern).stderr.endswith("that you named\n")

    def test_a_folder_is_proposed_in_any_folder(self, homework):
        result = run("compare", homework, "--include", "x/pset3/", "--include", "/pset3/").stderr
        assert result.endswith("any folder: --include '**/pset3/'\n")

    def test_one_submission_with_a_match_is_named(self, homework):
        result = run("compare", homework, "--include", "bob/*/*.py").stderr
        assert result.startswith("only bob has files that match --include 'bob/*/*.py'. A pattern without")

    def test_a_pattern_that_the_shell_replaced(self, homework):
        result = run("compare", homework, "--include", homework / "bob" / "pset3" / "main.py").stderr
        assert result.endswith("Put patterns in quotes, or the shell replaces them with the names of files\n")
