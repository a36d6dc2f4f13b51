"""What LaTeX's commands mean to a reader of the text. Tables only; ``latex`` reads by them."""

# Commands that are dropped, with how many arguments. All others are dropped alone: what they are applied to is text.
_DROPPED = {
    1: """
    label ref pageref eqref autoref nameref cref Cref vref cite citep citet citealt citealp citeauthor citeyear
    citeyearpar Cite parencite textcite footcite autocite nocite bibliography bibliographystyle addbibresource input
    include includeonly subfile includegraphics graphicspath usepackage RequirePackage documentclass LoadClass pagestyle
    thispagestyle pagenumbering vspace hspace phantom hphantom vphantom index glsadd hypersetup color pagecolor
    newcounter stepcounter refstepcounter usetikzlibrary lstset geometry selectlanguage newif bibitem href cline
    cmidrule theoremstyle linespread lstinputlisting verbatiminput
    """,
    2: """
    setlength addtolength setcounter addtocounter newtheorem numberwithin definecolor rule newcommand renewcommand
    providecommand DeclareMathOperator DeclareRobustCommand def gdef edef xdef
    """,
    3: "newenvironment renewenvironment NewDocumentCommand addcontentsline",
}
DROPPED = {name: count for count, names in _DROPPED.items() for name in names.split()}

# Commands that define something: their arguments may have several paragraphs.
_DEFINITIONS = """
    newcommand renewcommand providecommand DeclareRobustCommand newenvironment renewenvironment NewDocumentCommand
    def gdef edef xdef
"""
DEFINITIONS = frozenset(_DEFINITIONS.split())

# Environments whose first arguments are measures or settings, not text.
MEASURED = {"tabular": 1, "tabular*": 2, "tabularx": 2, "longtable": 1, "array": 1, "minipage": 1, "multicols": 1}
MEASURED |= {"thebibliography": 1, "wrapfigure": 2, "list": 2, "adjustbox": 1, "subfigure": 1, "minted": 1}

# Environments that are read as they stand, or not at all.
UNREAD = frozenset(("comment", "tikzpicture", "picture", "pspicture", "filecontents", "filecontents*"))
VERBATIM = UNREAD | {"verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt"}

# Commands that name another file of the document.
INCLUDES = frozenset(("input", "include", "subfile", "lstinputlisting", "verbatiminput"))

# Commands whose argument stands on lines of its own, and those whose argument follows the paragraph.
HEADINGS = frozenset(("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "caption", "title"))
NOTES = frozenset(("footnote", "footnotetext", "thanks", "marginpar", "endnote"))
BREAKS = dict.fromkeys(("item", "newline", "linebreak", "newpage", "clearpage", "tabularnewline", "hline"), "\n")

ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
ACCENTS |= {"u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a"}
ACCENTS |= {"b": "\u0331", "d": "\u0323", "t": "\u0361"}

_LETTERS = {"ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł"}
_LETTERS |= {"aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ"}
_LETTERS |= {"i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX"}
_LETTERS |= {"ldots": "…", "dots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—", "textbar": "|"}
_LETTERS |= {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textquoteright": "’"}
_LETTERS |= {"quad": " ", "qquad": " ", "space": " ", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€"}
# Greek, as a formula prints it.
_GREEK = """
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
    nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ hbar ℏ
"""
_PAIRS = _GREEK.split()
_OPERATORS = "sin cos tan log ln exp lim max min sup inf det dim ker gcd arg deg mod Pr sinh cosh tanh limsup liminf"
TEXTS = _LETTERS | dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
TEXTS |= {operator: f" {operator} " for operator in _OPERATORS.split()}
