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
    with progress.bar(path) as result:
        assert result is not None
        result(500)
    assert "large.txt" in shown.getvalue()


def test_none_otherwise(tmp_path, monkeypatch, capsys):
    path = tmp_path / "small.txt"
    path.write_bytes(b"x" * 1000)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.bar(path) as result:
        assert result is None
    monkeypatch.setattr(progress, "LONG", 10)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.bar(path) as result:
        assert result is None


def test_lines_for_a_log(monkeypatch, capsys):
    with progress.stages() as tell:
        assert tell is not None
        tell("sketch", 1, 4)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "SELDOM", 0)
        tell("sketch", 1, 4)
        tell("join", 5, None)
    assert capsys.readouterr().err == "sketch: 25% of 4 after 0 s\njoin: 5 after 0 s\n"
