"""What becomes a submission: files, folders, archives, several paths; and what is left out, with its reason."""

import os
from pathlib import Path
from typing import Any

import pytest

import whorl
from tests.comparison.planting import samples
from tests.formats.archives.packing import zipped
from tests.sandbox.impatience import impatient

LANGUAGE_SAMPLES = Path(__file__).parents[1] / "formats" / "code" / "samples"
ESSAYS = [sample.text for sample in samples("text")]
PROGRAM, OTHER = (sample.text for sample in samples("python")[:2])


def write(folder, files):
    for name, content in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(folder)


def handed_in(found):
    """The files of every submission, by its name."""
    return {submission.name: [file.name for file in submission.files] for submission in found.submissions}


def pairs(found):
    names = [submission.name for submission in found.submissions]
    return {(names[pair.left], names[pair.right]): pair for pair in found.pairs}


class TestSubmissions:
    def test_each_child_of_a_folder_is_one(self, tmp_path):
        files = {"ada.py": PROGRAM, "bo/main.py": PROGRAM, "bo/lib/other.py": OTHER, "cy.zip": zipped({"x.py": OTHER})}
        found = whorl.compare_all(write(tmp_path, files))
        expected = {"ada.py": ["ada.py"], "bo": ["lib/other.py", "main.py"], "cy.zip": ["x.py"]}
        assert {name: sorted(names) for name, names in handed_in(found).items()} == expected
        assert pairs(found).keys() == {("ada.py", "bo"), ("bo", "cy.zip")}

    def test_several_languages_in_one(self, tmp_path):
        in_c, in_java = samples("c")[0].text, samples("java")[0].text
        files = {"ada/main.py": PROGRAM, "ada/lib.c": in_c, "bo/b.py": PROGRAM, "bo/B.java": in_java, "cy/c.c": in_c}
        found = whorl.compare_all(write(tmp_path, files))
        formats = {file.format for submission in found.submissions for file in submission.files}
        assert formats == {"c", "java", "python"}
        assert pairs(found).keys() == {("ada", "bo"), ("ada", "cy")}
        for pair in found.pairs:
            for passage in pair.passages:
                assert Path(passage.left.file).suffix == Path(passage.right.file).suffix

    @pytest.mark.parametrize(
        ("name", "hidden_by", "detected"),
        [("newton.m", "%{\n// x\n%}\n", "objective-c"), ("words.pl", "\n=pod\n\nf(x).\n\n=cut\n", "prolog"),
         ("tree.ml", "(*\nval x = 1\n*)\n", "sml"), ("list.h", "/*\n@end\n*/\n", "objective-c")],
    )  # fmt: skip
    def test_no_comment_turns_a_copy_into_another_language(self, tmp_path, name, hidden_by, detected):
        program = Path(LANGUAGE_SAMPLES, name.replace("list.h", "list.c")).read_text()
        other = Path(LANGUAGE_SAMPLES, "heat.f90").read_text()
        files = {f"ada/{name}": program, f"bo/{name}": program + hidden_by, "cy/heat.f90": other}
        found = whorl.compare_all(write(tmp_path, files))
        (pair,) = found.pairs
        assert pair.score == 1
        first, second = (submission.files[0] for submission in found.submissions[:2])
        assert first.format == second.format
        assert first.notes == ()
        (note,) = second.notes
        assert note.endswith(
            f"as most {Path(name).suffix} files of this comparison are; on its own it would be read as {detected}"
        )

    def test_a_text_beside_programs_is_reported_and_left_out(self, tmp_path):
        found = whorl.compare_all(write(tmp_path, {"ada/a.py": PROGRAM, "ada/README.md": ESSAYS[0], "bo.py": PROGRAM}))
        assert handed_in(found) == {"ada": ["a.py"], "bo.py": ["bo.py"]}
        (left_out,) = found.skipped
        assert left_out.name == "ada/README.md"
        assert "programming language" in left_out.reason

    def test_an_archive_of_archives(self, tmp_path):
        """What a course system gives: everybody's zip file in one."""
        own: dict[str, dict[str, Any]] = {
            "ada.zip": {"a.py": PROGRAM},
            "bo.zip": {"project/b.py": PROGRAM},
            "cy.zip": {"x.zip": zipped({})},
        }
        path = (
            write(tmp_path, {"class.zip": zipped({name: zipped(files) for name, files in own.items()})}) / "class.zip"
        )
        found = whorl.compare_all(path)
        assert handed_in(found) == {"ada.zip": ["a.py"], "bo.zip": ["project/b.py"]}
        assert pairs(found)["ada.zip", "bo.zip"].score == pytest.approx(1)
        reasons = [(left_out.name, left_out.reason) for left_out in found.skipped]
        assert reasons == [("cy.zip/x.zip/", "empty"), ("cy.zip/", "nothing in it can be compared: empty")]

    def test_the_files_of_a_submission_without_any_are_counted_once(self, tmp_path):
        found = whorl.compare_all(write(tmp_path, {"ada/x.py": "", "bo.py": PROGRAM, "cy.py": OTHER}))
        names = {left_out.name: (left_out.files, left_out.expected) for left_out in found.skipped}
        assert names == {"ada/x.py": (1, True), "ada/": (0, False)}

    @pytest.mark.parametrize("wrapper", ["class", "java", "a", "a/b"])
    def test_files_have_their_names_inside_the_submission(self, wrapper, tmp_path):
        files = {f"{wrapper}/a/src/a.txt": ESSAYS[0], f"{wrapper}/b/src/b.txt": ESSAYS[0]}
        found = whorl.compare_all(write(tmp_path, {"class.zip": zipped(files)}) / "class.zip")
        assert handed_in(found) == {"a": ["src/a.txt"], "b": ["src/b.txt"]}


class TestPaths:
    def test_children_of_one_name_in_two_paths(self, tmp_path):
        folders = [write(tmp_path / name, {"ada.txt": ESSAYS[0], f"{name}.txt": ESSAYS[1]}) for name in ("one", "two")]
        found = whorl.compare_all(folders)
        twice = [f"{folder}/ada.txt" for folder in folders]
        assert sorted(handed_in(found)) == sorted([*twice, "one.txt", "two.txt"])
        assert pairs(found).keys() == {tuple(twice), ("one.txt", "two.txt")}

    def test_files_of_one_name_in_two_folders(self, tmp_path):
        files = [write(tmp_path / name, {"ada.txt": ESSAYS[0]}) / "ada.txt" for name in ("one", "two")]
        found = whorl.compare_all(files)
        assert handed_in(found) == {str(path): ["ada.txt"] for path in files}
        assert len(found.pairs) == 1

    def test_an_archived_one_of_the_same_name(self, tmp_path):
        new, old = (write(tmp_path / name, {"ada.txt": ESSAYS[0]}) for name in ("new", "old"))
        found = whorl.compare_all(new, archive=old)
        assert list(handed_in(found)) == [f"{new}/ada.txt", f"{old}/ada.txt"]
        assert [submission.archived for submission in found.submissions] == [False, True]

    def test_nobody_is_compared_with_himself(self, tmp_path):
        """However often a file is given, it is one submission."""
        folder = write(tmp_path / "class", {"ada.txt": ESSAYS[0], "bo.txt": ESSAYS[1]})
        for paths in ([folder, folder], [folder, folder / "ada.txt"], [folder, folder / ".." / "class"]):
            found = whorl.compare_all(paths)
            assert found.pairs == ()
            assert handed_in(found) == {"ada.txt": ["ada.txt"], "bo.txt": ["bo.txt"]}

    def test_a_path_that_is_not_there(self, tmp_path):
        with pytest.raises(whorl.DocumentError, match="gone: no such file"):
            whorl.compare_all(tmp_path / "gone")


class TestLeftOut:
    def test_what_cannot_be_read_is_reported_with_its_reason(self, tmp_path):
        files = {"ada.txt": ESSAYS[0], "bo.txt": ESSAYS[0], "cy.bin": b"\0\1\2" * 500, "di.zip": b"PK\3\4 is not a zip"}
        folder = write(tmp_path, files)
        (folder / "ed.txt").symlink_to("nowhere")
        found = whorl.compare_all(folder)
        assert handed_in(found).keys() == {"ada.txt", "bo.txt"}
        reasons = {item.name: item.reason for item in found.skipped}
        assert reasons.keys() == {"cy.bin", "di.zip", "ed.txt"}
        assert "NUL" in reasons["cy.bin"]
        assert "damaged" in reasons["di.zip"]
        assert "symbolic link" in reasons["ed.txt"]

    def test_prose_that_is_a_whole_submission_among_programs_is_not_compared(self, tmp_path):
        """A student who handed in prose must not vanish; prose beside a program, or in the base, is no news."""
        files = {
            "ada.py": PROGRAM,
            "bo.txt": ESSAYS[0],
            "cy/essay.md": ESSAYS[0],
            "di/d.py": OTHER,
            "di/d.md": ESSAYS[0],
        }
        task = write(tmp_path / "base", {"task.md": ESSAYS[1], "start.py": "total = 0"})
        found = whorl.compare_all(write(tmp_path / "class", files), "code", base=[task, task / "task.md"])
        missed = {item.file: item.reason for item in found.not_compared}
        assert missed.keys() == {"bo.txt", "cy/"}
        assert all("programming language" in reason for reason in missed.values())
        assert {item.name for item in found.skipped if item.expected} >= {"cy/essay.md", "di/d.md"}

    def test_an_image_beside_programs_is_left_out_without_alarm(self, tmp_path):
        png = b"\x89PNG\r\n\x1a\n" + bytes(99)
        found = whorl.compare_all(write(tmp_path, {"ada.py": PROGRAM, "bo.py": OTHER, "cy.png": png}))
        assert [item.name for item in found.skipped] == ["cy.png"]
        assert not found.not_compared

    def test_a_pipe_is_not_waited_for(self, tmp_path):
        folder = write(tmp_path, {"ada.txt": ESSAYS[0], "bo.txt": ESSAYS[1]})
        os.mkfifo(folder / "cy.txt")
        (left_out,) = whorl.compare_all(folder).skipped
        assert (left_out.name, left_out.reason) == ("cy.txt", "refused: a pipe")

    def test_an_empty_folder(self, tmp_path):
        found = whorl.compare_all(tmp_path)
        assert (found.submissions, found.pairs) == ((), ())
        assert [item.reason for item in found.skipped] == ["empty"]

    def test_a_file_without_symbols_is_a_submission(self, tmp_path):
        found = whorl.compare_all(write(tmp_path, {"ada.txt": "...", "bo.txt": "", "cy.txt": ESSAYS[0]}))
        result = {submission.name: submission.symbols for submission in found.submissions}
        assert result["ada.txt"] == 0
        assert found.pairs == ()
        assert result.keys() | {item.name for item in found.skipped} == {"ada.txt", "bo.txt", "cy.txt"}

    def test_a_parser_that_gives_up_is_noted(self, tmp_path):
        """What cannot be parsed is lexed, and the submission says so."""
        honest = samples("java")[0].text
        folder = write(tmp_path, {"ada.java": honest, "bo.java": "s<" * 10_000})
        with impatient(workers=2):
            found = whorl.compare_all(folder)
        (file,) = found.submissions[1].files
        assert len(found.submissions) == 2
        assert file.notes
        assert all(note.splitlines() == [note] for note in file.notes)
