import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

import whorl
from whorl.cli import main, serve
from whorl.service.serving import bound_to
from whorl.service.settings import Settings, SettingsError


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
    told = "print([name for name in ('fastapi', 'uvicorn', 'starlette', 'pydantic') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", asked + told], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


def test_an_index_that_is_not_there_is_told(tmp_path) -> None:
    found = CliRunner().invoke(main, ["serve", str(tmp_path / "none")])
    assert found.exit_code == 1
    assert "no index is there" in found.output


def test_connections_send_at_once() -> None:
    with bound_to("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_settings_tell_all_their_faults(tmp_path) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings(index=tmp_path, port=99999, rate=0, max_upload=2, max_batch=1)
    assert len(refused.value.faults) == 3
