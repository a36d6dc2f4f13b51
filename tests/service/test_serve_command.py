import os
import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

import whorl
from whorl.cli import main, serve
from whorl.service.app import bound_to
from whorl.service.settings import ServiceSettings, ServiceSettingsError


def test_what_is_missing_is_said_with_the_command_that_adds_it(tmp_path, monkeypatch) -> None:
    whorl.Index.create(tmp_path / "index").close()
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == "fastapi" else object())
    found = CliRunner().invoke(main, ["serve", str(tmp_path / "index")])
    assert found.exit_code == 1
    assert 'pip install "whorl[serve]"' in found.output
    assert "fastapi" in found.output


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"]])
def test_help_imports_nothing_that_serves(arguments) -> None:
    asked = f"import sys\nfrom whorl.cli import main\ntry:\n main({arguments})\nexcept SystemExit: pass\n"
    loaded = "print([name for name in ('fastapi', 'uvicorn', 'starlette', 'pydantic') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", asked + loaded], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


def test_an_index_that_is_not_there_is_reported(tmp_path) -> None:
    found = CliRunner().invoke(main, ["serve", str(tmp_path / "none")])
    assert found.exit_code == 1
    assert "no index: create one" in found.output


def test_connections_send_at_once() -> None:
    with bound_to("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_settings_tell_all_their_faults(tmp_path) -> None:
    with pytest.raises(ServiceSettingsError) as refused:
        ServiceSettings(index=tmp_path, port=99999, rate=0, max_upload=2, max_batch=1)
    assert len(refused.value.faults) == 3


@pytest.mark.parametrize("command", [["serve", "{index}"], ["search", "{index}", "{file}"], ["compare", "{folder}"]])
def test_without_a_jail_require_jail_refuses_to_run(tmp_path, monkeypatch, command) -> None:
    """As on a kernel that lacks a part of it."""
    whorl.Index.create(tmp_path / "index").close()
    (tmp_path / "file.txt").write_text("words")
    monkeypatch.setattr("whorl.sandbox.process.COMPLETE", ("a jail that no kernel has",))
    monkeypatch.delenv("WHORL_REQUIRE_JAIL", raising=False)
    places = {"index": tmp_path / "index", "file": tmp_path / "file.txt", "folder": tmp_path}
    try:
        done = CliRunner().invoke(main, [*(part.format(**places) for part in command), "--require-jail"])
    finally:
        os.environ.pop("WHORL_REQUIRE_JAIL", None)
    assert done.exit_code == 1
    assert "--require-jail forbids that" in done.output
    assert "Traceback" not in done.output
