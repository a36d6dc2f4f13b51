"""Documents refuse what no store could give back."""

import pickle
from dataclasses import replace
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from whorl import Document, DocumentError, InputError
from whorl.model import checked_documents


class Colour(str, Enum):  # noqa: UP042  (``str`` of a member is not its text)
    RED = "red"


@pytest.mark.parametrize("field", ["name", "url", "date", "contact", "owner", "format"])
@pytest.mark.parametrize("value", [5, b"x", Path("x"), True])
def test_facts_are_texts(field, value):
    with pytest.raises(InputError, match=f"^{field}: .* is no text, but {type(value).__name__}; give a string$"):
        Document(**{"name": "a", "content": "text", field: value})


def test_a_name_is_needed():
    with pytest.raises(InputError, match="name: None is no text"):
        Document(None, "text")  # type: ignore[arg-type]


@pytest.mark.parametrize("labels", ["abc", b"abc", None, 5, {"a": "b"}, {"a"}])
def test_labels_are_a_list(labels):
    with pytest.raises(InputError, match=r"labels: .* is no list of strings"):
        Document("a", "text", labels=labels)


def test_each_label_is_a_text():
    with pytest.raises(InputError, match="labels: 5 is no text, but int"):
        Document("a", "text", labels=("x", 5))  # type: ignore[arg-type]


@pytest.mark.parametrize("labels", [["x", "y"], np.array(["x", "y"]), iter("xy")])
def test_any_sequence_of_labels_will_do(labels):
    assert Document("a", "text", labels=labels).labels == ("x", "y")


def test_texts_of_other_classes_become_plain():
    document = Document(np.str_("a"), np.str_("text"), np.str_("http://a"), owner=Colour.RED, labels=(np.str_("x"),))
    assert document == Document("a", "text", "http://a", owner="red", labels=("x",))
    texts = document.name, document.content, document.url, document.owner, *document.labels
    assert {type(text) for text in texts} == {str}


@pytest.mark.parametrize("content", [None, 5, ["text"], bytearray(b"text")])
def test_a_content_is_text_bytes_or_a_path(content):
    with pytest.raises(DocumentError, match="a document is a string, bytes or a path, not a"):
        Document("a", content)


def test_a_copy_is_equal():
    document = Document("a", b"text", labels=("x",))
    assert pickle.loads(pickle.dumps(document)) == replace(document) == document


@pytest.mark.parametrize("documents", ["text", b"text", Path("file"), Document("a", "text"), {"text": "a"}, 5])
def test_one_document_is_no_list(documents):
    with pytest.raises(InputError, match="is not a list of documents; give a list"):
        list(checked_documents(documents))
