"""tools/install_browser.sh, on machines that have other programs, packages and rights: a false apt-get plays them."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "install_browser.sh"
SHELL, WHOLE = "chromium-headless-shell", "chromium"

# Packages that the lists name are in $lists, those that can be fetched in $mirror. Renewing copies these to those.
APT_GET = """#!/bin/sh
echo "$*" >> {log}
for last; do :; done
case "$*" in
    update*) cp {mirror}/* {lists}/ ;;
    *install*) test -e {lists}/$last && test -e {mirror}/$last && cp {mirror}/apt {programs}/$last ;;
esac
"""
APT_CACHE = """#!/bin/sh
test ! -e {lists}/$2 || echo "$2 | 1.0 | a list"
"""


class Machine:
    """Programs, and what apt-get knows and can fetch."""

    def __init__(self, home: Path) -> None:
        self.places = {name: home / name for name in ("programs", "lists", "mirror", "log")}
        for name in ("programs", "lists", "mirror"):
            self.places[name].mkdir()
        for name in ("env", "cp", "test"):
            program = shutil.which(name)
            assert program
            (self.places["programs"] / name).symlink_to(program)
        self.program("id", "#!/bin/sh\necho 0\n")
        self.program("apt-get", APT_GET.format(**self.places))
        self.program("apt-cache", APT_CACHE.format(**self.places))
        self.package("mirror", "apt")

    def program(self, name: str, text: str = "#!/bin/sh\n") -> None:
        path = self.places["programs"] / name
        path.write_text(text)
        path.chmod(0o755)

    def package(self, place: str, name: str) -> None:
        path = self.places[place] / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)

    def lists(self, *names: str) -> None:
        """Let the lists be there, and name packages that can be fetched."""
        for name in ("apt", *names):
            self.package("lists", name)
            self.package("mirror", name)

    def run(self) -> tuple[int, str]:
        environment = {"PATH": str(self.places["programs"])}
        done = subprocess.run(
            ["/bin/sh", SCRIPT], env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        assert done.stdout == ""
        return done.returncode, done.stderr

    def has(self, name: str) -> bool:
        return (self.places["programs"] / name).exists()

    def asked(self) -> list[str]:
        """The first words of each call of apt-get, and the package."""
        log = self.places["log"]
        return (
            [f"{line.split()[0]} {line.split()[-1]}" for line in log.read_text().splitlines()] if log.exists() else []
        )


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_what_is_there_is_not_installed(machine):
    machine.program(SHELL)
    assert machine.run() == (0, "")
    assert machine.asked() == []


@pytest.mark.parametrize("there", [(), (WHOLE,)])
def test_the_headless_shell_is_installed_even_beside_chromium(machine, there):
    for name in there:
        machine.program(name)
    machine.lists(SHELL, WHOLE)
    assert machine.run() == (0, "")
    assert machine.has(SHELL)
    assert machine.has(WHOLE) == bool(there)
    assert machine.asked() == [f"install {SHELL}"]


@pytest.mark.parametrize("there", [(), (WHOLE,)])
def test_without_lists_they_are_fetched(machine, there):
    for name in there:
        machine.program(name)
    machine.package("mirror", SHELL)
    assert machine.run() == (0, "")
    assert machine.has(SHELL)
    assert machine.asked() == [f"install {SHELL}", "update --quiet", f"install {SHELL}"]


def test_without_a_package_of_the_shell_chromium_is_installed_and_named(machine):
    machine.lists(WHOLE)
    code, said = machine.run()
    assert code == 0
    assert machine.has(WHOLE)
    assert "the tests use chromium" in said
    assert said.count("\n") == 1
    assert machine.asked() == [f"install {WHOLE}"]


def test_without_a_package_of_the_shell_chromium_stays_and_no_list_is_renewed(machine):
    machine.program(WHOLE)
    machine.lists(WHOLE)
    code, said = machine.run()
    assert code == 0
    assert "the tests use chromium" in said
    assert machine.asked() == []


def test_a_package_that_cannot_be_fetched_leaves_chromium(machine):
    machine.program(WHOLE)
    machine.lists(WHOLE)
    machine.package("lists", SHELL)
    code, said = machine.run()
    assert code == 0
    assert "the tests use chromium" in said
    assert machine.asked() == [f"install {SHELL}", "update --quiet", f"install {SHELL}"]


def test_a_machine_without_any_browser_is_told(machine):
    machine.lists()
    code, said = machine.run()
    assert code == 1
    assert "install one by hand" in said


@pytest.mark.parametrize("rights", ["no root", "no apt-get"])
def test_without_rights_to_install_chromium_does(machine, rights):
    if rights == "no root":
        machine.program("id", "#!/bin/sh\necho 1000\n")
    else:
        (machine.places["programs"] / "apt-get").unlink()
    machine.lists(SHELL, WHOLE)
    code, said = machine.run()
    assert code == 1
    assert "neither chromium-headless-shell nor chromium" in said
    machine.program(WHOLE)
    code, said = machine.run()
    assert code == 0
    assert "the tests use chromium" in said
    assert machine.asked() == []


def test_others_than_root_ask_sudo(machine):
    machine.program("id", "#!/bin/sh\necho 1000\n")
    machine.program("sudo", '#!/bin/sh\ntest "$1" != -n || shift\nexec "$@"\n')
    machine.program("true")
    machine.lists(SHELL)
    assert machine.run() == (0, "")
    assert machine.has(SHELL)
