"""Screening against the definition: a document is a duplicate if it forms a pair with one that was accepted before."""

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from tests.sweep.world import FAST, SCHEME, alike
from whorl import Document, InputError
from whorl.cli import main
from whorl.sweep.result import ScreenedDocument
from whorl.sweep.sweep import Sweep

DATE = "2026-01-01"
TEXTS = ["A b c", "a b c", "a, b. c", "a b a b", "a b a b a", "!", ""]
texts = st.lists(st.sampled_from("abcd"), max_size=10).map(" ".join) | st.sampled_from(TEXTS)


def measure(one: str, two: str, name: str) -> float:
    likeness = alike(one, two)
    return likeness.resemblance if name == "resemblance" else max(likeness.has, likeness.within)


def words(text: str) -> list[str]:
    return [word for word in text.lower().replace(",", " ").replace(".", " ").replace("!", " ").split() if word]


def is_duplicate(text: str, other: str, name: str, threshold: float) -> bool:
    if text == other or (words(text) and words(text) == words(other)):
        return True
    return bool(words(text) and words(other)) and measure(text, other, name) >= threshold


def answered(sweep: Sweep, documents: list[Document]) -> list[ScreenedDocument]:
    answers = list[ScreenedDocument]()
    sweep.add_new(documents, DATE, answers.append)
    return answers


def accepted(answers: list[ScreenedDocument]) -> set[str]:
    return {answer.name for answer in answers if answer.state != "duplicate"}


@given(
    st.lists(texts, min_size=1, max_size=14),
    st.integers(0, 14),
    st.sampled_from([0.1, 0.34, 0.5, 1.0]),
    st.sampled_from(["resemblance", "containment"]),
)
@examples(60)
def test_a_document_is_stored_unless_it_is_like_one_before(history, cut, threshold, name):
    documents = [Document(str(number), text) for number, text in enumerate(history)]
    fixed = {"threshold": threshold, "measure": name, "modulus": 1}
    with TemporaryDirectory(dir=FAST) as folder, Sweep.create(Path(folder) / "s", SCHEME, **fixed) as sweep:
        answers = [*answered(sweep, documents[:cut]), *answered(sweep, documents[cut:])]
        kept = list[int]()
        for number, text in enumerate(history):
            if not any(is_duplicate(text, history[other], name, threshold) for other in kept):
                kept.append(number)
        assert accepted(answers) == set(map(str, kept))
        for answer in answers:
            if answer.state == "duplicate":
                original = history[int(answer.matches[0].of)]
                assert int(answer.matches[0].of) in kept
                assert is_duplicate(history[int(answer.name)], original, name, threshold)
        sweep.verify()
        again = list(sweep.screen(documents))
        assert all(answer.state == "duplicate" for answer in again)
        assert len(sweep.clusters()) == len(kept)


def prose(seed: int, count: int = 120) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices("abcdefgh", k=chance.randint(2, 7))) for _ in range(count)]


def test_the_answer_names_the_document_and_how_alike_it_is(tmp_path):
    text = prose(1)
    edited, half = [*text[:60], "changed", *text[61:]], [*prose(2), *text[:80]]
    with Sweep.create(tmp_path / "s") as sweep:
        sweep.add_new([{"id": "a", "url": "http://x/a", "text": " ".join(text)}], DATE)
        new, identical, lexical, near, overlapping = sweep.screen(
            [" ".join(prose(3)), " ".join(text), " ".join(text).upper(), " ".join(edited), " ".join(half)]
        )
    assert (new.state, new.matches) == ("new", ())
    assert [(each.state, each.matches[0].of, each.matches[0].kind) for each in (identical, lexical, near)] == [
        ("duplicate", "http://x/a", "identical"),
        ("duplicate", "http://x/a", "lexical"),
        ("duplicate", "http://x/a", "near"),
    ]
    assert near.matches[0].likeness.resemblance == pytest.approx(113 / 121)
    assert (overlapping.state, overlapping.matches[0].kind) == ("overlaps", "overlap")
    assert overlapping.matches[0].likeness.within == pytest.approx(77 / 117)


def test_a_refusal_is_remembered_when_its_shingles_have_become_common(tmp_path):
    text = prose(1)
    near = Document("near", " ".join([*text[:60], "changed", *text[61:]]))
    with Sweep.create(tmp_path / "s", common=2) as sweep:
        before = answered(sweep, [Document("a", " ".join(text)), near])[1]
        others = [Document(f"{number}", " ".join([*text, *prose(number + 10, 900)])) for number in range(4)]
        assert len(accepted(answered(sweep, others))) == 4
        assert list(sweep.screen([near])) == [before]
        sweep.verify()


def test_base_does_not_count(tmp_path):
    licence = " ".join(prose(1, 300))
    pages = [Document(str(number), f"{licence} {' '.join(prose(number + 5, 60))}") for number in range(3)]
    with Sweep.create(tmp_path / "plain") as sweep:
        assert len(accepted(answered(sweep, pages))) == 1
    with Sweep.create(tmp_path / "based", base=[licence]) as sweep:
        assert len(accepted(answered(sweep, pages))) == 3
    with Sweep.open(tmp_path / "based") as sweep:
        assert accepted(answered(sweep, [Document("3", f"{licence} {' '.join(prose(9, 60))}")])) == {"3"}


def test_letters_of_scripts_without_spaces_are_joined_as_in_clusters(tmp_path):
    chance = random.Random(1)
    pages = ["".join(chance.choices("กขคงจฉชซ", k=3000)) for _ in range(2)]
    clustered = whorl.cluster(pages, threshold=0.05)
    with Sweep.create(tmp_path / "s", threshold=0.05) as sweep:
        sweep.add([Document(str(number), page) for number, page in enumerate(pages)], DATE)
        assert len(sweep.clusters()) == len({member.cluster for member in clustered.members}) == 2


def test_an_add_that_fails_stores_nothing(tmp_path):
    def failing():
        yield Document("a", " ".join(prose(1)))
        raise ValueError("stop")

    with Sweep.create(tmp_path / "s") as sweep:
        with pytest.raises(ValueError, match="stop"):
            sweep.add_new(failing(), DATE)
        assert sweep.sweeps() == []
        assert [answer.state for answer in sweep.screen([" ".join(prose(1))])] == ["new"]
        with pytest.raises(InputError, match="overlap: 2 is out of range"):
            sweep.add_new([], DATE, overlap=2)


@pytest.mark.parametrize("documents", ["text", b"text", Path("file"), {"text": "a"}])
def test_one_document_is_no_list(tmp_path, documents):
    with pytest.raises(InputError, match=r"base: .* is not a list of documents"):
        Sweep.create(tmp_path / "s", base=documents)
    with Sweep.create(tmp_path / "s") as sweep:
        with pytest.raises(InputError, match=r"documents: .* is not a list of documents"):
            list(sweep.screen(documents))
        with pytest.raises(InputError, match=r"documents: .* is not a list of documents"):
            sweep.add_new(documents, DATE)
        assert sweep.sweeps() == []


def test_unreadable_documents_are_named(tmp_path):
    with Sweep.create(tmp_path / "s") as sweep:
        missing, nameless = answered(sweep, [tmp_path / "missing.txt", Document("", " ".join(prose(1)))])
        assert missing.state == nameless.state == "unread"
        assert missing.reason is not None
        assert "neither a URL nor a name" in (nameless.reason or "")


def test_the_command(tmp_path):
    table = tmp_path / "a.jsonl"
    rows = [{"id": "a", "text": " ".join(prose(1))}, {"id": "b", "text": " ".join(prose(2))}, {"id": "c", "text": None}]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = CliRunner().invoke
    sweep = str(tmp_path / "s")
    Sweep.create(sweep).close()
    done = run(main, ["sweep", "screen", sweep, str(table), "--add", "--date", DATE])
    assert done.exit_code == 0
    assert "2 documents: 2 new, 0 duplicates, 0 new that overlap others" in done.output
    done = run(main, ["sweep", "screen", sweep, str(table), "--format", "jsonl"])
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [(line["state"], line["matches"][0]["of"]) for line in lines] == [("duplicate", "a"), ("duplicate", "b")]
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert run(main, ["sweep", "screen", sweep, str(empty)]).exit_code != 0
