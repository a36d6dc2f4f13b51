"""A class, compared: what the result depends on, and what it does not."""

import json
import pickle
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.comparison.planting import copies, edited, renamed, reordered, samples
from tests.examples import examples
from tests.formats.archives.packing import zipped
from tests.formats.documents.writers import pdf
from whorl.comparison.export import as_json
from whorl.comparison.settings import SettingsError
from whorl.formats.archives.rules import Rules
from whorl.formats.text import TextFrontend

K, W = 5, 4
T = K + W - 1
SHORT = whorl.Scheme(k=K, w=W)

ESSAY, PROGRAM = samples("text")[0].text, samples("python")[0].text
# What comes with a program: a report, a README, data, and a list of words.
WITH_PROGRAM = {
    "main.py": PROGRAM,
    "report.tex": "\\documentclass{article}\n" + ESSAY,
    "README.md": ESSAY * 20,
    "data.csv": "1.5,2.5\n" * 5000,
    "words.txt": "keeper\nlamp\n" * 5000,
}


def write(folder, files):
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Path(folder)


def by_name(found):
    names = [submission.name for submission in found.submissions]
    return {(names[pair.left], names[pair.right]): pair for pair in found.pairs}


@pytest.fixture(scope="module")
def essays(tmp_path_factory):
    """Six essays and an edited copy of each."""
    return copies("text", edited).write(tmp_path_factory.mktemp("essays"))


@cache
def everything(folder):
    return whorl.compare_all(folder, threshold=0.0)


class TestIndependence:
    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(("kind", "disguise"), [("text", edited), ("java", reordered)])
    def test_names_and_their_order_do_not_matter(self, kind, disguise, seed, tmp_path):
        files = dict(copies(kind, disguise).files)
        names = [f"{number:02}{Path(name).suffix}" for number, name in enumerate(files)]
        Random(seed).shuffle(names)
        others = dict(zip(names, files.values(), strict=True))
        seen = [self.measured(write(tmp_path / str(i), those), those) for i, those in enumerate((files, others))]
        assert seen[0] == seen[1]

    def measured(self, folder, files):
        pairs = by_name(whorl.compare_all(folder, threshold=0.0))
        result = {}
        for (left, right), pair in pairs.items():
            sides = {files[left]: pair.left_coverage, files[right]: pair.right_coverage}
            result[frozenset(sides)] = (pair.score, pair.similarity, pair.containment, pair.shared_fingerprints, sides)
        return result

    @pytest.mark.parametrize("kind", ["text", "python"])
    def test_threads_do_not_matter(self, kind, tmp_path):
        folder = copies(kind, reordered).write(tmp_path)
        one, *others = (as_json(whorl.compare_all(folder, threshold=0.0, threads=threads)) for threads in (1, 2, 5))
        assert one["pairs"]
        assert all(other == one for other in others)

    def test_paths_can_be_given_one_by_one(self, essays):
        together = as_json(everything(essays))
        apart = as_json(whorl.compare_all(sorted(essays.iterdir(), reverse=True), threshold=0.0))
        assert apart["pairs"] == together["pairs"]

    def test_two_alone_are_compared_as_they_are(self, tmp_path):
        """With two submissions there is nothing that is rare: what is shared weighs less than what is not."""
        left, right = (sample.text for sample in samples("text")[:2])
        both = f"{left}\n\n{right}"
        folder = write(tmp_path, {"a.txt": left, "b.txt": both})
        (pair,) = whorl.compare_all(folder, "text").pairs
        alone = whorl.compare(left, both, "text")
        assert pair.containment == pytest.approx(alone.containment, abs=0.02)
        assert pair.passages == tuple(_renamed(passage) for passage in alone.passages)
        assert (pair.left_coverage, pair.longest) == (alone.left_coverage, alone.longest)


def _renamed(passage):
    return whorl.Passage(
        passage.left._replace(file="a.txt"), passage.right._replace(file="b.txt"), passage.symbols, passage.matches
    )


class TestBase:
    own = st.text("abc", max_size=25)

    @given(own, own, own, st.text("abc", min_size=T, max_size=20))
    @examples(40)
    def test_sanctioned_material_leaves_both_sides_of_the_fraction(self, tmp_path_factory, one, two, three, given):
        texts = {"one.txt": one + given + two, "two.txt": three + given + one}
        folder = write(tmp_path_factory.mktemp("base"), {f"class/{name}": text for name, text in texts.items()})
        base = write(folder, {"base.txt": given}) / "base.txt"
        found = whorl.compare_all(folder / "class", SHORT, base=base, threshold=0.0)
        grams = {given[i : i + K] for i in range(len(given) - K + 1)}
        for submission in found.submissions:
            text, taken = texts[submission.name], sanctioned(texts[submission.name], grams)
            assert submission.symbols == len(text) - taken.sum()
            (file,) = submission.files
            assert [*map(tuple, file.sanctioned)] == runs(taken)
            assert submission.fingerprints == len(own_fingerprints(text, grams, taken))
        for pair in found.pairs:
            for match in (match for passage in pair.passages for match in passage.matches):
                for number, span in ((pair.left, match.left), (pair.right, match.right)):
                    text = texts[found.submissions[number].name]
                    assert not sanctioned(text, grams)[span.start : span.end].any()

    def test_what_everybody_was_given_changes_no_score_but_at_its_edges(self, tmp_path):
        template, *rest = (sample.text for sample in samples("text"))
        alone = {f"{number}.txt": text for number, text in enumerate([*rest, edited(samples("text")[1])])}
        given = {name: f"{template}\n\n{text}" for name, text in alone.items()}
        base = write(tmp_path, {"base/task.txt": template}) / "base"
        plain = by_name(whorl.compare_all(write(tmp_path / "alone", alone), threshold=0.0))
        based = by_name(whorl.compare_all(write(tmp_path / "given", given), base=base, threshold=0.0))
        assert plain.keys() == based.keys()
        for pair, before in plain.items():
            assert based[pair].score == pytest.approx(before.score, abs=0.05)
        assert len(whorl.compare_all(tmp_path / "given", threshold=0.0).pairs) == 15

    def test_a_submission_that_is_the_template_has_nothing_to_compare(self, tmp_path):
        template = samples("text")[0].text
        folder = write(tmp_path / "class", {"a.txt": template, "b.txt": template.upper()})
        found = whorl.compare_all(folder, base=write(tmp_path, {"base.txt": template}) / "base.txt", threshold=0.0)
        assert found.pairs == ()
        assert [(submission.symbols, submission.fingerprints) for submission in found.submissions] == [(0, 0)] * 2


def sanctioned(text, grams):
    """By the definition: what is in a k-gram that stands in sanctioned material."""
    taken = np.zeros(len(text), bool)
    for start in range(len(text) - K + 1):
        if text[start : start + K] in grams:
            taken[start : start + K] = True
    return taken


def runs(flags):
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def own_fingerprints(text, grams, taken):
    found = whorl.fingerprint(text, SHORT)
    places = zip(found.hashes.tolist(), found.positions.tolist(), strict=True)
    return {h for h, at in places if text[at : at + K] not in grams and not taken[at : at + K].any()}


class TestArchive:
    def test_archived_submissions_are_never_compared_with_each_other(self, essays, tmp_path):
        fresh = write(tmp_path, {"new.txt": renamed(samples("text")[0]) + samples("text")[1].text})
        found = whorl.compare_all(fresh, archive=essays, threshold=0.0)
        assert [submission.archived for submission in found.submissions] == [False] + [True] * 12
        assert {pair.left for pair in found.pairs} == {0}
        assert len(found.pairs) >= 2
        assert all(0 in cluster.members for cluster in found.clusters)

    def test_it_counts_for_what_is_rare(self, essays, tmp_path):
        """A pair of new ones weighs what both share with many old ones less."""
        first, second = samples("text")[:2]
        old = {f"{number}.txt": first.functions[0] + str(number) for number in range(40)}
        new = {"a.txt": f"{first.functions[0]}\n{second.text}", "b.txt": first.text}
        folder, archive = write(tmp_path / "new", new), write(tmp_path / "old", old)
        (alone,) = whorl.compare_all(folder, threshold=0.0).pairs
        beside = by_name(whorl.compare_all(folder, archive=archive, threshold=0.0))["a.txt", "b.txt"]
        assert beside.score < alone.score / 2
        assert beside.passages == alone.passages


class TestMaxShare:
    @pytest.mark.parametrize(("share", "expected"), [(3, 0), (4, 6), (0.75, 0), (1.0, 6), (1, 0), (1000, 6)])
    def test_what_more_submissions_have_is_common(self, share, expected, tmp_path):
        common, *own = samples("text")
        files = {f"{n}.txt": f"{sample.text}\n{common.text}" for n, sample in enumerate(own[:4])}
        found = whorl.compare_all(write(tmp_path, files), threshold=0.0, max_share=share)
        assert len([pair for pair in found.pairs if pair.score > 0.01]) == expected


class TestRanking:
    def test_pairs_come_best_first(self, essays):
        scores = [pair.score for pair in everything(essays).pairs]
        assert len(scores) >= 6
        assert scores == sorted(scores, reverse=True)
        assert all(pair.left < pair.right for pair in everything(essays).pairs)

    @pytest.mark.parametrize("measure", ["score", "similarity", "containment"])
    @pytest.mark.parametrize("limit", [1, 4, 1000])
    @pytest.mark.parametrize("threshold", [0.0, 0.3, 0.45, 1.0])
    def test_threshold_limit_and_omitted(self, essays, threshold, limit, measure):
        found = whorl.compare_all(essays, threshold=threshold, limit=limit, measure=measure, long=0)
        value = {pair: getattr(pair, measure) for pair in everything(essays).pairs}
        reached = sorted((pair for pair in value if value[pair] >= threshold), key=lambda pair: -value[pair])
        assert [getattr(pair, measure) for pair in found.pairs] == [value[pair] for pair in reached[:limit]]
        assert len(found.pairs) + found.omitted == len(reached)
        assert sum(found.scores) == sum(everything(essays).scores) >= len(value)
        assert found.unlisted == sum(found.scores) - len(found.pairs)

    def test_the_histogram_counts_hundredths(self, essays):
        found = everything(essays)
        assert len(found.scores) == 101
        for hundredth, count in enumerate(found.scores):
            near = [pair for pair in found.pairs if abs(pair.score * 100 - hundredth - 0.5) <= 0.5 + 1e-9]
            assert count <= len(near)

    def test_identical_submissions_have_a_score_of_one(self, tmp_path):
        files = {f"{number}.txt": samples("text")[0].text for number in range(5)}
        found = whorl.compare_all(write(tmp_path, files))
        assert len(found.pairs) == 10
        assert all(pair.score == pytest.approx(1) for pair in found.pairs)
        assert all((pair.left_coverage, pair.right_coverage) == (1, 1) for pair in found.pairs)
        assert found.clusters[0].members == (0, 1, 2, 3, 4)
        assert found.clusters[0].pairs == tuple(range(10))


class TestClusters:
    def test_they_do_not_depend_on_what_is_reported(self, tmp_path):
        folder = copies("text", reordered).write(tmp_path)
        every, few = whorl.compare_all(folder), whorl.compare_all(folder, limit=1, threshold=1.0)
        assert len(every.clusters) == 6
        assert [cluster.members for cluster in every.clusters] == [cluster.members for cluster in few.clusters]

    def test_a_cluster_has_the_pairs_of_its_members(self, tmp_path):
        """A pair that reaches the threshold and not the cluster's score leads out of the cluster."""
        first, second = samples("text")[:2]
        files = {"a.txt": first.text, "b.txt": first.text.upper(), "c.txt": f"{second.text}\n{first.functions[0]}"}
        found = whorl.compare_all(write(tmp_path, files), threshold=0.0)
        assert [cluster.members for cluster in found.clusters] == [(0, 1)]
        inside = [i for i, pair in enumerate(found.pairs) if {pair.left, pair.right} <= {0, 1}]
        assert len(found.pairs) == 3
        assert [*found.clusters[0].pairs] == inside


class TestGroups:
    def test_the_same_two_people_over_two_assignments(self, tmp_path):
        essays_ = samples("text")
        texts = [essays_[0].text, edited(essays_[0]), essays_[1].text, edited(essays_[1]), essays_[2].text]
        folder = write(tmp_path / "class", {f"{number}.txt": text for number, text in enumerate(texts)})
        rows = ["submission,person,assignment", "0.txt,Ada,1", "1.txt,Bo,1", "2.txt,Bo,2", "3.txt,Ada,2", "4.txt,Cy,2"]
        roster = write(tmp_path, {"class.csv": "\n".join(rows)}) / "class.csv"
        found = whorl.compare_all(folder, roster=roster)
        (group,) = found.groups
        assert (group.left, group.right, group.pairs) == ("Ada", "Bo", (0, 1))
        assert group.score == pytest.approx(1 - (1 - found.pairs[0].score) * (1 - found.pairs[1].score))


class TestSettings:
    def test_all_faults_are_reported_at_once(self, essays):
        wrong: dict[str, Any] = {
            "threshold": 2,
            "measure": "luck",
            "limit": 0,
            "max_share": 1.5,
            "cluster": -1,
            "threads": 0,
        }
        with pytest.raises(SettingsError) as caught:
            whorl.compare_all(essays, **wrong)
        assert {fault.split(":")[0] for fault in caught.value.faults} == wrong.keys()

    def test_nothing_to_compare(self):
        with pytest.raises(whorl.InputError, match="nothing to compare"):
            whorl.compare_all([])

    def test_one_submission_has_no_pairs(self, tmp_path):
        found = whorl.compare_all(write(tmp_path, {"a.txt": samples("text")[0].text}))
        assert (len(found.submissions), found.pairs, found.clusters) == (1, (), ())

    @pytest.mark.parametrize(
        ("files", "scheme"),
        [
            ({"a.txt": "A text.", "b.md": "# Another"}, "text"),
            ({"a.txt": "A text.", "b/main.c": "int main(void) { return 0; }"}, "code"),
            # One program does not decide for a class, whatever its place.
            ({"a.txt": ESSAY, "b.txt": ESSAY, "zz.R": "x <- read.csv('d.csv')"}, "text"),
            ({"0.R": "x <- read.csv('d.csv')", "a.txt": ESSAY, "b.txt": ESSAY}, "text"),
            ({"a/a.txt": ESSAY * 3, "a/count.py": "print(len(open('a.txt').read()))", "b.txt": ESSAY}, "text"),
            # A report, a README, data and word lists do not make a program prose.
            ({f"{name}/{file}": text for name in "ab" for file, text in WITH_PROGRAM.items()}, "code"),
            (
                {"a.py": PROGRAM, "b.py": PROGRAM, "marks.csv": "a,1\n" * 99, "more.csv": "b,2\n", "README": ESSAY},
                "code",
            ),
            # Many files of data in one submission do not hide the programs.
            ({**{f"a/data/{n}.csv": f"{n},{n}\n" for n in range(600)}, "a/z.py": PROGRAM, "b.py": PROGRAM}, "code"),
            # Nor do names that say nothing.
            ({"a.txt": PROGRAM, "b.txt": PROGRAM, "c.txt": ESSAY}, "code"),
            ({"a.html": "<!DOCTYPE html><p>" + ESSAY, "b.html": "<html><p>" + ESSAY}, "text"),
        ],
    )
    def test_without_a_scheme_what_most_are_decides(self, files, scheme, tmp_path):
        assert whorl.compare_all(write(tmp_path, files)).scheme == whorl.PRESETS[scheme]

    def test_an_export_counts_its_people_not_its_files(self, tmp_path):
        files = {}
        for number, name in enumerate(("doejane", "roejohn", "poeann"), 101):
            files[f"{name}_{number}_{number + 800}_main.py"] = PROGRAM
            files |= {f"{name}_{number}_{number + 810 + part}_part{part}.txt": ESSAY for part in range(2)}
        found = whorl.compare_all(write(tmp_path, files))
        assert (len(found.submissions), found.scheme) == (3, whorl.PRESETS["code"])

    def test_members_of_an_archive_decide_as_files_do(self, tmp_path):
        essays = {f"{name}/essay.txt": ESSAY for name in "abc"}
        (tmp_path / "class.zip").write_bytes(zipped({"0/a.R": "x <- 1", **essays}))
        assert whorl.compare_all(tmp_path / "class.zip").scheme == whorl.PRESETS["text"]

    def test_submissions_of_the_other_kind_are_told(self, tmp_path):
        essays = {f"{name}.txt": ESSAY for name in ("ann", "bob", "cyd")}
        mixed = whorl.compare_all(write(tmp_path / "mixed", {**essays, "dan.py": PROGRAM}))
        assert mixed.other_kind.startswith("compared as texts: 1 submission with a program was compared as text")
        assert whorl.compare_all(write(tmp_path / "pure", essays)).other_kind == ""
        as_code = whorl.compare_all(tmp_path / "mixed", "code")
        assert as_code.other_kind.startswith("compared as programs: 3 submissions without a program were not compared")

    def test_progress_is_reported(self, essays):
        result = []
        whorl.compare_all(essays, progress=lambda *step: result.append(step))
        stages = {stage: [done for name, done, _ in result if name == stage] for stage, _, _ in result}
        assert list(stages) == ["reading", "comparing", "passages", "traits"]
        assert all(done == list(range(1, len(done) + 1)) for done in stages.values())
        assert len(stages["reading"]) == len(stages["comparing"]) == len(stages["traits"]) == 12
        assert {total for _, _, total in result if total is not None} == {12, len(stages["passages"])}

    def test_the_files_to_read_are_counted_unless_they_are_in_archives(self, tmp_path):
        write(tmp_path / "class", {"ada/a.py": PROGRAM, "ada/b.py": "a = 1\n", "bo.py": PROGRAM})
        base = write(tmp_path / "start", {"c.py": "b = 2\n"})
        steps: list[tuple[str, int, int | None]] = []
        whorl.compare_all(tmp_path / "class", base=base, progress=lambda *step: steps.append(step))
        assert [step[1:] for step in steps if step[0] == "reading"] == [(number, 4) for number in range(1, 5)]
        (tmp_path / "class" / "cy.zip").write_bytes(zipped({"x.py": PROGRAM}))
        whorl.compare_all(tmp_path / "class", progress=lambda *step: steps.append(step))
        assert [step[2] for step in steps if step[0] == "reading"][4:] == [None] * 4

    def test_the_total_counts_starter_code_that_patterns_leave_out_elsewhere(self, tmp_path):
        handed_in, base = write(tmp_path / "class", {"a.txt": ESSAY, "b.txt": ESSAY}), tmp_path / "base"
        write(base / "lib", {"c.txt": ESSAY[:200], "d.txt": ESSAY[:300]})
        steps: list[tuple[str, int, int | None]] = []
        exclude = Rules(exclude=("lib",))
        whorl.compare_all(handed_in, "text", base=base, rules=exclude, progress=lambda *step: steps.append(step))
        assert [step[1:] for step in steps if step[0] == "reading"] == [(number, 4) for number in range(1, 5)]

    def test_texts_are_those_that_spans_point_into(self, essays):
        found = everything(essays)
        for pair in found.pairs[:6]:
            for match in pair.passages[0].matches:
                texts = found.text(pair.left, 0), found.text(pair.right, 0)
                left, right = texts[0][slice(*match.left)], texts[1][slice(*match.right)]
                streams = [TextFrontend().stream(text).symbols.tolist() for text in (left, right)]
                assert streams[0] == streams[1]
                assert len(streams[0]) == match.symbols

    def test_pairs_are_those_that_share_something(self, essays):
        hashes = [set(whorl.fingerprint(path, "text").hashes.tolist()) for path in sorted(essays.iterdir())]
        sharing = [pair for pair in combinations(range(12), 2) if hashes[pair[0]] & hashes[pair[1]]]
        assert sorted((pair.left, pair.right) for pair in everything(essays).pairs) == sharing
        for pair in everything(essays).pairs:
            assert pair.shared_fingerprints == len(hashes[pair.left] & hashes[pair.right])

    def test_the_result_is_plain_json(self, essays):
        assert json.loads(json.dumps(as_json(everything(essays)))) == as_json(everything(essays))


def test_a_comparison_can_be_pickled(tmp_path):
    folder = write(tmp_path / "class", {"anna/a.txt": ESSAY, "anna/b.txt": "short", "ben/a.txt": ESSAY})
    compared = whorl.compare_all(folder, whorl.PRESETS["text"])
    loaded = pickle.loads(pickle.dumps(compared))
    assert as_json(loaded) == as_json(compared)
    assert [loaded.text(0, 0), loaded.text(0, 1), loaded.text(1, 0)] == [ESSAY, "short", ESSAY]


def test_strings_are_paths(tmp_path):
    (tmp_path / "a.txt").write_text("A text.")
    assert [submission.name for submission in whorl.compare_all(str(tmp_path)).submissions] == ["a.txt"]


def test_a_base_that_holds_nothing_is_refused(tmp_path):
    for folder in ("class", "base"):
        (tmp_path / folder).mkdir()
    (tmp_path / "class" / "a.txt").write_text("A text.")
    with pytest.raises(whorl.InputError, match="the starter code has no readable file"):
        whorl.compare_all(tmp_path / "class", base=tmp_path / "base")


def test_a_base_of_another_kind_is_refused_with_the_reason(tmp_path):
    (tmp_path / "a.py").write_text("print(1)")
    (tmp_path / "task.txt").write_text("The task.")
    with pytest.raises(whorl.InputError, match=r"no readable file: .*\(task\.txt: .*program"):
        whorl.compare_all([tmp_path / "a.py"], scheme="code", base=tmp_path / "task.txt")


def test_a_scanned_base_is_refused_or_named(tmp_path):
    (tmp_path / "a.txt").write_text("A text.")
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "scan.pdf").write_bytes(pdf([[]]))
    with pytest.raises(whorl.InputError, match=r"no readable file: .*scan\.pdf: no text: scanned pages need OCR"):
        whorl.compare_all([tmp_path / "a.txt"], base=tmp_path / "base")
    (tmp_path / "base" / "task.txt").write_text("The task.")
    found = whorl.compare_all([tmp_path / "a.txt"], base=tmp_path / "base")
    assert [item.file for item in found.not_compared if item.reason.startswith("in the base: no text")] == ["scan.pdf"]


@pytest.mark.parametrize("rules", [Rules(include=("part1/*.py",)), Rules(exclude=("given.py",))])
def test_patterns_select_files_of_submissions_not_of_the_base(tmp_path, rules):
    skeleton = "".join(
        f"def given_{name}(value):\n    return value * {number} + 1\n" for number, name in enumerate("abcdef")
    )
    for name in ("ann", "bob"):
        (tmp_path / "class" / name / "part1").mkdir(parents=True)
        (tmp_path / "class" / name / "part1" / "a.py").write_text(skeleton)
    (tmp_path / "part2").mkdir()
    (tmp_path / "part2" / "given.py").write_text(skeleton)
    found = whorl.compare_all(tmp_path / "class", base=tmp_path / "part2", rules=rules)
    assert all(file.sanctioned for each in found.submissions for file in each.files)
    assert not found.pairs


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("measure", ["score", "similarity", "containment", "shared", "coverage", "longest"])
def test_pairs_are_ranked_by_any_measure(measure):
    found = whorl.compare_all(EXAMPLES / "class", base=EXAMPLES / "template", measure=measure)
    name = "shared_fingerprints" if measure == "shared" else measure
    values = [round(getattr(pair, name), 9) for pair in found.pairs]
    assert values == sorted(values, reverse=True)
    middle = values[len(values) // 2] - 1e-9
    least = whorl.compare_all(EXAMPLES / "class", base=EXAMPLES / "template", measure=measure, threshold=middle, long=0)
    assert [round(getattr(pair, name), 9) for pair in least.pairs] == [value for value in values if value >= middle]
