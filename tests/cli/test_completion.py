"""Shell completion: what each shell is given, and what it gives back."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class

from whorl.cli import COMMANDS, main

SHELLS = ("bash", "zsh", "fish")
WHORL = Path(sysconfig.get_path("scripts")) / "whorl"


def completed(shell, line, monkeypatch):
    """What a shell is told when somebody presses Tab at the end of a line."""
    words = line.split(" ")
    monkeypatch.setenv("COMP_WORDS", line if shell != "fish" else " ".join(words[:-1]))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1) if shell != "fish" else words[-1])
    made = get_completion_class(shell)(main, {}, "whorl", "_WHORL_COMPLETE").complete()
    # bash: kind,value; zsh: kind, value and help on lines of their own; fish: kind, value and help.
    if shell == "zsh":
        return made.split("\n")[1::3]
    return [row.split("\t")[0].split(",", 1)[1] for row in made.splitlines() if "," in row]


@pytest.mark.parametrize("shell", SHELLS)
class TestEveryShell:
    def test_commands(self, shell, monkeypatch):
        assert completed(shell, "whorl ", monkeypatch) == sorted(COMMANDS)
        assert completed(shell, "whorl co", monkeypatch) == ["compare"]

    def test_options(self, shell, monkeypatch):
        assert "--report" in completed(shell, "whorl compare --rep", monkeypatch)

    def test_choices(self, shell, monkeypatch):
        assert completed(shell, "whorl compare --format ", monkeypatch) == ["table", "json", "csv", "sarif"]

    def test_the_script_names_the_program(self, shell):
        script = get_completion_class(shell)(main, {}, "whorl", "_WHORL_COMPLETE").source()
        assert f"_WHORL_COMPLETE={shell}_complete" in script


def test_the_shell_itself(tmp_path):
    """In bash, which is wherever ``make`` is."""
    if not shutil.which("bash"):
        pytest.skip("there is no bash")
    script = f"""
        eval "$(_WHORL_COMPLETE=bash_source {WHORL})"
        COMP_WORDS=({WHORL} comp) COMP_CWORD=1
        _whorl_completion {WHORL} comp {WHORL}
        echo "${{COMPREPLY[@]}}"
    """
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "compare\n"
