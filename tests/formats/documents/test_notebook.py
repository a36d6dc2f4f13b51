"""Notebooks: the cells, each with its mark, and nothing else."""

import json
import re

import pytest

import whorl
from tests.comparison.planting import samples
from tests.conformance.document import SAMPLES, DocumentConformance
from whorl.errors import DocumentError
from whorl.formats.code.tokens import tokens
from whorl.formats.detection import format_of
from whorl.formats.documents.extraction import SectionMark
from whorl.formats.documents.frontend import CellsFrontend, NotebookFrontend
from whorl.formats.documents.notebook import code_cells, extract, program
from whorl.formats.reading import choose
from whorl.model import Document
from whorl.scheme import resolve


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
    assert found.marks[0] == SectionMark("cell", 1, 0, 36, "markdown")


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
        ({"kernelspec": {"language": 3}}, "python"),
        ([], "python"),
        ({}, "python"),
        ({"colab": {}}, "python"),
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


def cells(text):
    extracted = extract(text)
    return [(mark.label, extracted.text[mark.start : mark.end]) for mark in extracted.marks]


R_MARKDOWN = """---
title: "Tides"
output: html_document
---

# The sea

The *height* at noon, `r mean(height)`.

```{r setup, include=FALSE, fig.cap="a {b}"}
height <- c(1, 2)
```

```r
shown(1)
```

1. In a list:

   ```{python}
   if height:
       print(height)
   ```

```{=html}
<b>raw</b>
```

~~~~{Rcpp}
int x = 1; // ``` and ~~~ are no end
~~~
~~~~

```{{r}}
escaped
```

```{asis}
Kept as text.
```

```{r}
never <- closed
"""


class TestChunks:
    def test_r_markdown(self):
        labels = [label for label, _ in cells(R_MARKDOWN)]
        assert labels == ["markdown", "r", "markdown", "python", "markdown", "cpp", "markdown", "raw", "r"]
        texts = [text for _, text in cells(R_MARKDOWN)]
        assert texts[0].split() == ["The", "sea", "The", "height", "at", "noon,", "r", "mean(height)."]
        assert texts[1] == "height <- c(1, 2)\n"
        assert "shown(1)" in texts[2]
        assert texts[3] == "if height:\n    print(height)\n"
        assert texts[5] == "int x = 1; // ``` and ~~~ are no end\n~~~\n"
        assert "escaped" in texts[6]
        assert texts[7:] == ["Kept as text.\n", "never <- closed\n"]

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_quarto(self, end):
        text = end.join(
            ["{{< include x.qmd >}}", "", "```{python}", "#| echo: false", "x = 1", "```", "", "Prose.", ""]
        )
        assert [label for label, _ in cells(text)] == ["markdown", "python", "markdown"]
        assert cells(text)[1][1].split() == ["#|", "echo:", "false", "x", "=", "1"]

    def test_jupytext_as_markdown(self):
        header = "---\njupyter:\n  jupytext:\n    formats: ipynb,md\n  kernelspec:\n    language: python\n---\n"
        assert cells(header + "Prose\n\n```python\nx = 1\n```\n") == [("markdown", "Prose"), ("python", "x = 1\n")]
        assert cells(header + "```{code-cell} ipython3\nx = 1\n```\n") == [("python", "x = 1\n")]
        assert cells("Prose\n\n```python\nx = 1\n```\n")[0][0] == "markdown"

    @pytest.mark.parametrize(("mark", "language"), [("#", "python"), ("//", "javascript")])
    def test_a_jupytext_script(self, mark, language):
        header = [
            "---",
            "jupyter:",
            "  jupytext:",
            "    formats: ipynb",
            "  kernelspec:",
            f"    name: {language}",
            "---",
        ]
        lines = [*(f"{mark} {line}" for line in header), "", f"{mark} %% [markdown]", f"{mark} # Tides", mark]
        lines += [
            f"{mark} Of the *sea*.",
            "",
            f"{mark} %% tags=[]",
            "x = 1",
            f"{mark} a remark",
            "",
            f"{mark} %%",
            "y = 2",
        ]
        found = cells("\n".join(lines))
        assert [label for label, _ in found] == ["markdown", language, language]
        assert found[0][1].split() == ["Tides", "Of", "the", "sea."]
        assert found[1][1] == f"x = 1\n{mark} a remark\n\n"


def test_formats_by_name_and_content():
    jupytext = b"---\njupyter:\n  jupytext:\n    x: y\n---\nProse\n"
    for name in ("a.Rmd", "a.qmd", "a.ipynb"):
        assert format_of(Document(name, b"# Title\n\n```{r}\nx <- 1\n```\n")) == "notebook"
    assert format_of(Document("a.md", jupytext)) == "notebook"
    assert format_of(Document("a.md", b"---\ntitle: jupytext\n---\nProse\n")) == "markdown"


def test_a_script_is_a_program_as_code_and_a_notebook_as_text():
    script = Document(
        "a.py", b"# ---\n# jupyter:\n#   jupytext:\n#     x: y\n# ---\n\n# %% [markdown]\n# Prose\n# %%\nx = 1\n"
    )
    assert choose(resolve("code"), script).format == "python"
    assert choose(resolve("text"), script).format == "notebook"
    assert choose(resolve("text"), Document("a.py", b"# %%\nx = 1\n")).format == "python"


@pytest.mark.parametrize("name", ["report.Rmd", "report.qmd"])
def test_a_renamed_copy_is_found(name, tmp_path):
    """Read as prose only, it scored 11%."""
    program = samples("python")[0].text
    names = {"ada": ("", program), "bo": ("own words ", re.sub(r"\b(\w+)\b(?= =)", r"other_\1", program))}
    for person, (words, code) in names.items():
        (tmp_path / person).mkdir()
        prose = f"# Report by {person}\n\n{words * 40}\n"
        (tmp_path / person / name).write_text(f"{prose}\n```{{python}}\n{code}\n```\n")
    result = whorl.compare_all(tmp_path)
    assert result.scheme.frontend == "code"
    assert result.pairs[0].score > 0.8
    assert [file.format for file in result.submissions[0].files] == ["notebook"]


class TestNormalForm:
    SUM = "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"
    USE = "numbers = [int(word) for word in input().split()]\nprint(total(numbers) / len(numbers), 'größer')\n"

    def normal(self, data):
        found = extract(data)
        return found.text, CellsFrontend().normal_form(found)

    def test_cells_are_one_program_and_stand_where_they_are(self):
        text, normal = self.normal(notebook(("markdown", "Übung"), ("code", self.SUM), ("code", self.USE)))
        plain = tokens("python", (self.SUM + self.USE).encode(), True).normal
        assert plain is not None
        assert normal.symbols.tolist() == plain.symbols.tolist()
        whole = self.SUM + self.USE
        assert [text[start:end] for start, end in zip(normal.starts, normal.ends, strict=True)] == [
            re.sub(r"\n(?=numbers)", "\n\n", whole[start:end])
            for start, end in zip(plain.starts, plain.ends, strict=True)
        ]

    @pytest.mark.parametrize(
        "command",
        ["%matplotlib inline\n", "!pip install x\n", "%%time\n", "?sum\n", "  %load_ext x\n", "%timeit f(x)\n"],
    )
    def test_commands_of_the_notebook_are_no_part_of_it(self, command):
        plain, commanded = (
            self.normal(notebook(("code", self.SUM), ("code", before + self.USE)))[1] for before in ("", command)
        )
        assert commanded.symbols.tolist() == plain.symbols.tolist()

    def test_operators_at_the_beginning_of_a_line_are(self):
        text = "print('%d'\n      % (input() \n != 3))\n"
        assert program(extract(notebook(("code", text)))) == ("python", text)

    def test_cells_in_other_languages_are_not(self):
        others = ("code", "%%bash\nls if ((("), ("raw", "x = ((")
        _, normal = self.normal(notebook(("code", self.SUM), *others, ("code", self.USE)))
        _, plain = self.normal(notebook(("code", self.SUM), ("code", self.USE)))
        assert normal.symbols.tolist() == plain.symbols.tolist()

    @pytest.mark.parametrize("cells", [(), [("markdown", "x")], [("code", "")]])
    def test_without_code_there_is_none(self, cells):
        assert self.normal(notebook(*cells))[1] is None
        assert self.normal(notebook(("code", "x"), metadata={"language_info": {"name": "cobol 2000"}}))[1] is None

    def test_temporaries_hide_no_copy(self, tmp_path):
        each = samples("python")[0].text
        disguised = re.sub(r"^( *)return (.+)$", r"\1outcome = \2\n\1kept = outcome\n\1return kept", each, flags=re.M)
        assert disguised != each
        for name, text in {"ada": each, "eve": disguised}.items():
            (tmp_path / f"{name}.ipynb").write_text(notebook(("markdown", name * 9), ("code", text)))
        (tmp_path / "fay.py").write_text(each)
        scores = {(pair.left, pair.right): pair.score for pair in whorl.compare_all(tmp_path, threshold=0).pairs}
        plain = {
            (pair.left, pair.right): pair.score
            for pair in whorl.compare_all(tmp_path, threshold=0, normal_form=False).pairs
        }
        assert scores[0, 1] > plain[0, 1]
        assert scores[0, 2] > 0.99
        assert scores[1, 2] == pytest.approx(scores[0, 1], abs=0.02)
