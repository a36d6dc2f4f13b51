"""The labelled sets are read as their labels say, and rankings are judged as the measures say."""

import sys
import zipfile

import numpy as np
import pytest
from experiments.labelled.__main__ import installed, table
from experiments.labelled.made import (
    FIRST,
    TINY_TOKENS,
    count_tokens,
    essays,
    listed_essays,
    made_class,
    places,
    ranked_by_whorl,
)
from experiments.labelled.measures import Quality, copies_first, quality
from experiments.labelled.sets import SETS, loaded
from experiments.labelled.tasks import LabelsError, Task, ranking_of
from experiments.labelled.tools import PeerError, Tool, scores_of_peer, scores_of_whorl

PROGRAM = (
    "int {0}(int *values, int n) {{ int i, {0} = 0; for (i = 0; i < n; i++) {0} += values[i] * 2; return {0}; }}\n"
)


def pair(left, right):
    return frozenset({left, right})


def labelled(task):
    """The copies of a task with one ranking."""
    (ranking,) = task.rankings
    return {pair for pair, is_copy in zip(ranking.pairs, ranking.is_copy, strict=True) if is_copy}


@pytest.fixture
def load(tmp_path):
    def load(name, members):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
        return loaded(tmp_path, tmp_path / "unpacked", [name])[name]

    return load


class TestSets:
    def test_irplag_ranks_each_task_by_its_original(self, load):
        members = {"d/case-01/original/A.java": "a", "d/case-02/original/A.java": "b"}
        members |= {f"d/case-0{case}/non-plagiarized/0{number}/A.java": "c" for case in (1, 2) for number in (1, 2)}
        members |= {"d/case-01/plagiarized/L1/01/A.java": "a", "d/case-02/plagiarized/L6/01/A.java": "b"}
        (task,) = load("irplag", members)
        assert [len(ranking.pairs) for ranking in task.rankings] == [3, 3]
        assert [ranking.is_copy.sum() for ranking in task.rankings] == [1, 1]
        assert all(any("original" in name for name in pair) for ranking in task.rankings for pair in ranking.pairs)
        assert task.archive is not None
        assert len(list(task.folder.iterdir())) == 2
        assert {name for ranking in task.rankings for pair in ranking.pairs for name in pair} == set(task.files())

    def test_soco_has_a_copied_pair_a_line(self, load):
        (task,) = load("soco-c", {f"c/00{number}.c": "" for number in range(4)} | {"labels.qrel": "000.c 002.c\n"})
        assert labelled(task) == {pair("000.c", "002.c")}
        assert len(task.rankings[0].pairs) == 6

    def test_labels_without_a_file_are_reported(self, load):
        with pytest.raises(LabelsError, match=r"009\.c"):
            load("soco-c", {"c/000.c": "", "c/001.c": "", "labels.qrel": "000.c 009.c\n"})

    def test_every_pair_of_a_group_of_vkcup_is_a_copy(self, load):
        names = ["1.cpp", "2.cpp", "3.cpp", "3.pas", "4.pas"]
        members = {f"sample-01/{name}": "" for name in names} | {"sample-01.ans": "2\n1.cpp 2.cpp 3.cpp \n3.pas 4.pas"}
        members |= {f"sample-02/{name}": "" for name in names} | {"sample-02.ans": "1\n1.cpp 2.cpp\n\n"}
        first, second = load("vkcup-sample", members)
        copied = [("1.cpp", "2.cpp"), ("1.cpp", "3.cpp"), ("2.cpp", "3.cpp"), ("3.pas", "4.pas")]
        assert labelled(first) == {pair(*names) for names in copied}
        assert labelled(second) == {pair("1.cpp", "2.cpp")}

    def test_groups_of_vkcup_are_counted(self, load):
        with pytest.raises(LabelsError, match="announces 2 groups and has 1"):
            load("vkcup-sample", {"sample-01/1.cpp": "", "sample-01/2.cpp": "", "sample-01.ans": "2\n1.cpp 2.cpp\n"})

    def test_progpedia_has_a_base_and_reads_programs_alone(self, load):
        members = {f"ACCEPTED/0{number}_1/{name}": "" for number in range(3) for name in ("A.java", "a.csv")}
        (task,) = load("progpedia", members | {"base/main.java": "", "plagiarism.csv": "01_1;00_1;\n"})
        assert labelled(task) == {pair("00_1", "01_1")}
        assert task.base is not None
        assert [path.name for path in task.read(task.base)] == ["main.java"]
        assert {name: [path.name for path in paths] for name, paths in task.files().items()} == {
            f"0{number}_1": ["A.java"] for number in range(3)
        }

    def test_short_answers_are_judged_against_their_source(self, load):
        rows = ["a1.txt,a,cut", "a2.txt,a,light", "a3.txt,a,heavy", "a4.txt,a,non", "b1.txt,b,non"]
        rows += ["orig_a.txt,a,orig", "orig_b.txt,b,orig"]
        members = {row.partition(",")[0]: "words" for row in rows}
        table = "\n".join(["File,Task,Category", *rows, ""])
        (task,) = load("short-answers", members | {"file_information.csv": table, "test_info.csv": ""})
        assert labelled(task) == {pair(f"a{number}.txt", "orig_a.txt") for number in (1, 2, 3)}
        assert set(task.rankings[0].pairs) - labelled(task) == {
            pair("a4.txt", "orig_a.txt"),
            pair("b1.txt", "orig_b.txt"),
        }
        assert set(task.files()) == set(members)

    def test_a_set_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"has no irplag\.zip"):
            loaded(tmp_path, tmp_path / "unpacked", SETS)


class TestMeasures:
    def test_copies_among_the_first(self):
        is_copy = np.array([True, False, True, False])
        assert copies_first(is_copy, np.array([4.0, 3.0, 2.0, 1.0]), 2) == 1
        assert copies_first(is_copy, np.array([4.0, 3.0, 2.0, 1.0]), 9) == 2

    def test_ties_for_the_last_place_count_by_their_share(self):
        is_copy = np.array([True, False, True, False])
        assert copies_first(is_copy, np.array([4.0, 2.0, 2.0, 2.0]), 2) == pytest.approx(1 + 1 / 3)
        assert copies_first(is_copy, np.zeros(4), 2) == 1

    def test_rankings_are_judged_one_by_one(self):
        is_copy = np.array([True, False])
        right, wrong = (is_copy, np.array([1.0, 0.5])), (is_copy, np.array([0.5, 1.0]))
        assert quality([right, wrong]) == Quality(precision=0.75, area=0.5, copies_first=1.0, copies=2)


def test_scores_of_whorl(tmp_path):
    for name, text in {"a.c": PROGRAM.format("sum"), "b.c": PROGRAM.format("total"), "c.c": "int main() {}\n"}.items():
        (tmp_path / name).write_text(text)
    ranking = ranking_of([pair("a.c", "b.c"), pair("a.c", "c.c")], {pair("a.c", "b.c")})
    scores = scores_of_whorl(Task("made", tmp_path, (ranking,)))
    assert quality([ranking.judged(scores)]) == Quality(precision=1.0, area=1.0, copies_first=1.0, copies=1)


# Answers as the peers' scripts do: a pair scores by the words that both have and the base has not.
PEER = """
import json, sys
from pathlib import Path
asked = json.loads(Path(sys.argv[1]).read_text("utf-8"))
words = {path: set(Path(path).read_text("utf-8").split()) for path in asked["new"] + asked["archive"]}
for path in asked["base"]:
    words = {name: own - set(Path(path).read_text("utf-8").split()) for name, own in words.items()}
every = asked["new"] + asked["archive"]
pairs = [(a, b, len(words[a] & words[b])) for a in asked["new"] for b in every if a != b]
Path(sys.argv[2]).write_text(json.dumps([*pairs]), "utf-8")
"""


class TestPeers:
    @pytest.fixture
    def task(self, tmp_path):
        for name, text in {
            "new/a/1.txt": b"one",
            "new/a/2.txt": b"caf\xe9",
            "new/a/3.csv": b"x",
            "base/b.txt": b"two",
        }.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(text)
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / "b.txt").write_text("one two café x", "utf-8")
        folders = {"archive": tmp_path / "old", "base": tmp_path / "base"}
        return Task("made", tmp_path / "new", (), include=("*.txt",), **folders)

    def test_a_peer_gets_one_file_a_submission(self, task, tmp_path):
        (tmp_path / "peer.py").write_text(PEER)
        scores = scores_of_peer("peer", [sys.executable, tmp_path / "peer.py"], task)
        assert scores == {pair("a", "b.txt"): 2}

    def test_a_peer_that_fails_is_named_with_its_reason(self, task):
        with pytest.raises(PeerError, match="peer failed: ValueError: no parser"):
            scores_of_peer("peer", [sys.executable, "-c", "raise ValueError('no parser')"], task)

    def test_a_peer_has_a_limit_of_time(self, task, monkeypatch):
        monkeypatch.setattr("experiments.labelled.tools.TIME", 0.2)
        with pytest.raises(PeerError, match="peer took more than"):
            scores_of_peer("peer", [sys.executable, "-c", "import time; time.sleep(60)"], task)

    def test_reasons_and_failures_stand_with_the_table(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "soco-c.zip", "w") as archive:
            for name in ("000.c", "001.c", "002.c"):
                archive.writestr(f"c/{name}", "")
            archive.writestr("labels.qrel", "000.c 001.c\n")

        def fail(_task):
            raise PeerError("broken failed: no parser")

        right = Tool("right", lambda _task: {pair("000.c", "001.c"): 1.0}, lambda: "", lambda: "1")
        absent = Tool("absent", fail, lambda: "absent cannot be installed", lambda: "1")
        tools, reasons = installed([right, Tool("broken", fail, lambda: "", lambda: "1"), absent])
        assert reasons == ["absent cannot be installed"]
        assert table(tmp_path, ["soco-c"], tools)[2:] == [
            "| soco-c | right | 1.000 | 1.000 | 1 of 1 |",
            "",
            "On soco-c broken failed: no parser.",
        ]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return made_class(tmp_path_factory.mktemp("made") / "class")


class TestMade:
    def test_the_class_is_what_it_says(self, made):
        task, planted = made
        texts = {name: paths[0].read_text("utf-8") for name, paths in task.files().items()}
        sizes = [count_tokens(text) for text in texts.values()]
        assert len(texts) == 270
        assert sum(size in TINY_TOKENS for size in sizes) == 50
        assert len(planted) == 20
        assert task.rankings[0].is_copy.sum() == 20
        for names, kind in planted.items():
            assert (len({texts[name] for name in names}) == 1) == (kind == "verbatim")

    def test_every_copy_is_among_the_first_rows(self, made):
        task, planted = made
        rows, _ = ranked_by_whorl(task)
        listed = places(planted, rows)
        assert {kind: place for kind, place in listed.items() if place is None or place > FIRST} == {}

    def test_places_are_counted_from_one(self):
        planted = {pair("a", "b"): "verbatim", pair("a", "c"): "renamed"}
        assert places(planted, [pair("b", "c"), pair("a", "b")]) == {"verbatim": 2, "renamed": None}

    # The paragraphs of the last two have the fewest letters of all hundred, in the standard library of Python 3.11.
    @pytest.mark.parametrize("seed", [0, 1, 30, 95])
    def test_a_copied_paragraph_is_listed(self, seed, tmp_path):
        shown, _ = listed_essays(seed, tmp_path)
        assert shown

    def test_two_of_three_essays_share_a_paragraph(self):
        texts, shared = essays(1)
        assert len(shared.split()) == 60
        assert [shared in text for text in texts] == [True, True, False]
        assert all(3000 <= len(text.split()) < 3600 for text in texts)
        paragraphs = [set(text.strip().split("\n\n")) for text in texts]
        assert paragraphs[0] & paragraphs[1] == {shared}
        assert not (paragraphs[0] | paragraphs[1]) & paragraphs[2]
