"""Many documents are read in order, some ahead of their turn, as each of them alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.engine import documents
from whorl.engine.documents import read_whole, read_wholes
from whorl.errors import DocumentError

CODE, KEY = whorl.PRESETS["code"], whorl.Key.PUBLIC
PROGRAM = "def f(x):\n    return [x, x * {}]\n"


def notebook(number: int) -> bytes:
    cell = {"cell_type": "code", "source": PROGRAM.format(number), "metadata": {}, "outputs": [], "execution_count": 1}
    kernel = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python"}}
    return json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}).encode()


# A program; a document with programs inside; a text, which is refused; a file that is no text.
KINDS = {
    "py": lambda number: PROGRAM.format(number).encode(),
    "ipynb": notebook,
    "txt": lambda number: b"A text, which is no program.",
    "bin": lambda number: b"\x7fELF\0\0\0\1",
}


def made(kinds):
    """A document of each kind."""
    return [whorl.Document(f"{number}.{kind}", KINDS[kind](number)) for number, kind in enumerate(kinds)]


def alone(document):
    try:
        return read_whole(document, CODE, KEY)
    except DocumentError as error:
        return error


def seen(whole):
    return str(whole) if isinstance(whole, DocumentError) else (whole.text, whole.stream.symbols.tolist())


@given(st.lists(st.sampled_from(sorted(KINDS)), max_size=24), st.sampled_from([1, 2, 5]), st.sampled_from([1, 3]))
@examples(60)
def test_in_order_with_few_open(kinds, most, threads):
    """Whatever the kinds of neighbours: the results are those of each alone, and no more documents wait than may."""
    taken = []

    def counted():
        for number, document in enumerate(made(kinds)):
            taken.append(number)
            yield document

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "MOST_OPEN", most)
        for number, whole in enumerate(read_wholes(counted(), CODE, KEY, threads)):
            assert len(taken) - number <= most + 1
            assert seen(whole) == seen(alone(made(kinds)[number]))
    assert len(taken) == len(kinds)


def test_large_ones_are_not_opened_together(monkeypatch):
    monkeypatch.setattr(documents, "MOST_BYTES", 1)
    taken = []

    def counted():
        for document in made(["py"] * 6):
            taken.append(document)
            yield document

    for number, _ in enumerate(read_wholes(counted(), CODE, KEY)):
        assert len(taken) <= number + 2


def test_a_reader_may_be_left_in_the_middle():
    wholes = read_wholes(iter(made(["py", "ipynb", "py", "py"])), CODE, KEY, 2)
    assert seen(next(wholes)) == seen(alone(made(["py"])[0]))
    del wholes
