"""The deep pass through ``compare_all`` and the command line: passages change, and nothing else does."""

import json
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import pytest
from click.testing import CliRunner

import whorl
from tests.matching.deep.prose import MODEL, case, edited
from whorl.cli import main
from whorl.comparison.settings import SettingsError

CASE = case(1, 0.3)
FROZEN = ["a7b21e14908c", "024586ab029a", "598feaec4593"]
SAMPLES = Path(__file__).parents[2] / "examples" / "class"


@pytest.fixture
def essays(tmp_path: Path) -> Path:
    for name, files in {
        "ann": {"essay.txt": CASE.left, "notes.txt": " ".join(MODEL.text(50, 200))},
        "bob": {"other.txt": " ".join(MODEL.text(51, 200)), "work.txt": CASE.right},
        "eve": {"essay.txt": " ".join(MODEL.text(52, 700))},
    }.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text, encoding="utf-8")
    return tmp_path


def test_passages_come_from_the_deep_pass(essays):
    plain, deep = (whorl.compare_all(essays, "text", threshold=0.0, deep=on) for on in (False, True))
    assert [(pair.left, pair.right, pair.score) for pair in plain.pairs] == [
        (pair.left, pair.right, pair.score) for pair in deep.pairs
    ]
    assert deep.scores == plain.scores
    (passage,) = deep.pairs[0].passages
    assert (passage.left.file, passage.right.file) == ("essay.txt", "work.txt")
    for side, (start, end) in zip((passage.left, passage.right), CASE.spans, strict=True):
        assert min(side.end, end) - max(side.start, start) > 0.9 * (end - start)
        assert side.end - side.start < 1.2 * (end - start)
    assert deep.pairs[0].left_coverage > plain.pairs[0].left_coverage


def test_compare_and_compare_all_agree(essays, tmp_path):
    (tmp_path / "pair").mkdir()
    for name, text in (("a.txt", CASE.left), ("b.txt", CASE.right)):
        (tmp_path / "pair" / name).write_text(text, encoding="utf-8")
    (pair,) = whorl.compare_all(tmp_path / "pair", "text", threshold=0.0, deep=True).pairs
    alone = whorl.compare(tmp_path / "pair" / "a.txt", tmp_path / "pair" / "b.txt", deep=True)
    named = [
        replace(each, left=each.left._replace(file="a.txt"), right=each.right._replace(file="b.txt"))
        for each in alone.passages
    ]
    assert list(pair.passages) == named


def test_sanctioned_material_is_no_evidence(tmp_path):
    template = MODEL.text(60, 150)
    for name in ("a", "b"):
        text = f"{' '.join(MODEL.text(ord(name), 200))} {' '.join(template)} {' '.join(MODEL.text(ord(name) + 5, 200))}"
        (tmp_path / "class").mkdir(exist_ok=True)
        (tmp_path / "class" / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "base.txt").write_text(" ".join(template), encoding="utf-8")
    without = whorl.compare_all(tmp_path / "class", "text", threshold=0.0, deep=True)
    assert len(without.pairs[0].passages) == 1
    found = whorl.compare_all(tmp_path / "class", "text", base=tmp_path / "base.txt", threshold=0.0, deep=True)
    assert not any(pair.passages for pair in found.pairs)


def digest(found: whorl.Likeness) -> str:
    """All that a plain comparison tells, in one short word."""
    passages = [(each.left, each.right, each.symbols, each.matches) for each in found.passages]
    numbers = found.score, found.left_coverage, found.right_coverage, found.shared_fingerprints
    result = [[round(number, 9) for number in numbers], passages]
    return blake2b(json.dumps(result).encode(), digest_size=6).hexdigest()


def test_without_it_nothing_changes():
    """The values are those of plain passages, whatever the deep pass does."""
    sentences = MODEL.text(1, 400)
    copies = [" ".join(edited(sentences, share, 2)) for share in (0.0, 0.1, 0.3)]
    assert [digest(whorl.compare(" ".join(sentences), copy)) for copy in copies] == FROZEN
    assert digest(whorl.compare(CASE.left, CASE.right, deep=False)) == digest(whorl.compare(CASE.left, CASE.right))


def test_faults_are_reported(essays):
    with pytest.raises(whorl.InputError, match="reads prose"):
        whorl.compare_all(SAMPLES, "code", deep=True)
    with pytest.raises(SettingsError, match="add deep"):
        whorl.compare_all(essays, "text", summaries=True)


def test_the_command(essays, tmp_path):
    arguments = [str(essays), "--deep", "--summaries", "--threshold", "0", "--format", "json"]
    found = CliRunner().invoke(main, ["compare", *arguments, "--report", str(tmp_path / "report")])
    assert found.exit_code == 0, found.output
    pairs = json.loads(found.stdout)["pairs"]
    assert pairs[0]["passages"][0]["left"]["file"] == "essay.txt"
    assert len(pairs[0]["passages"][0]["matches"]) > 3
    assert (tmp_path / "report" / "index.html").exists()
