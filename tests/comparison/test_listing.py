"""Which pairs are listed, why, and in which order: on classes that were made to spoil the order."""

import inspect
import json
import random
import string
import textwrap

import pytest

import whorl
from tests.comparison.planting import samples
from tests.matching.deep.prose import MODEL

# Modules of the standard library that are programs of a page or more, of different subjects.
MODULES = (json.decoder, json.encoder, inspect, random, string, textwrap)


def names(found, pair):
    return found.submissions[pair.left].name, found.submissions[pair.right].name


def write(folder, files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def python(module):
    """A page of a module: large enough to contain whatever is tiny."""
    return "".join(inspect.getsource(module).splitlines(keepends=True)[:150])


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory):
    """Programs of a page, fifteen times one program of twenty tokens, and a program with half of another in it."""
    files = {f"{module.__name__}.py": python(module) for module in MODULES}
    files |= {
        f"tiny{n:02}.py": f"total = 0\nfor n in range(10):\n    total += n\nprint(total, {n})\n" for n in range(15)
    }
    half = "".join(inspect.getsource(textwrap).splitlines(keepends=True)[60:140])
    files["half.py"] = python(string) + half
    return whorl.compare_all(write(tmp_path_factory.mktemp("spoiled"), files), "code", threshold=0.0)


class TestTinyFiles:
    def test_a_tiny_file_is_not_contained_in_everything(self, spoiled):
        first = spoiled.pairs[spoiled.rows[0]]
        assert "half.py" in names(spoiled, first)
        tiny = [pair for pair in spoiled.pairs if any(name.startswith("tiny") for name in names(spoiled, pair))]
        assert max(pair.score for pair in tiny) < first.score

    def test_every_pair_has_a_passage(self, spoiled):
        assert spoiled.pairs
        for pair in spoiled.pairs:
            assert pair.passages
            assert pair.longest > 0
            assert pair.left_coverage > 0 < pair.right_coverage

    def test_identical_ones_are_one_row(self, spoiled):
        (group,) = spoiled.identical
        assert [spoiled.submissions[member].name for member in group] == [f"tiny{n:02}.py" for n in range(15)]
        rows = [spoiled.pairs[number] for number in spoiled.rows]
        within = [pair for pair in rows if {pair.left, pair.right} <= set(group)]
        assert len(within) == 1
        assert spoiled.others(within[0]) == ((), group[2:])
        repeated = [pair for pair in spoiled.pairs if pair.same_as is not None]
        assert all(spoiled.pairs[pair.same_as].score == pytest.approx(pair.score) for pair in repeated)
        assert len([pair for pair in repeated if {pair.left, pair.right} <= set(group)]) == 15 * 14 // 2 - 1

    def test_they_are_no_cluster(self, spoiled):
        assert all(len(cluster.members) < 15 for cluster in spoiled.clusters)

    def test_the_class_says_what_is_usual(self, spoiled):
        assert spoiled.compared == len(spoiled.submissions) * (len(spoiled.submissions) - 1) // 2
        assert 0 <= spoiled.quantile(0.5) <= spoiled.quantile(0.95) <= 1
        assert spoiled.quantile(1.0) >= max(pair.score for pair in spoiled.pairs) - 0.01


def essays(seed):
    """Three essays of 3,000 words, of which two have one paragraph of 60 words in common."""
    texts = [MODEL.text(1000 * seed + number, 3000) for number in range(3)]
    paragraph = MODEL.text(1000 * seed + 9, 60)
    places = random.Random(seed).sample(range(3000), 2)
    for text, place in zip(texts, places, strict=False):
        text[place:place] = paragraph
    return {f"{name}.txt": " ".join(text) for name, text in zip("abc", texts, strict=True)}


class TestLongPassages:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("deep", [False, True])
    def test_a_copied_paragraph_is_listed_whatever_the_score(self, seed, deep, tmp_path):
        found = whorl.compare_all(write(tmp_path / "class", essays(seed)), deep=deep)
        (pair,) = [pair for pair in found.pairs if names(found, pair) == ("a.txt", "b.txt")]
        assert pair.score < found.threshold
        assert pair.listed == "long passage"
        assert pair.longest >= found.long

    @pytest.mark.parametrize("seed", range(3))
    def test_a_paragraph_with_a_word_changed_here_and_there_is_one_passage(self, seed, tmp_path):
        """Only unbroken matches were looked at, so that a pair below the threshold was not listed."""
        texts = [MODEL.text(1000 * seed + number, 20_000) for number in range(4)]
        paragraph = " ".join(MODEL.text(1000 * seed + 17, 120)).split()
        texts[0][100:100] = paragraph
        texts[1][900:900] = ["changed" if number % 22 == 21 else word for number, word in enumerate(paragraph)]
        files = {f"{name}.txt": " ".join(text) for name, text in zip("abcd", texts, strict=True)}
        found = whorl.compare_all(write(tmp_path / "class", files), threshold=0.5)
        (pair,) = found.pairs
        assert (names(found, pair), pair.listed) == (("a.txt", "b.txt"), "long passage")

    def test_programs_share_it_without_a_gap(self, tmp_path):
        """Independent programs have short matches in a row, so that chains with gaps say little."""
        function = "".join(inspect.getsource(textwrap.TextWrapper._wrap_chunks).splitlines(keepends=True))
        logged = function.replace("\n            ", "\n            log(width)\n            ")
        host, other = python(random), python(inspect)
        copied = write(tmp_path / "copied", {"a.py": host + function, "b.py": other + function})
        (pair,) = whorl.compare_all(copied, "code", threshold=1.0).pairs
        assert pair.listed == "long passage"
        broken = write(tmp_path / "broken", {"a.py": host + function, "b.py": other + logged})
        assert whorl.compare_all(broken, "code", threshold=1.0).pairs == ()
        (pair,) = whorl.compare_all(broken, "code", threshold=0.0).pairs
        assert pair.longest > 66

    def test_identical_submissions_are_listed_together(self, tmp_path):
        files = essays(1)
        found = whorl.compare_all(write(tmp_path / "class", {**files, "d.txt": files["b.txt"]}), threshold=0.9)
        assert {names(found, pair) for pair in found.pairs} == {
            ("a.txt", "b.txt"),
            ("a.txt", "d.txt"),
            ("b.txt", "d.txt"),
        }
        assert [pair.same_as is None for pair in found.pairs].count(False) == 1

    def test_it_can_be_turned_off(self, tmp_path):
        folder = write(tmp_path / "class", essays(1))
        assert whorl.compare_all(folder, long=0).pairs == ()
        assert whorl.compare_all(folder, long=10**6).pairs == ()
        assert len(whorl.compare_all(folder, threshold=0.0, long=0).pairs) == 1

    def test_what_is_not_listed_is_counted(self, tmp_path):
        found = whorl.compare_all(write(tmp_path / "class", essays(1)), long=0)
        assert (len(found.pairs), found.unlisted) == (0, sum(found.scores))
        assert found.unlisted >= 1

    def test_a_scheme_without_a_guarantee_promises_nothing(self, tmp_path):
        scheme = whorl.Scheme(frontend="text", symbols="characters", k=20, select="mod", p=4)
        assert whorl.compare_all(write(tmp_path / "class", essays(1)), scheme).long == 0

    def test_a_length_below_nothing_is_refused(self, tmp_path):
        with pytest.raises(whorl.WhorlError, match="long: -1 is out of range"):
            whorl.compare_all(tmp_path, long=-1)


def test_ties_are_broken_by_what_no_score_counts(tmp_path):
    """Five programs of the same tokens, of which the last two have their names and comments in common as well."""
    body = python(textwrap)
    renamed = [body.replace("text", name).replace("self", f"{name}_it") for name in ("alpha", "beta", "gamma")]
    copied = body.replace("text", "theirs").replace("self", "them") + "\n# counted twise\n"
    files = {f"{n}.py": text for n, text in enumerate([*renamed, copied, copied])}
    found = whorl.compare_all(write(tmp_path / "class", files), "code")
    assert len({round(pair.score, 9) for pair in found.pairs}) == 1
    assert names(found, found.pairs[0]) == ("3.py", "4.py")


def test_a_shown_pair_outlives_what_it_is_shown_for(tmp_path):
    """A limit counts rows: identical submissions do not use it up."""
    essay, other = samples("text")[:2]
    files = {f"same{n}.txt": essay.text for n in range(6)}
    files |= {"one.txt": other.text, "two.txt": other.text[: len(other.text) // 2]}
    found = whorl.compare_all(write(tmp_path / "class", files), limit=2)
    assert [names(found, found.pairs[number]) for number in found.rows] == [
        ("same0.txt", "same1.txt"),
        ("one.txt", "two.txt"),
    ]
