import os
import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

import whorl
from tests.service.harness import prose, running, settings_in
from whorl.cli import main, serve
from whorl.service.app import bound_to
from whorl.service.retention import LONGEST_DAYS
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


def serve_with(tmp_path, *options):
    whorl.Index.create(tmp_path / "index").close()
    return CliRunner().invoke(main, ["serve", str(tmp_path / "index"), "--port", "0", *options])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--keep-days", str(LONGEST_DAYS + 1)),
        ("--keep-days", "1000000000"),
        ("--purge-within", "36525.1"),
        ("--purge-within", "3000000"),
        ("--purge-within", "1e12"),
        ("--purge-within", "nan"),
        ("--purge-within", "inf"),
    ],
)
def test_days_beyond_a_century_are_refused(tmp_path, option, value) -> None:
    assert serve.LONGEST_DAYS == LONGEST_DAYS
    found = serve_with(tmp_path, option, value)
    assert found.exit_code == 2
    assert f"Invalid value for '{option}'" in found.output
    assert "Traceback" not in found.output


def test_after_a_century_a_deletion_still_has_a_receipt(tmp_path) -> None:
    settings = settings_in(tmp_path, purge_within=float(LONGEST_DAYS))
    with running(settings) as service, service.client(service.acme) as acme:
        number = acme.post("/documents", json={"name": "a", "text": prose(1)}).json()["document"]["id"]
        assert acme.delete(f"/documents/{number}").status_code == 200


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.example.org:8443", "write a.example.org."),
        ("https://b.example.org", "write b.example.org."),
        ("https://b.example.org:8443/page", "write b.example.org."),
        ("b.example.org/", "write b.example.org."),
        ("b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example", "write xn--bcher-kva.example."),
        ("2001:db8::1", "write [2001:db8::1]."),
        ("*.example.org", "write a name such as whorl.example.org."),
        ("https://", "write a name such as whorl.example.org."),
        ("", "write a name such as whorl.example.org."),
    ],
)
def test_what_no_host_header_has_is_refused_with_what_to_write(tmp_path, name, advice) -> None:
    found = serve_with(tmp_path, "--allow-host", name)
    assert found.exit_code == 2
    assert "is not a host name" in found.output
    assert advice in found.output


@pytest.mark.parametrize(
    "address", ["notanip", "127.0.0.1:80", "10.0.0.1/8", "proxy.example.org", "127.0.0.1,10.0.0.1"]
)
def test_a_proxy_is_an_address_or_a_network(tmp_path, address) -> None:
    found = serve_with(tmp_path, "--trust-proxy", address)
    assert found.exit_code == 2
    assert "write an IP address or a network" in found.output


def test_names_and_proxies_that_can_match_are_taken(tmp_path, monkeypatch) -> None:
    taken = []
    monkeypatch.setattr("whorl.service.app.serve", lambda settings, _: taken.append(settings))
    hosts = ["Whorl.Example.org", "127.0.0.2", "[2001:db8::1]", "intra_net"]
    proxies = ["127.0.0.1", "10.0.0.0/8", "::1"]
    options = [f"--allow-host={host}" for host in hosts] + [f"--trust-proxy={proxy}" for proxy in proxies]
    assert serve_with(tmp_path, *options).exit_code == 0
    assert taken[0].allow_hosts == tuple(map(str.lower, hosts))
    assert taken[0].proxies == tuple(proxies)
    CliRunner().invoke(main, ["serve", str(tmp_path / "index"), "--trust-proxy=10.0.0.1", "--trust-proxy=*"])
    assert taken[1].proxies == ("*",)
