"""What formats are made of, beyond the words of their samples: rare constructs, and numbers where lengths stand."""

DOCUMENTS: dict[str, str] = {
    "docx": (
        "<w:t> </w:t> <w:p> </w:p> <w:tab/> <w:br/> <w:del> </w:del> <w:txbxContent> <mc:AlternateContent> "
        '<mc:Choice> <!DOCTYPE <!ENTITY ]]> <![CDATA[ &amp; &#0; &#xD800; &#x110000; xml:space="preserve" '
        '<?xml xmlns:w="" word/ ../ _rels/'
    ),
    "epub": (
        '<item id="i0" href="../../x"/> <itemref idref="i0"/> full-path="" <spine> </spine> %2e%2e%2f # '
        "OEBPS/ <!DOCTYPE &nbsp; <p> </p> <script> META-INF/encryption.xml mimetype"
    ),
    "html": (
        "<script> </script> <style> </style> <!-- --> --!> <!DOCTYPE <![CDATA[ ]]> <p <a href= &amp; &#0; "
        "&#xD800; &#99999999999; &notin &NotEqualTilde; <plaintext> <textarea> </textarea> <title> <svg> "
        "<math> <template> hidden <nav> <main> </main> <noscript> <select> <br/> <meta charset=utf-16> "
        "<meta charset=iso-2022-jp> </ <? />"
    ),
    "latex": (
        "\\begin{ \\end{ \\begin{document} \\end{document} \\verb| \\verb \\begin{verbatim} "
        "\\end{verbatim} \\newcommand{ \\def\\a #1 #2 \\a \\input{a} $ $$ \\( \\) \\[ \\] % \\\\ \\% \\{ "
        "\\} ^^M ^^^^d800 \\char \\\"a \\'{e} \\ss \\footnote{ \\cite[ \\item[ ~ & --- \\iffalse \\fi "
        "\\catcode \\let\\a=\\b \\newcommand{\\a}[9]{\\a\\a}"
    ),
    "markdown": (
        "``` ~~~ ` `` * ** _ __ # ###### > - 1. [a]( ]( ![ [^1]: [a]: <http:// --- === | :-: \\* &copy; "
        "<div> <!-- $$ ::: - [ ] \t {#id} <b> </b>"
    ),
    "notebook": (
        '"cells" "cell_type" "code" "markdown" "source" [ ] { } "metadata" "kernelspec" "language_info" '
        'null true 1e999 NaN \\ud800 \\u0000 "nbformat" "worksheets" "input" : , "outputs" -0 '
        '"attachments"'
    ),
    "odt": (
        '<text:p> </text:p> <text:h> <text:s text:c="999999999"/> <text:tab/> <text:line-break/> '
        "<text:note> <draw:frame> <text:tracked-changes> <office:annotation> <!DOCTYPE <!ENTITY &#0; ]]> "
        "<![CDATA[ content.xml mimetype"
    ),
    "pdf": (
        "obj endobj stream endstream xref trailer startxref /Type/Page /Kids[ ] /Count 999999999 -1 "
        "/Length 0 1 0 R 2 0 R << >> /Filter/FlateDecode /Filter[/ASCIIHexDecode/LZWDecode] /Encrypt "
        "/ToUnicode BT ET Tj TJ ' Tf Td q Q Do BI ID EI cm /Contents /Resources /Parent /ObjStm /XRef "
        "/Prev 0 %%EOF %PDF-1.7 beginbfrange endbfrange beginbfchar <FFFF> /Root /Linearized 1e38 "
        "/Encoding /Differences[ /MediaBox[0 0 0 0] /Rotate /AcroForm/XFA /JBIG2Decode /JPXDecode "
        "/DCTDecode"
    ),
    "postscript": (
        "%!PS showpage show moveto { } ( ) < > << >> def exch dup pop repeat loop exit stop quit stopped "
        "forall currentfile readline eexec run file findfont definefont setfont restore save setpagedevice "
        "/EndPage /BeginPage \\014 \\ %%EOF 999999999 copypage erasepage flush print == pstack Error: "
        "/undefined"
    ),
    "pptx": (
        "<a:t> </a:t> <a:p> </a:p> <a:br/> <p:sldId r:id= <!DOCTYPE <!ENTITY &#0; ]]> slides/slide0.xml "
        'notesSlide ../ Target="" TargetMode="External" _rels/'
    ),
    "rtf": (
        "{ } \\rtf1 \\ansi \\ansicpg \\ansicpg932 \\uc \\uc0 \\uc9999 \\u-1 \\u55296 \\u99999 ?  \\'e9 \\' "
        "\\bin \\bin9999 \\bin-1 \\par \\* \\fonttbl \\f0 \\fcharset128 \\pict \\object \\stylesheet "
        "\\footnote \\cell \\row \\tab \\line \\page \\~ \\- \\_ \\deleted \\v \\plain \\upr \\ud \\mac "
        "\\pc \\fldinst"
    ),
    "archive": (
        "PK ustar ../ ../../a / \\ .gitignore node_modules/ !*.py ** [a-z] path= size= linkpath= "
        "GNU.sparse.map= a.zip .. CON nul\\x00 0000644 00000000000 77777777777"
    ),
}

PAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    "docx": (("<w:p>", "</w:p>"), ("<w:del>", "</w:del>"), ("<w:txbxContent>", "</w:txbxContent>"), ("<x>", "</x>")),
    "epub": (("<div>", "</div>"), ("<x>", "</x>")),
    "html": (("<div>", "</div>"), ("<b>", "</b>"), ("<template>", "</template>"), ("<svg>", "</svg>"), ("<a ", ">")),
    "latex": ((r"\begin{a}", r"\end{a}"), ("{", "}"), ("$", "$"), (r"\footnote{", "}"), (r"\[", r"\]")),
    "markdown": (("> ", ""), ("- ", ""), ("[", "]()"), ("**", "**"), ("`", "`"), ("  ", "")),
    "notebook": (("[", "]"), ('{"a":', "}")),
    "odt": (("<text:p>", "</text:p>"), ("<text:span>", "</text:span>"), ("<text:list>", "</text:list>")),
    "pdf": (("<<", ">>"), ("[", "]"), ("(", ")"), ("q ", " Q"), ("<</Kids", ">>")),
    "postscript": (("{", "}"), ("[", "]"), ("(", ")"), ("<<", ">>"), ("save ", " restore")),
    "pptx": (("<a:p>", "</a:p>"), ("<x>", "</x>")),
    "rtf": (("{", "}"), (r"{\*\x ", "}"), (r"{\footnote ", "}"), (r"{\upr{", "}}")),
}
