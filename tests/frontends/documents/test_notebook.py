"""Notebooks: the cells, each with its mark, and nothing else."""

import json

import pytest

from tests.conformance.document import SAMPLES, DocumentConformance
from whorl.errors import DocumentError
from whorl.frontends.documents.extracted import Mark
from whorl.frontends.documents.frontend import NotebookFrontend
from whorl.frontends.documents.notebook import code_cells, extract
from whorl.model import Document


def notebook(*cells, **more):
    return json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells], **more})


class TestNotebook(DocumentConformance):
    frontend = NotebookFrontend()
    sample = "study.ipynb.txt"

    def write(self, paragraphs):
        return notebook(*(("markdown", paragraph) for paragraph in paragraphs)).encode()

    def variants(self, paragraphs):
        yield notebook(("raw", "\n".join(paragraphs)))
        yield notebook(*(("code", list(paragraph)) for paragraph in paragraphs), metadata={"x": "y"})
        yield notebook(("markdown", "\n\n".join(f"# *{paragraph}*" for paragraph in paragraphs)), nbformat=4)
        cells = [{"cell_type": "code", "input": [text], "outputs": [{"text": "x"}]} for text in paragraphs]
        yield json.dumps({"worksheets": [{"cells": cells[:2]}, {"cells": cells[2:]}]}, indent=3)
        yield json.dumps({"cells": [{**cell, "source": cell["input"]} for cell in cells]}, ensure_ascii=False)


def test_the_sample():
    found = extract((SAMPLES / "study.ipynb.txt").read_bytes())
    assert [(mark.label, found.text[mark.start : mark.end]) for mark in found.marks] == [
        ("markdown", "Tides\nThe height of the sea at noon."),
        ("python", "import math\nheight = [math.sin(t) for t in range(24)]\n"),
        ("python", ""),
        ("raw", "A raw cell, *as it stands*."),
    ]
    assert found.marks[0] == Mark("cell", 1, 0, 36, "markdown")


def test_version_3():
    found = extract((SAMPLES / "old.ipynb.txt").read_bytes())
    assert [(mark.label, found.text[mark.start : mark.end]) for mark in found.marks] == [
        ("heading", "Tides"),
        ("r", "x <- c(1, 2)"),
    ]


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"language": "julia"}, "language_info": {"name": "python"}}, "julia"),
        ({"language_info": {"name": "R"}}, "r"),
        ({"kernelspec": {"language": "Python 3"}}, "python"),
        ({"kernelspec": {"name": "python3"}}, "python"),
        ({"kernelspec": {"language": "c++"}}, "cpp"),
        ({"kernelspec": {"language": "C++17"}}, "cpp"),
        ({"kernelspec": {"name": "xcpp17"}}, "cpp"),
        ({"kernelspec": {"name": "ir"}}, "r"),
        ({"kernelspec": {"name": "julia-1.9"}}, "julia"),
        ({"kernelspec": {"language": "C#"}}, "csharp"),
        ({"kernelspec": {"name": "7"}}, "code"),
        ({"kernelspec": {"language": 3}}, "code"),
        ([], "code"),
    ],
)
def test_the_language(metadata, language):
    assert extract(notebook(("code", "x"), metadata=metadata)).marks[0].label == language


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ("[" * 200_000, "nested too deeply"),
        ('{"cells":' * 200_000, "nested too deeply"),
        ('{"cells": [' + "9" * 5000 + "]}", "not JSON"),
        ("[]", "no object"),
        ("{}", "no list of cells"),
        ('{"cells": {}}', "no list of cells"),
        ('{"worksheets": 1}', "no list"),
        ('{"worksheets": [1]}', "no list of cells"),
        ('{"cells": [1]}', "cell 1 is no JSON object"),
        (notebook(("code", "x"), ("code", 7)), "cell 2 has a source that is neither"),
        (notebook(("markdown", ["x", None])), "cell 1 has a source that is neither"),
    ],
)
def test_what_is_no_notebook_is_plain_text_and_noted(content, fault):
    with pytest.raises(DocumentError, match=fault):
        extract(content)
    found = NotebookFrontend().extract(Document("week 3.ipynb", content))
    assert found.text == content
    assert found.note.startswith("read as plain text: it")
    assert fault in found.note


def test_code_cells_and_their_languages():
    cells = [("markdown", "# a"), ("code", "x = 1"), ("raw", "b"), ("code", "%%bash\nls"), ("code", "%%time\ny = 2")]
    found = extract(notebook(*cells, metadata={"kernelspec": {"name": "python3"}}))
    assert [(mark.label, found.text[mark.start : mark.end]) for mark in code_cells(found)] == [
        ("python", "x = 1"),
        ("bash", "%%bash\nls"),
        ("python", "%%time\ny = 2"),
    ]


def test_many_empty_cells():
    found = extract(notebook(*[("markdown", ""), ("code", [])] * 50_000))
    assert len(found.marks) == 100_000
    assert found.text.strip() == ""
    assert found.marks[-1].end == len(found.text)


def test_a_cell_with_lone_surrogates():
    assert extract('{"cells": [{"cell_type": "code", "source": "a\\ud800b"}]}').text == "a\ud800b"
