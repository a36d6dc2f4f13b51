"""Shell completion: what each shell is given, and what it gives back."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class

from whorl.cli import COMMANDS, main
from whorl.cli.completion import register

SHELLS = ("bash", "zsh", "fish")
WHORL = Path(sysconfig.get_path("scripts")) / "whorl"


register()


def completed(shell, line, monkeypatch):
    """What a shell is told when somebody presses Tab at the end of a line."""
    if shell == "bash":
        line = re.sub("=(?=.)", " = ", re.sub("=$", " =", line))  # a word of its own, by COMP_WORDBREAKS
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

    def test_names(self, shell, monkeypatch):
        assert completed(shell, "whorl compare --scheme co", monkeypatch) == ["code"]
        assert completed(shell, "whorl fingerprint --select rob", monkeypatch) == ["robust"]
        assert completed(shell, "whorl fingerprint --frontend cod", monkeypatch) == ["code"]
        assert completed(shell, "whorl search --as pyth", monkeypatch) == ["python"]

    def test_a_value_behind_an_equals_sign(self, shell, monkeypatch):
        """bash cuts the word at the sign, the others put the completion in the place of the whole word."""
        option = "" if shell == "bash" else "--format="
        assert completed(shell, "whorl check --format=s", monkeypatch) == [f"{option}spdx"]
        assert f"{option}sarif" in completed(shell, "whorl compare --format=", monkeypatch)
        assert "--report" in completed(shell, "whorl compare --format=csv --rep", monkeypatch)

    def test_the_script_names_the_program(self, shell):
        script = get_completion_class(shell)(main, {}, "whorl", "_WHORL_COMPLETE").source()
        assert f"_WHORL_COMPLETE={shell}_complete" in script


def test_descriptions_in_fish_are_whole(tmp_path):
    if not shutil.which("fish"):
        pytest.skip("there is no fish")
    command = f"_WHORL_COMPLETE=fish_source {sys.executable} -m whorl | source; complete -C 'whorl chec'"
    environment = {**os.environ, "PATH": f"{WHORL.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    result = subprocess.run(["fish", "-c", command], capture_output=True, text=True, check=True, env=environment)
    assert result.stdout == f"check\t{COMMANDS['check']}\n"


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
