"""``whorl compare`` on the command line: what is printed, where, and the exit codes."""

import csv
import io
import json
import os
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import whorl
from whorl.cli import main
from whorl.comparison.export import as_json

EXAMPLES = Path(__file__).parents[2] / "examples"
CLASS, TEMPLATE, ROSTER = EXAMPLES / "class", EXAMPLES / "template", EXAMPLES / "class.csv"
BASED = ("--base", TEMPLATE, "--submissions-csv", ROSTER)


def run(*arguments, **settings):
    return CliRunner().invoke(main, ["compare", *map(str, arguments)], env={"COLUMNS": "120"}, **settings)


@cache
def based(*arguments):
    """The class without its template, compared once for all tests that read the same output."""
    return run(CLASS, *BASED, *arguments)


def one_line(result, code=1):
    """The only line of an error."""
    assert result.exit_code == code
    assert result.stdout == ""
    (line,) = result.stderr.splitlines() if code == 1 else result.stderr.splitlines()[-1:]
    assert line.startswith("Error: ")
    return line


class TestHelp:
    def test_it_shows_examples(self):
        result = run("--help")
        assert result.exit_code == 0
        assert "Examples:" in result.output
        assert result.output.count("whorl compare ") >= 4
        for option in ("--base", "--archive", "--report", "--threshold", "--format", "--anonymise"):
            assert option in result.output

    def test_a_path_is_wanted(self):
        assert "PATHS" in one_line(run(), code=2)


class TestTable:
    def test_the_pairs_are_there_best_first(self):
        result = based()
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        summary = "15 submissions, 105 pairs compared, 8 listed: score of at least 0.07 or 66 tokens in a row"
        assert lines[0] == summary
        assert lines[1].startswith("half of all pairs score at most 0%, 95 of 100 at most ")
        assert "every shared passage of 11 tokens is found" in lines[2]
        rows = [line.split() for line in lines[3:] if "%" in line]
        assert [row[-2:] for row in rows[:2]] == [["amara.py", "bruno.py"], ["nils.java", "oona.java"]]
        assert rows[0][:5] == ["100%"] * 5
        scores = [int(row[0].rstrip("%")) for row in rows]
        assert scores == sorted(scores, reverse=True)
        assert "cluster 1, 2 submissions: amara.py, bruno.py" in lines

    def test_what_was_left_out_is_reported(self, tmp_path):
        (tmp_path / "a.txt").write_text("A text.")
        (tmp_path / "b.bin").write_bytes(b"\0" * 50)
        assert "skipped: b.bin (1 file, 50 bytes): binary: it has NUL bytes" in run(tmp_path).stdout

    def test_what_is_odd_about_one_is_reported(self, tmp_path):
        (tmp_path / "a.txt").write_text("A text of so\u200bme wo\u200brds th\u200bat are not \x1b[2J.")
        result = run(tmp_path).stdout
        assert "odd, a.txt: a.txt has invisible characters in 3 places" in result

    def test_what_is_odd_moves_no_cursor(self, tmp_path):
        (tmp_path / "a.html").write_text(f"<p>Seen</p><p style='display:none'>\x1b[2J{'unseen ' * 20}</p>")
        result = run(tmp_path).stdout
        assert "odd, a.html" in result
        assert "\x1b" not in result

    def test_people_over_assignments(self):
        result = run(CLASS, *BASED, "--group-by", "person")
        assert "Amara Lindqvist" in result.stdout
        assert result.stdout.index("together") < result.stdout.index("contained")

    def test_people_without_a_list(self):
        assert "see --submissions-csv" in run(CLASS, "--group-by", "person").stdout

    def test_a_long_table_says_how_to_see_the_rest(self):
        found = whorl.compare_all(CLASS, threshold=0.0)
        result = run(CLASS, "--threshold", 0)
        assert f"and {len(found.rows) - 25} rows more" in result.stdout
        assert "not listed" not in result.stdout
        assert "41 other pairs share something and are not listed: --threshold 0 lists" in based().stdout

    def test_pairs_beyond_the_limit_are_reported(self):
        found = whorl.compare_all(CLASS, threshold=0.0, limit=3)
        result = run(CLASS, "--threshold", 0, "--limit", 3)
        assert f"not listed: --limit {len(found.pairs) + found.unlisted} lists" in result.stdout
        result = run(CLASS, "--limit", 3)
        assert f"--threshold 0 --limit {len(found.pairs) + found.unlisted} lists" in result.stdout

    def test_the_folder_that_is_its_own_base(self):
        assert "starter code (--base) is not compared" in run(CLASS, "--base", CLASS).stderr

    def test_identical_submissions_are_one_row(self):
        rows = [line.split() for line in based().stdout.splitlines() if "%" in line][1:]
        assert ["amara.py", "bruno.py"] in [row[-2:] for row in rows]
        assert [row[6:] for row in rows if "elif.py" in row] == [["amara.py", "+1", "identical", "elif.py"]]

    def test_a_long_passage_is_listed_whatever_the_score(self):
        result = run(CLASS, "--threshold", 0.99).stdout
        assert "listed for" in result
        assert "long passage" in result
        assert "long passage" not in run(CLASS, "--threshold", 0.99, "--long", 0).stdout


class TestJson:
    def test_it_is_what_the_library_finds(self, monkeypatch):
        monkeypatch.setattr("sys.argv", ["/usr/bin/whorl", "compare", "a class", "--format", "json"])
        result = run(CLASS, *BASED, "--format", "json", "--threads", 2)
        assert result.exit_code == 0
        assert result.stderr == ""
        found = whorl.compare_all(CLASS, base=TEMPLATE, roster=ROSTER)
        printed = json.loads(result.stdout)
        assert printed["run"].pop("command") == "whorl compare 'a class' --format json"
        expected = as_json(found)
        assert expected["run"].pop("command") == ""
        assert printed == expected

    def test_every_setting_reaches_the_comparison(self):
        options = (
            "--threshold", 0.3, "--sort", "containment", "--limit", 2, "--long", 0, "--cluster", 0.9,
            "--max-share", "50%",
        )  # fmt: skip
        result = json.loads(run(CLASS, *options, "--anonymise", "--format", "json").stdout)
        found = whorl.compare_all(
            CLASS, threshold=0.3, measure="containment", limit=2, long=0, cluster=0.9, max_share=0.5, anonymise=True
        )
        assert result == as_json(found)
        rows = [pair for pair in result["pairs"] if pair["same_as"] is None]
        assert (result["threshold"], result["measure"], len(rows)) == (0.3, "containment", 2)
        assert result["omitted"] > 0

    def test_a_scheme_of_ones_own(self):
        result = json.loads(run(CLASS, "--k", 12, "--t", 20, "--format", "json").stdout)
        assert (result["scheme"]["k"], result["scheme"]["guarantee"]) == (12, 20)
        assert result["scheme"]["frontend"] == "code"

    def test_only_some_files(self):
        result = json.loads(run(CLASS, "--include", "*.java", "--format", "json").stdout)
        assert {Path(one["name"]).suffix for one in result["submissions"]} == {".java"}
        result = json.loads(run(CLASS, "--exclude", "*.java", "--exclude", "farid/", "--format", "json").stdout)
        assert {Path(one["name"]).suffix for one in result["submissions"]} == {".py"}

    def test_two_files(self):
        result = json.loads(run(CLASS / "amara.py", CLASS / "bruno.py", "--format", "json").stdout)
        (pair,) = result["pairs"]
        assert (pair["left"], pair["right"], pair["score"]) == ("amara.py", "bruno.py", 1)

    def test_an_archive_of_earlier_years(self, tmp_path):
        (tmp_path / "again.py").write_bytes((CLASS / "hana.py").read_bytes())
        result = json.loads(run(tmp_path, "--archive", CLASS, "--base", TEMPLATE, "--format", "json").stdout)
        assert [one["archived"] for one in result["submissions"]] == [False] + [True] * 15
        assert [(pair["left"], pair["right"]) for pair in result["pairs"]] == [("again.py", "hana.py")]


class TestCsv:
    def test_a_header_and_a_row_a_pair(self):
        result = run(CLASS, *BASED, "--format", "csv")
        assert result.exit_code == 0
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert len(rows) == 8
        assert (rows[0]["left"], rows[0]["right"], rows[0]["score"]) == ("amara.py", "bruno.py", "1.0000")
        assert (rows[0]["left_person"], rows[0]["right_label"]) == ("Amara Lindqvist", "group 1")


class TestReport:
    def test_it_is_written_and_named(self, tmp_path):
        result = run(CLASS, *BASED, "--report", tmp_path / "report", "--title", "Two tasks")
        assert result.exit_code == 0
        index = tmp_path / "report" / "index.html"
        assert f"report: {index}" in result.stdout.replace("\n", "")
        page = index.read_text("utf-8")
        assert "Two tasks" in page
        assert "amara.py" in page

    def test_with_json_its_name_goes_to_the_other_stream(self, tmp_path):
        result = run(CLASS, "--report", tmp_path / "report", "--format", "json")
        assert json.loads(result.stdout)["pairs"]
        assert result.stderr.startswith("report: ")

    def test_a_folder_of_others_is_refused_before_anything_is_read(self, tmp_path, monkeypatch):
        (tmp_path / "mine.txt").write_text("keep me")
        monkeypatch.setattr("whorl.cli.compare.compare_all", lambda *_, **__: pytest.fail("it was compared"))
        result = run(CLASS, "--report", tmp_path)
        assert result.exit_code == 1
        assert "holds no report" in result.stderr

    @pytest.mark.parametrize(
        ("option", "path", "reason"),
        [
            ("--report", ".", "a report cannot replace the working folder; choose a folder in it, such as"),
            ("--report", "mount", "a report cannot replace a mount point; choose a folder in it, such as"),
            ("--report", "file/report", "file is not a folder that you may write to"),
            ("--report", "closed/new/report", "closed is not a folder that you may write to"),
            ("--jplag", "closed/new.jplag", "closed is not a folder that you may write to"),
            ("--jplag", "", "name a file for the result"),
            ("--jplag", "new/result.jplag", "new is not a folder that you may write to"),
            ("--jplag", "pipe", "pipe: is a folder or a device"),
        ],
    )
    def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(
        self, tmp_path, monkeypatch, option, path, reason
    ):
        for name in ("mount", "closed"):
            (tmp_path / name).mkdir()
        (tmp_path / "file").touch()
        os.mkfifo(tmp_path / "pipe")
        access, is_mount = os.access, Path.is_mount  # root may write everywhere
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "closed" and access(path, mode))
        monkeypatch.setattr(Path, "is_mount", lambda self: self.name == "mount" or is_mount(self))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("whorl.cli.compare.compare_all", lambda *_, **__: pytest.fail("it was compared"))
        result = run(CLASS, option, path)
        assert result.exit_code == 1
        assert reason in result.stderr

    def test_no_name_is_in_it_if_none_is_wanted(self, tmp_path):
        result = run(CLASS / "amara.py", CLASS / "bruno.py", "--anonymise", "--report", tmp_path / "report")
        assert result.exit_code == 0
        pages = [path.read_text("utf-8") for path in (tmp_path / "report").rglob("*") if path.is_file()]
        assert len(pages) > 1
        assert not [page for page in pages if "amara" in page or "bruno" in page]

    def test_it_is_no_submission_of_the_next_run(self, tmp_path, monkeypatch):
        for name in ("amara.py", "bruno.py", "celine.py"):
            (tmp_path / name).write_text((CLASS / name).read_text())
        monkeypatch.chdir(tmp_path)
        first, second = (run(".", "--report", "report").stdout for _ in range(2))
        assert first.splitlines()[0] in second
        assert "report: a Whorl report: none of its files is a document" in second

    def test_a_folder_of_something_else_is_refused(self, tmp_path):
        (tmp_path / "thesis.txt").write_text("mine")
        result = run(CLASS, "--report", tmp_path)
        assert "not empty" in one_line(result)
        assert (tmp_path / "thesis.txt").read_text() == "mine"


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nowhere"], "'nowhere' does not exist"),
            ([CLASS, "--threshold", "2"], "--threshold"),
            ([CLASS, "--max-share", "many"], "neither a number of submissions nor a percentage"),
            ([CLASS, "--limit", "0"], "--limit"),
            ([CLASS, "--sort", "luck"], "--sort"),
            ([CLASS, "--as", "klingon"], "klingon"),
        ],
    )
    def test_a_wrong_option_is_a_matter_of_usage(self, arguments, said):
        result = run(*arguments)
        assert result.exit_code == 2
        assert said in result.stderr.replace("\n", " ")
        assert result.stdout == ""

    def test_a_list_that_cannot_be_used(self, tmp_path):
        (tmp_path / "class.csv").write_text("who,what\nme,this\n")
        line = one_line(run(CLASS, "--submissions-csv", tmp_path / "class.csv"))
        assert "class.csv: the first line must name a column 'submission'" in line

    def test_a_scheme_that_cannot_be(self):
        assert "k: 0 is out of range" in one_line(run(CLASS, "--k", 0))

    def test_a_share_that_cannot_be(self):
        for share in ("150%", "0", "0%", "-1"):
            reason = f"'{share}' is out of range; give a number of submissions, or more than 0% up to 100%"
            said = " ".join(run(CLASS, "--max-share", share).stderr.split())
            assert f"Invalid value for '--max-share': {reason}" in said

    def test_a_scheme_that_nobody_knows(self):
        assert "prose" in one_line(run(CLASS, "--scheme", "prose"))


class TestFailOn:
    def test_the_exit_status_says_whether_a_pair_reaches_the_score(self):
        reached = run(CLASS, *BASED, "--fail-on", "0.95")
        assert reached.exit_code == 3
        assert reached.stderr.endswith("3 pairs score at least 0.95: exit status 3, as --fail-on asks\n")
        assert "amara.py" in reached.stdout
        assert run(CLASS / "amara.py", CLASS / "elif.py", "--fail-on", "1").exit_code == 0

    def test_a_score_that_unlisted_pairs_may_have_is_refused(self):
        assert "add --threshold 0.01" in one_line(run(CLASS, "--fail-on", "0.01"), code=2)
        assert "needs --sort score" in one_line(run(CLASS, "--fail-on", "0.5", "--sort", "longest"), code=2)
        assert run(CLASS, *BASED, "--fail-on", "0.01", "--threshold", "0.01").exit_code == 3

    def test_sarif_is_json(self):
        result = run(CLASS, *BASED, "--format", "sarif")
        assert json.loads(result.stdout)["runs"][0]["results"]

    def test_the_size_of_a_report_needs_a_report(self, tmp_path):
        result = run(CLASS, "--report-size", "5")
        assert result.exit_code == 2
        assert "add --report FOLDER" in result.stderr
        result = run(CLASS, "--report-size", "5", "--report", tmp_path / "report")
        assert result.exit_code == 0


class TestReview:
    def test_marks_need_a_report(self, tmp_path):
        (tmp_path / "marks.json").write_text('{"kind": "whorl review", "pairs": []}')
        result = run(CLASS, "--review", tmp_path / "marks.json")
        assert result.exit_code == 2
        assert "add --report FOLDER" in result.stderr

    def test_marks_are_put_into_the_report(self, tmp_path):
        marks = [{"left": "bruno.py", "right": "amara.py", "state": "dismissed", "note": "the same pair"}]
        (tmp_path / "marks.json").write_text(json.dumps({"kind": "whorl review", "pairs": marks}))
        result = run(CLASS, *BASED, "--review", tmp_path / "marks.json", "--report", tmp_path / "report")
        assert result.exit_code == 0
        page = (tmp_path / "report" / "index.html").read_text()
        assert '["amara.py","bruno.py","dismissed","the same pair",[]]' in page

    def test_an_ignored_passage_counts_as_starter_code(self, tmp_path):
        before = json.loads(based("--format", "json").stdout)
        [pair] = [pair for pair in before["pairs"] if pair["left"] == "jomo.java"]
        lines = (CLASS / "jomo.java").read_text().splitlines()
        passage = max(pair["passages"], key=lambda passage: passage["symbols"])["left"]
        text = "\n".join(lines[passage["start_line"] - 1 : passage["end_line"]])
        names = {name: pair[name] for name in ("left", "right")}
        mark = {**names, "state": "", "note": "", "ignored": [{"format": "java", "text": text}]}
        (tmp_path / "marks.json").write_text(json.dumps({"kind": "whorl review", "pairs": [mark]}))
        after = json.loads(run(CLASS, *BASED, "--format", "json", "--review", tmp_path / "marks.json").stdout)
        assert ("jomo.java", "kaia.java") not in {(pair["left"], pair["right"]) for pair in after["pairs"]}
        assert after["pairs"][0]["score"] == before["pairs"][0]["score"]
        assert after["run"]["base"][-1] == f"ignored passages of {tmp_path / 'marks.json'}"

    def test_another_file_is_refused_before_comparing(self, tmp_path):
        (tmp_path / "marks.json").write_text("[]")
        result = run(CLASS, "--review", tmp_path / "marks.json", "--report", tmp_path / "report")
        assert result.exit_code == 1
        assert "no review marks" in result.stderr
        assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (80, ["score", "similar", "contained", "covers", "longest", "left", "right"]),
        (60, ["score", "covers", "longest", "left", "right"]),
        (50, ["score", "longest", "left", "right"]),
        (40, ["score", "left", "right"]),
    ],
)
def test_names_are_whole_on_a_narrow_terminal(width, headings):
    result = CliRunner().invoke(main, ["compare", str(CLASS)], env={"COLUMNS": str(width)})
    lines = result.stdout.splitlines()
    (number,) = [number for number, line in enumerate(lines) if line.startswith("score  ")]
    assert lines[number].split() == headings
    best = lines[number + 1].split()
    assert (best[0], best[-2:]) == ("100%", ["amara.py", "bruno.py"])
    assert all(len(line.rstrip()) <= width for line in lines[number : number + 5])
