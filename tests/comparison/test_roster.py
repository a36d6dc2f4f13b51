"""The list of submissions: who they are, and what is wrong with a list that cannot be used."""

import gzip

import pytest

import whorl
from tests.formats.archives.packing import tarred
from whorl.comparison.layouts import RosterRecord
from whorl.comparison.roster import read_roster


@pytest.fixture
def roster(tmp_path):
    def write(content):
        path = tmp_path / "class.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


class TestRead:
    def test_every_column(self, roster):
        text = "submission,name,person,assignment,label,date\na.py,first,Ada,1,late,2026-01-02\nb.py,,,,,\n"
        expected = {"a.py": RosterRecord("first", "Ada", "1", "late", "2026-01-02"), "b.py": RosterRecord()}
        assert read_roster(roster(text)) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "filename,label\na.py,late\n",
            "Submission;Label\na.py;late\n",
            "submission\tlabel\na.py\tlate\n",
            "label,points, submission \nlate,3,a.py\n",
            "\ufeffsubmission,label\r\na.py,late\r\n",
            'submission,label\n"a.py","late"\n\n',
            "submission,label\n  a.py , late \n",
        ],
    )
    def test_spellings(self, roster, text):
        assert read_roster(roster(text)) == {"a.py": RosterRecord(label="late")}

    def test_a_row_may_be_short(self, roster):
        assert read_roster(roster("submission,label,date\na.py\n")) == {"a.py": RosterRecord()}

    def test_a_value_with_a_line_break(self, roster):
        assert read_roster(roster('submission,label\na.py,"two\nlines"\n'))["a.py"].label in ("two\nlines", "two lines")

    def test_rows_without_a_submission_are_no_submissions(self, roster):
        """As tables come out of a spreadsheet, with empty rows at the end."""
        assert read_roster(roster("submission,label\na.py,late\n,\n,\n")) == {"a.py": RosterRecord(label="late")}


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("name,label\na.py,late\n", "must name a column 'submission'; it has name, label"),
            ("", "must name a column 'submission'; it has nothing"),
            ("submission\na.py\nb.py\na.py\n", "line 4: 'a.py' is listed twice"),
        ],
    )
    def test_they_name_the_file_and_what_is_wrong(self, roster, text, said):
        path = roster(text)
        with pytest.raises(whorl.InputError) as caught:
            read_roster(path)
        assert str(caught.value).startswith(str(path))
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_file_that_is_no_table(self, roster):
        with pytest.raises(whorl.InputError):
            read_roster(roster(b"\0\1\2\3"))

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(whorl.DocumentError, match="cannot read"):
            read_roster(tmp_path / "gone.csv")


class TestUse:
    def test_who_is_listed_and_did_not_hand_in_is_reported(self, roster, tmp_path):
        path = roster("submission,person\na.txt,Ada\ngone.txt,Bo\n")
        folder = tmp_path / "class"
        folder.mkdir()
        (folder / "a.txt").write_text("A text.")
        found = whorl.compare_all(folder, roster=path)
        assert [submission.person for submission in found.submissions] == ["Ada"]
        assert [item.name for item in found.skipped] == ["gone.txt"]
        assert "not submitted" in found.skipped[0].reason

    def test_names_are_shown_instead_of_those_of_files(self, roster, tmp_path):
        folder = tmp_path / "class"
        folder.mkdir()
        (folder / "a.txt").write_text("A text.")
        found = whorl.compare_all(folder, roster=roster("submission,name\na.txt,Ada's essay\n"))
        assert [submission.name for submission in found.submissions] == ["Ada's essay"]

    def test_it_knows_the_new_one_of_two_with_one_name(self, roster, tmp_path):
        """Last year somebody handed in a file of the same name: the list is that of this year."""
        for folder in ("new", "old"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "a.txt").write_text("A text.")
        path = roster("submission,person\na.txt,Ada\n")
        found = whorl.compare_all(tmp_path / "new", archive=tmp_path / "old", roster=path)
        assert found.submissions[0].person == "Ada"
        assert found.skipped == ()

    @pytest.mark.parametrize(
        ("files", "expected"),
        [
            (["a.py", "b.tar.gz", "c d.v2.txt"], ["Ada", "Bo", "Cy"]),
            (["a.py", "a.txt", "b.py"], [None, None, "Bo"]),  # one without its ending could be either
            (["a", "a.py"], ["Ada", None]),
            (["a.smith"], [None]),
        ],
    )
    def test_a_row_may_leave_out_the_ending(self, roster, tmp_path, files, expected):
        """Lists of students have accounts, not names of files."""
        folder = tmp_path / "class"
        folder.mkdir()
        for name in files:
            text = f"A text of {name}."
            (folder / name).write_bytes(gzip.compress(tarred({"x.txt": text})) if "tar" in name else text.encode())
        path = roster("submission,person\na,Ada\nb,Bo\nc d.v2,Cy\n")
        found = whorl.compare_all(folder, "text", roster=path)
        assert [submission.person for submission in found.submissions] == expected


def test_two_submissions_are_not_shown_under_one_name(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("submission,name\na.py,Same\nb.py,Same\n")
    with pytest.raises(whorl.InputError, match="line 3: two submissions have the name 'Same'"):
        read_roster(path)


def test_a_binary_list_is_reported_without_its_bytes(tmp_path):
    path = tmp_path / "list.csv"
    path.write_bytes(b"\x1b[31m\x07,b\n1,2\n")
    with pytest.raises(whorl.InputError, match="must name a column 'submission'") as result:
        read_roster(path)
    assert str(result.value).isprintable()


FILES = {
    "anna.py": "a = 1\nfor b in range(a):\n    print(b)\n",
    "ben.py": "def f(x):\n    return [x, x]\n",
    "zoe.py": "while True:\n    break\n",
}


class TestAnonymous:
    def aliases(self, folder, **options):
        """Return the new name of each submission, by its text."""
        found = whorl.compare_all(folder, "code", anonymise=True, **options)
        return found, {found.text(number, 0): each.name for number, each in enumerate(found.submissions)}

    def write(self, folder, files):
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        return folder

    def test_names_stay_when_others_come_and_code_is_ignored(self, tmp_path):
        """Review marks refer to them: with numbers, they came to stand with other people."""
        _, before = self.aliases(self.write(tmp_path / "class", FILES))
        base = self.write(tmp_path / "base", {"x.py": "def f(x):\n    return [x, x]\n"})
        _, ignored = self.aliases(tmp_path / "class", base=base)
        later = FILES | {f"n{number}.py": f"x = {'-' * number}y\n" for number in range(30)}
        _, more = self.aliases(self.write(tmp_path / "more", later))
        assert before == ignored
        assert before.items() <= more.items()

    def test_their_order_is_not_that_of_the_real_names(self, tmp_path):
        texts = list(FILES.values())
        orders = set()
        for shift in range(3):
            names = dict(zip(FILES, texts[shift:] + texts[:shift], strict=True))
            found, aliases = self.aliases(self.write(tmp_path / str(shift), names))
            orders.add(tuple(aliases[text] for text in texts))
            assert [each.name for each in found.submissions] == sorted(aliases.values())
        assert len(orders) == 1

    def test_identical_ones_have_names_of_their_own(self, tmp_path):
        found, _ = self.aliases(self.write(tmp_path / "class", {"a.py": "x = 1\n", "b.py": "x = 1\n"}))
        first, other = (each.name for each in found.submissions)
        assert other == f"{first}-2"

    def test_a_skipped_file_has_another_name_than_those_that_are_compared(self, tmp_path):
        (tmp_path / "class" / "zed").mkdir(parents=True)
        for name, text in FILES.items():
            (tmp_path / "class" / "zed" / name).write_text(text)
        (tmp_path / "class" / "zed" / "b.py").symlink_to("/x")
        (tmp_path / "class" / "amy.py").write_text("pass\n")
        found, _ = self.aliases(tmp_path / "class")
        (submission,) = (each for each in found.submissions if len(each.files) == 3)
        (skipped,) = found.skipped
        assert skipped.submission == submission.name
        assert skipped.name not in {file.name for file in submission.files}


def test_a_name_of_the_list_that_another_submission_has_is_told_apart(tmp_path):
    (tmp_path / "class").mkdir()
    for name in ("amara.py", "celine.py", "hana.py"):
        (tmp_path / "class" / name).write_text(f"{name[0]} = 1\n")
    (tmp_path / "class.csv").write_text("submission,name\namara.py,celine.py\nhana.py,Hana\n")
    found = whorl.compare_all(tmp_path / "class", roster=tmp_path / "class.csv")
    assert [each.name for each in found.submissions] == ["celine.py (amara.py)", "celine.py", "Hana"]
