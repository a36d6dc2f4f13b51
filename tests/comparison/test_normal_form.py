"""Two streams of a program: how they are fused, and what is shown of the second one."""

import json

import numpy as np
import pytest

import whorl
from whorl.comparison import candidates
from whorl.comparison.export import as_json
from whorl.comparison.weights import Forms
from whorl.report.words import reason

ORIGINAL = """
class Till {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        System.out.print("How many? ");
        int many = in.nextInt();
        int total = 0;
        for (int i = 0; i < many; i++) {
            System.out.print("Price: ");
            int price = in.nextInt();
            if (price < 0) {
                System.out.println("That is wrong");
            } else {
                total += price;
            }
        }
        System.out.println("Together " + total);
    }
}
"""

# Loops, increments, branches, prints, declarations and functions are others; what it does is the same.
DISGUISED = """
class Kasse {
    static int sum, wanted;
    static int ask(Scanner source, String what) {
        System.out.print(what);
        return source.nextInt();
    }
    public static void main(String[] arguments) {
        System.out.print("Number: ");
        Scanner source = new Scanner(System.in);
        wanted = source.nextInt();
        int turn;
        sum = 0;
        turn = 0;
        while (wanted > turn) {
            int p;
            System.out.print("What does it cost? ");
            p = source.nextInt();
            if (!(p < 0)) {
                sum = sum + p;
            } else {
                System.out.print("No, " + "no");
            }
            turn = turn + 1;
        }
        System.out.print("All: ");
        System.out.println(sum);
    }
}
"""

INDEPENDENT = """
class Words {
    public static void main(String[] args) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String word : args) {
            counts.put(word, counts.getOrDefault(word, 0) + 1);
        }
        for (String word : counts.keySet()) {
            String stars = "";
            while (stars.length() < counts.get(word)) {
                stars = stars.concat("*");
            }
            System.out.println(word.trim() + stars);
        }
    }
}
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (("original", ORIGINAL), ("disguised", DISGUISED), ("independent", INDEPENDENT)):
        (tmp_path / f"{name}.java").write_text(text)
    return tmp_path


def pairs(found):
    names = [submission.name for submission in found.submissions]
    return {frozenset((names[pair.left], names[pair.right])): pair for pair in found.pairs}


COPY = frozenset(("original.java", "disguised.java"))


def test_a_disguised_copy_is_found(folder):
    plain = pairs(whorl.compare_all(folder, "code", threshold=0.0, normal_form=False))
    both = pairs(whorl.compare_all(folder, "code", threshold=0.0))
    assert COPY not in plain or both[COPY].score > plain[COPY].score + 0.2
    assert both[COPY].score > 0.3
    assert max(both[COPY].left_coverage, both[COPY].right_coverage) > 0.6
    others = [pair.score for names, pair in both.items() if names != COPY]
    assert max(others, default=0) < 0.1


def test_passages_say_what_made_them(folder):
    pair = pairs(whorl.compare_all(folder, "code", threshold=0.0))[COPY]
    normal = [passage for passage in pair.passages if passage.stream == "normal"]
    assert normal
    assert [passage.stream for passage in pair.passages] == sorted((p.stream for p in pair.passages), reverse=True)
    said = {name for passage in normal for name in passage.rewrites}
    assert {"loops unified", "compound assignments and increments expanded"} <= said
    result = reason(normal[0], whorl.PRESETS["code"])
    assert "equal after undoing rewrites" in result
    assert "loops unified" in result


def test_matches_stand_in_the_text(folder):
    found = whorl.compare_all(folder, "code", threshold=0.0)
    for pair in found.pairs:
        for passage in pair.passages:
            for match in passage.matches:
                for span, submission, side in (
                    (match.left, pair.left, passage.left),
                    (match.right, pair.right, passage.right),
                ):
                    text = found.text(submission, 0)
                    assert side.start <= span.start < span.end <= side.end <= len(text)
                    assert side.start_line == text.count("\n", 0, side.start) + 1


def test_the_order_of_the_sides_says_nothing(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "a.java").write_text(DISGUISED)
    (other / "b.java").write_text(ORIGINAL)
    one = pairs(whorl.compare_all(folder, "code", threshold=0.0))[COPY]
    (two,) = whorl.compare_all(other, "code", threshold=0.0).pairs
    turned = [passage.mirrored() for passage in two.passages]
    spans = [(passage.left[1:], passage.right[1:], passage.rewrites) for passage in one.passages]
    assert sorted(spans) in (
        sorted((p.left[1:], p.right[1:], p.rewrites) for p in two.passages),
        sorted((p.left[1:], p.right[1:], p.rewrites) for p in turned),
    )


def test_without_it_all_is_as_before(folder):
    found = whorl.compare_all(folder, "code", threshold=0.0, normal_form=False)
    assert found.normal_forms is None
    answer = as_json(found)
    assert answer["run"]["settings"].pop("normal_form") is False
    result = json.dumps(answer)
    assert "normal" not in result
    assert "rewrites" not in result
    text = whorl.compare_all(folder, "text", threshold=0.0)
    assert text.normal_forms is None


def test_json_marks_what_the_normal_form_found(folder):
    result = as_json(whorl.compare_all(folder, "code", threshold=0.0))
    assert result["normal_form"] == {"files": 3, "without": 0}
    passages = [passage for pair in result["pairs"] for passage in pair["passages"]]
    assert any(passage.get("stream") == "normal" and passage["rewrites"] for passage in passages)


def test_a_language_without_one_has_its_plain_scores(tmp_path):
    code = "fn main() {{ let mut x = {}; while x < 10 {{ x = x + f(x); g(x, 1); }} h(x); }}"
    for name, number in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.rs").write_text(code.format(number) * 2)
    both = whorl.compare_all(tmp_path, "code", threshold=0.0)
    plain = whorl.compare_all(tmp_path, "code", threshold=0.0, normal_form=False)
    assert both.normal_forms is not None
    assert both.normal_forms.files == 0
    assert both.pairs == plain.pairs


def test_a_program_that_is_too_deep_says_so(folder):
    (folder / "deep.java").write_text("class A { void m() { " + "f(" * 150 + ")" * 150 + "; } }")
    found = whorl.compare_all(folder, "code", threshold=0.0)
    notes = [
        file.notes for submission in found.submissions for file in submission.files if submission.name == "deep.java"
    ]
    assert any("no normal form: nested deeper" in note for note in notes[0])


def test_sanctioned_material_is_no_evidence_in_either_stream(folder, tmp_path_factory):
    base = tmp_path_factory.mktemp("base")
    (base / "given.java").write_text(ORIGINAL)
    found = pairs(whorl.compare_all(folder, "code", base=base, threshold=0.0))
    assert COPY not in found or found[COPY].score < 0.1


def contained(similarity):
    """Return the containment of two submissions of equal weights, by their similarity."""
    return 2 * similarity / (1 + similarity)


def scores(right, similarities):
    """Return the pairs of the first submission with others, all of the weight 1, that are so similar."""
    size = len(right)
    weights = contained(np.array(similarities, np.float64))
    return np.zeros(size, np.int32), np.array(right, np.int32), weights, np.full(size, 3, np.int32)


def fuse(streams, forms):
    return candidates.fuse(streams, np.ones((4, len(forms.has_normal))), forms)


NOTHING = scores([], [])


def forms(has_normal, statements=0, standing=0):
    size = len(has_normal)
    return Forms(np.array(has_normal), np.full(size, statements, np.int64), np.full(size, standing, np.int64))


def test_without_statements_the_k_grams_of_the_normal_form_count_for_them():
    fused = fuse([scores([1, 2], [0.3, 0.6]), scores([2, 3], [0.6, 0.9]), NOTHING, NOTHING], forms([True] * 4))
    assert fused.right.tolist() == [1, 2, 3]
    assert fused.similarity.tolist() == pytest.approx([0.3 / 2.5, 0.6, 0.9 * 2 / 2.5])
    assert fused.containment.tolist() == pytest.approx([contained(0.3) / 2.5, contained(0.6), contained(0.9) * 2 / 2.5])
    assert fused.plain.tolist() == [3, 3, 0]


def test_unlike_tokens_speak_less_against_a_pair_than_for_it():
    def similarity(by_tokens, by_normal_form):
        given = scores([1], [by_tokens]), scores([1], [by_normal_form])
        return fuse([*given, NOTHING, NOTHING], forms([True] * 2)).similarity[0]

    assert similarity(1, 0) == pytest.approx(1 / 2.5)
    assert similarity(0, 1) == pytest.approx(2 / 2.5)
    assert similarity(0, 1) < similarity(0.9, 1) < similarity(1, 1) == pytest.approx(1)


def test_many_statements_are_a_part_of_the_score():
    given = scores([1], [0.6]), scores([1], [0.6]), scores([1, 2], [0.9, 0.9])
    fused = fuse([*given, NOTHING], forms([True] * 3, 10**6))
    assert fused.right.tolist() == [1, 2]
    result = [(0.6 + 0.3 + 0.9) / 2.5, 0.9 / 2.5]
    assert fused.similarity.tolist() == pytest.approx(result, abs=1e-4)
    assert fused.shared.tolist() == [3, 3]


def test_statements_count_by_the_normal_form_or_as_they_stand():
    some, more, same = scores([1], [0.2]), scores([1], [0.8]), scores([1], [0.5])
    held = forms([True] * 2, 10**6, 10**6)
    one, two = fuse([same, same, some, more], held), fuse([same, same, more, some], held)
    assert one.similarity[0] == two.similarity[0] > fuse([same, same, some, some], held).similarity[0]
    few = fuse([same, same, some, more], forms([True] * 2, 10**6, 0))
    assert few.similarity[0] == pytest.approx(0.5, abs=1e-4)


def test_a_side_without_a_normal_form_has_its_plain_measures():
    given = scores([1, 2], [0.4, 0.2]), scores([2, 3], [0.6, 0.8]), scores([3], [1]), scores([3], [1])
    fused = fuse(given, forms([True, False, True, False]))
    assert fused.right.tolist() == [1, 2]
    assert fused.similarity.tolist() == pytest.approx([0.4, (0.2 / 2 + 0.6 + 0.6) / 2.5])
    assert len(fuse([NOTHING] * 4, forms([True]))) == 0
