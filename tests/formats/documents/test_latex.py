"""LaTeX: the text of a paper, without what is there for the typesetter alone."""

import pytest

from tests.conformance.document import DocumentConformance
from whorl.formats.documents.frontend import LatexFrontend
from whorl.formats.documents.latex import extract

PAPER = r"""\documentclass[11pt]{article}
% \begin{document} in a comment
\usepackage{amsmath}
\newcommand{\lamp}[1]{\textbf{#1}

a definition of two paragraphs}
\title{On \emph{Lamps}\thanks{a grant}}
\begin{document}\maketitle
"""


class TestLatex(DocumentConformance):
    frontend = LatexFrontend()
    sample = "paper.tex.txt"

    def write(self, paragraphs):
        return "\n\n".join(paragraphs).encode()

    def variants(self, paragraphs):
        text = "\n\n".join(paragraphs)
        yield PAPER.replace("\\title", "%") + text + "\\end{document} more"
        yield text.replace("ee", "e\\emph{e}").replace(" ", "~")
        yield text.replace("é", "\\'e").replace("à", "\\`{a}").replace("ï", '\\"{\\i}')
        yield text.replace("\n\n", "% a remark\n\n\\label{x}\\par ").replace("ll", "l\\-l")
        yield "".join(f"\\section*{{{paragraph}}}" for paragraph in paragraphs)
        yield "\\begin{itemize}" + "".join(f"\\item {paragraph}" for paragraph in paragraphs) + "\\end{itemize}"
        yield text.replace("\n\n", "\\cite[p.~7]{x, y}\n\\vspace{2cm}\n")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (PAPER + "Text.", "On Lamps\n\nText."),
        (r"``a'' --- b--c 5\% \& \$\#\_\{\}", "“a” — b–c 5% & $#_{}"),
        (r"\v{s} \c c Erd\H{o}s \ss{} \o re \~{} \^{}", "š ç Erdős ß øre ~ ^"),
        (r"$x^2 + \alpha_i$ and \[E = mc^2\]", "x2 + αi and \nE = mc2"),
        (r"a\footnote{A \emph{note}.} b" + "\n\nc", "a b\n\nA note.\nc"),
        (r"a\ref{x}\cite{y}\label{z}b", "ab"),
        (r"\verb|a_b%c| d \verb+x", "a_b%c d  +x"),
        ("\\begin{verbatim}\n% {{{ $\n\\end{verbatim}x", "% {{{ $\n\nx"),
        ("a\\begin{comment}x{{\\end{comment}b", "a\nb"),
        (r"\begin{figure}[ht]\includegraphics[width=3cm]{a.png}\caption[s]{A caption}\end{figure}", "A caption"),
        (r"\begin{tabular}{l|c}a & b \\[2pt] c\end{tabular}", "a \t b \n c"),
        (r"\newcommand\x{y}\def\z#1#2{w}\setlength\parindent{0pt}a", "a"),
        ("a%x\n  b%", "ab"),
        ("\\cite{never closed\n\nnext", "next"),
        (r"\textbf{bold} \foo[opt]{kept} \LaTeX{} is", "bold kept LaTeX is"),
        ("a\x00b \ud800", "a\x00b \ud800"),
        ("a\\iffalse x \\ifnum1=1 y\\fi \\iff \\\\fi %\\fi\n z\\fi b", "a b"),
        (r"a\iffalse x\else{} y\fi{} z", "a y z"),
        (r"a\iffalse b", "ab"),
        (r"one\mydash two {\em three}s", "one two  threes"),
        ("\\", ""),
    ],
)
def test_what_commands_mean(source, text):
    assert extract(source).text == text


def test_other_files_are_noted():
    source = "".join(f"\\input{{chapter{i}}}" for i in range(7))
    assert extract(source).note == (
        "included files were not read: chapter0, chapter1, chapter2, chapter3, chapter4 and 2 more"
    )


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "\\newcommand{",
        "\\cite{",
        "\\cite[",
        "\\begin{verbatim}",
        "\\footnote{",
        "\\title{",
        "\\'{",
        "\\",
        "\\verb|",
        "\\iffalse ",
        "\\iffalse \\ifx ",
    ],
)
def test_what_is_never_closed_is_read_in_one_pass(piece):
    """Quadratic reading of this much would take hours."""
    assert extract(piece * 200_000 + "\n\nend").text.endswith("end")
