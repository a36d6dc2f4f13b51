"""A rotation of the oldest documents whose texts are at hand: which ones they are, and how much is read for it."""

import json
import random
from collections import Counter

import pytest

from tests.registry.corpus import prose
from whorl import Document
from whorl.registry import writer
from whorl.registry.registry import Registry, due, rotation
from whorl.registry.rotation import Rotation
from whorl.registry.store import today

SIZE = 300  # words: more substrings than are stored


def text(name, state="right"):
    return {"right": prose(name, SIZE), "changed": prose(f"{name} changed", SIZE), "unreadable": "Too short."}[state]


def table(path, rows):
    """A source: texts of documents in their states."""
    lines = [json.dumps({"id": name, "text": text(name, state)}) + "\n" for name, state in rows]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Twelve documents, drawn on twelve days: "0" is the oldest."""
    with Registry.create(tmp_path / "registry") as made:
        for number in range(12):
            monkeypatch.setattr(writer, "today", lambda number=number: today() - 400 + number)
            made.add(Document(f"{number}", text(f"{number}")))
        monkeypatch.undo()
        yield made


def drawn(registry):
    return {entry.name: entry.draws for entry in registry.entries()}


def expected(sources, limit):
    """What a rotation does that tries the documents one by one, the oldest first: names by outcome."""
    outcomes: dict[str, list[str]] = {"rotated": [], "changed": [], "unreadable": [], "missing": []}
    for name in map(str, range(12)):
        if len(outcomes["rotated"]) == limit:
            break
        states = [dict(source)[name] for source in sources if name in dict(source)]
        outcomes["rotated" if "right" in states else states[-1] if states else "missing"].append(name)
    return outcomes


@pytest.mark.parametrize("seed", [*range(24), 96, 202, 406, 462])
def test_the_choice_is_that_of_trying_one_by_one(tmp_path, registry, seed):
    """Whatever the order of the sources, the number of threads and the size of a commit; each text is read once."""
    choose = random.Random(seed)
    states = ["right"] * choose.choice([1, 6]) + ["changed", "unreadable", None, None]
    sources = []
    for _ in range(choose.choice([1, 2])):
        rows = [(f"{number}", choose.choice(states)) for number in range(12)]
        rows = [row for row in rows if row[1]]
        choose.shuffle(rows)
        sources.append(rows)
    paths = [table(tmp_path / f"{number}.jsonl", rows) for number, rows in enumerate(sources)]
    limit = choose.choice([1, 2, 3, 5, 11, 12, None])
    read = []

    def counted(document):
        read.append((document.name, document.content))
        return registry._tried(document)

    run = Rotation(due(registry), limit, counted, registry._writer.rotate, choose.choice([1, 2, 64]))
    result = run.run(paths, choose.choice([1, 3]))
    wanted = expected(sources, limit)
    assert [name for name, draws in sorted(drawn(registry).items(), key=lambda each: int(each[0])) if draws] == wanted[
        "rotated"
    ]
    assert [entry.name for entry in result.changed] == wanted["changed"]
    assert [each.document.name for each in result.missing] == wanted["missing"]
    assert [item.name for item in result.skipped] == wanted["unreadable"]
    assert Counter(result.states) == Counter(rotated=len(wanted["rotated"]), changed=len(wanted["changed"]))
    assert max(Counter(name for name, _ in read).values(), default=0) <= len(sources)
    registry.verify()
    for name in wanted["rotated"]:
        assert registry.search(text(name))[0].ratio == 1.0


def test_no_more_is_read_than_is_rotated_if_all_texts_are_there(tmp_path, registry):
    """The rest of a source is not read once the choice is certain, also if a younger document had to stand in."""
    rows = [(f"{number}", "changed" if number == 1 else "right") for number in range(12)]
    source, read = table(tmp_path / "all.jsonl", rows), []

    def counted(document):
        read.append(document.name)
        return registry._tried(document)

    run = Rotation(due(registry), 3, counted, registry._writer.rotate, 64)
    assert run.run([source], 1).states == {"rotated": 3, "changed": 1}
    assert read == ["0", "1", "2", "3"]


def test_a_younger_document_is_held_without_its_text(tmp_path, registry, monkeypatch):
    """A million documents of a limit that large would not fit into memory."""
    source = table(tmp_path / "young.jsonl", [("5", "right"), ("4", "right"), ("3", "right"), ("2", "right")])
    run = rotation(registry, due(registry), 2)
    taken, held = run._take, []

    def watched(reading, is_last):
        taken(reading, is_last)
        held.append([(-rank, each.document.content) for rank, each in run._held])

    monkeypatch.setattr(run, "_take", watched)
    assert run.run([source], 1).states == {"rotated": 2}
    assert [sorted(each) for each in held] == [
        [(5, "")], [(4, ""), (5, "")], [(3, ""), (4, "")], [(2, ""), (3, "")],
    ]  # fmt: skip


def test_documents_of_one_day_take_turns(tmp_path):
    """The day of a draw does not tell which was first; its number does."""
    names = ["c", "a", "b", "short"]
    texts = {name: prose(name, 24 if name == "short" else SIZE) for name in names}
    source = tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps({"id": name, "text": texts[name]}) + "\n" for name in names))
    with Registry.create(tmp_path / "registry") as registry:
        list(registry.add_all(Document(name, each) for name, each in texts.items()))
        for _ in range(6):
            assert rotation(registry, due(registry), 1).run([source], 1).states == {"rotated": 1}
        assert drawn(registry) == {"a": 2, "b": 2, "c": 2, "short": 0}
        assert rotation(registry, due(registry)).run([source], 1).states == {"rotated": 3, "whole": 1}


def test_a_document_that_is_removed_meanwhile(tmp_path, registry):
    source = table(tmp_path / "all.jsonl", [(f"{number}", "right") for number in range(12)])
    run = rotation(registry, due(registry), 2)
    registry.remove("0")
    assert run.run([source], 2).states == {"rotated": 2, "unknown": 1}
    assert {name for name, draws in drawn(registry).items() if draws} == {"1", "2"}
