"""Patterns of .gitignore files, against git itself."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.formats.archives.packing import found
from whorl.formats.archives.gitignore import LONGEST, MOST, Allowance, Ignores, parse


def ignored(patterns: str, path: str, is_folder: bool = False) -> bool:
    layer, _ = Ignores().within(b"", patterns.encode(), Allowance())
    return layer.ignore(path.encode(), is_folder)


@pytest.mark.parametrize(
    ("patterns", "path", "expected"),
    [
        ("*.o", "a/b/c.o", True),
        ("*.o", "c.out", False),
        ("/top.c", "top.c", True),
        ("/top.c", "a/top.c", False),
        ("a/b.c", "a/b.c", True),
        ("a/b.c", "x/a/b.c", False),
        ("**/b.c", "x/a/b.c", True),
        ("**/b.c", "b.c", True),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("a/**/z", "ab/z", False),
        ("a/**", "a/b", True),
        ("a/**", "a", False),
        ("*.c\n!keep.c", "keep.c", False),
        ("!keep.c\n*.c", "keep.c", True),
        ("dir/", "dir", False),
        ("# note\n\n\\#x", "#x", True),
        ("\\!x", "!x", True),
        ("x   ", "x", True),
        ("x\\ ", "x ", True),
        ("[a-c]?.t[!x]", "b1.ty", True),
        ("[a-c]?.t[!x]", "b1.tx", False),
        ("[[:digit:]]*", "7up", True),
        ("a[", "a[", False),
        ("a\\", "a\\", False),
        ("a*b*c", "a-b-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("*", "x", True),
        ("a\\/b", "a/b", True),
    ],
)
def test_rules_of_git(patterns, path, expected):
    assert ignored(patterns, path) is expected


def test_folder_patterns_match_folders_only():
    assert ignored("dir/", "a/dir", is_folder=True)
    assert not ignored("dir/", "a/dir")


def test_byte_order_mark_and_windows_line_ends():
    layer, _ = Ignores().within(b"", b"\xef\xbb\xbf*.o\r\n*.a\r\n", Allowance())
    assert layer.ignore(b"x.o", False)
    assert layer.ignore(b"x.a", False)


def test_innermost_file_decides():
    outer, _ = Ignores().within(b"", b"*.log\n", Allowance())
    inner, _ = outer.within(b"a/", b"!keep.log\n/b.txt\n", Allowance())
    assert inner.ignore(b"a/x.log", False)
    assert not inner.ignore(b"a/keep.log", False)
    assert inner.ignore(b"a/b.txt", False)
    assert not inner.ignore(b"a/c/b.txt", False)


@pytest.mark.parametrize("pattern", ["*a" * 200 + "b", "**/a/" * 80 + "b", "[a]*" * 120 + "b", "*" * 500 + "b"])
def test_patterns_that_would_make_a_backtracking_matcher_stop_for_ages(pattern):
    parsed = parse(pattern.encode())
    assert parsed is not None
    for path in (b"a" * 255, b"/".join([b"a"] * 250), b"a/" * 120 + b"c"):
        for _ in range(20):
            assert not parsed.matches(path, False)


def test_too_much_to_apply_is_said():
    layer, fault = Ignores().within(b"", b"*.o\n" * MOST, Allowance())
    assert "not applied" in fault
    assert not layer.ignore(b"x.o", False)
    layer, fault = Ignores().within(b"", b"a" * (LONGEST + 1) + b"\n*.o\n", Allowance())
    assert fault.startswith("1 of its lines not applied")
    assert layer.ignore(b"x.o", False)


# Few letters, so that patterns often match; every special of the syntax.
_PIECES = st.sampled_from(["a", "b", "ab", "*", "?", "[ab]", "[!a]", "[a-b]", "\\a", "\\*", ".", "[[:alpha:]]", "[^]]"])
_SEGMENTS = st.one_of(st.lists(_PIECES, min_size=1, max_size=3).map("".join), st.just("**"))
_LINES = st.builds(
    lambda negated, anchored, segments, folder: "!" * negated + "/" * anchored + "/".join(segments) + "/" * folder,
    st.booleans(), st.booleans(), st.lists(_SEGMENTS, min_size=1, max_size=4), st.booleans(),
)  # fmt: skip
_NAMES = st.text("ab.*]", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)


def _plain_stars(line: str) -> bool:
    """Git gives ``a**`` a meaning that its own documentation denies, if what stands before is without wildcards."""
    return all("**" not in segment or segment == "**" for segment in line.strip("!/").split("/"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
@examples(120)
@given(
    top=st.lists(_LINES.filter(_plain_stars), max_size=5),
    inner=st.lists(_LINES.filter(_plain_stars), max_size=3),
    paths=st.lists(_PATHS, min_size=1, max_size=12, unique=True),
)
@example(top=["a/**/", "!a/b/"], inner=[], paths=["a/b/c", "a/c/d"])
def test_as_git_has_it(tmp_path_factory, top, inner, paths):
    root = tmp_path_factory.mktemp("repository")
    files = _planted(root, [f"a/{path}" for path in paths] + paths)
    (root / ".gitignore").write_text("\n".join(top) + "\n")
    if (root / "a").is_dir():
        (root / "a" / ".gitignore").write_text("\n".join(inner) + "\n")
    ours, skipped = found(root)
    hidden = {name for name in files if any(part.startswith(".") for part in name.split("/"))}
    assert {name for name in files if name not in ours} - hidden == _ignored_by_git(root, files) - hidden
    assert not any("not applied" in reason for reason in skipped.values())


def _planted(root: Path, paths: list[str]) -> list[str]:
    planted = []
    for path in paths:
        file = root / path
        if file.exists() or any(parent.is_file() for parent in file.parents):
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text")
        planted.append(path)
    return planted


def _ignored_by_git(root: Path, files: list[str]) -> set[str]:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    environment.pop("GIT_DIR", None)
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=environment)
    answer = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "-z", "--no-index", "--stdin"],
        input="\0".join(files).encode(), capture_output=True, check=False, env=environment,
    )  # fmt: skip
    assert answer.returncode in (0, 1), answer.stderr
    return set(answer.stdout.decode().split("\0")) - {""}
