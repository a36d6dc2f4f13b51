"""The bar for long work."""

import io
import sys

from whorl.cli import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_for_a_large_file_on_a_terminal(tmp_path, monkeypatch):
    path = tmp_path / "large.txt"
    path.write_bytes(b"x" * 1000)
    shown = Terminal()
    monkeypatch.setattr(progress, "LONG", 10)
    monkeypatch.setattr(sys, "stderr", shown)
    with progress.bar(path) as told:
        assert told is not None
        told(500)
    assert "large.txt" in shown.getvalue()


def test_none_otherwise(tmp_path, monkeypatch, capsys):
    path = tmp_path / "small.txt"
    path.write_bytes(b"x" * 1000)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.bar(path) as told:
        assert told is None
    monkeypatch.setattr(progress, "LONG", 10)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.bar(path) as told:
        assert told is None
