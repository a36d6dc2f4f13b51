"""Writes documents in binary formats, each as small as the format allows, for the tests to read."""

import io
import re
import zipfile
from html import escape

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table", "draw")
)


def zipped(parts, method=zipfile.ZIP_DEFLATED):
    """A zip file of these parts."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as package:
        for name, content in parts.items():
            packing = zipfile.ZIP_STORED if name == "mimetype" else method  # so that it can be read without unpacking
            package.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, packing)
    return data.getvalue()


def relations(*rows):
    """Relations, each an id, a type's last word and a target."""
    listed = "".join(f'<Relationship Id="{name}" Type="{R}/{kind}" Target="{part}"/>' for name, kind, part in rows)
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'
    )


def w_paragraph(text):
    return f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def docx(body, **others):
    """A Word document with this body. Others: parts by their kind, such as ``footnotes``, with what they hold."""
    parts = {"_rels/.rels": relations(("r0", "officeDocument", "word/document.xml"))}
    parts["word/document.xml"] = f'<w:document xmlns:w="{W}" xmlns:mc="m"><w:body>{body}</w:body></w:document>'
    rows = [(f"r{i}", kind.rstrip("0123456789"), f"{kind}.xml") for i, kind in enumerate(others)]
    parts["word/_rels/document.xml.rels"] = relations(*rows)
    for kind, content in others.items():
        parts[f"word/{kind}.xml"] = content if isinstance(content, bytes) else f'<w:x xmlns:w="{W}">{content}</w:x>'
    return zipped(parts)


def odt(body, **others):
    """An OpenDocument text with this body."""
    content = f"<office:document {ODF}><office:text>{body}</office:text></office:document>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, **others})


def slide(paragraphs):
    body = "".join(f"<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>" for text in paragraphs)
    return f'<p:sld xmlns:p="p" xmlns:a="a"><p:txBody>{body}</p:txBody></p:sld>'


def pptx(slides, order=None, **others):
    """A presentation of these slides, each a list of paragraphs."""
    ids = order or range(len(slides))
    listed = "".join(f'<p:sldId id="{256 + i}" r:id="s{i}"/>' for i in ids)
    parts = {
        "_rels/.rels": relations(("r0", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:x xmlns:p="p" xmlns:r="{R}"><p:sldIdLst>{listed}</p:sldIdLst></p:x>',
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"s{i}", "slide", f"slides/slide{i}.xml") for i in range(len(slides)))
        ),
    }
    parts |= {f"ppt/slides/slide{i}.xml": slide(paragraphs) for i, paragraphs in enumerate(slides)}
    return zipped(parts | others)


def epub(chapters, hrefs=None, **others):
    """A book of these pages of HTML."""
    hrefs = hrefs or [f"c{i}.xhtml" for i in range(len(chapters))]
    items = "".join(f'<item id="i{i}" href="{h}" media-type="application/xhtml+xml"/>' for i, h in enumerate(hrefs))
    spine = "".join(f'<itemref idref="i{i}"/>' for i in range(len(hrefs)))
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
        "OEBPS/book.opf": f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>",
    }
    parts |= {f"OEBPS/c{i}.xhtml": chapter for i, chapter in enumerate(chapters)}
    return zipped(parts | others)


def pdf(pages, extra=b"", kids=None, encrypt=False):
    """A PDF document; a page is a list of lines, as text or as operators. One font without glyphs, which says what its
    codes mean."""
    numbers = [6 + 2 * i for i in range(len(pages))]
    listed = kids if kids is not None else " ".join(f"{number} 0 R" for number in numbers)
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Kids[{listed}]/Count {len(pages)}>>".encode(),
        3: b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[4 0 R]/ToUnicode 5 0 R>>",
        4: b"<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/DW 600/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4>>>>",
        5: _stream(
            b"/CIDInit/ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange<0000><FFFF>"
            b"endcodespacerange 1 beginbfrange<0000><FFFF><0000>endbfrange endcmap end end"
        ),
    }
    for number, lines in zip(numbers, pages, strict=True):
        shown = b" ".join(line if isinstance(line, bytes) else _shown(line) + b" T*" for line in lines)
        objects[number] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>"
            % (number + 1)
        )
        objects[number + 1] = _stream(b"BT/F 10 Tf 12 TL 40 700 Td %s ET" % shown)
    return _assembled(objects, extra, encrypt)


def _shown(text):
    return b"<%s>Tj" % text.encode("utf-16-be").hex().encode()


def glyphs_from_the_right(line):
    """Return a line of Arabic as browsers write it: from left to right, each glyph with its text. A glyph is a letter,
    or the ligature of lam and alef."""
    return b"\n".join(map(_glyph, reversed(re.findall("\u0644\u0627|.", line)))) + b" T*"


def _glyph(text):
    span = b"/Span<</ActualText<feff%s>>>BDC" % text.encode("utf-16-be").hex().encode()
    return _shown(text) if text == " " else span + _shown(text[0]) + b" EMC"


def _stream(data):
    return b"<</Length %d>>stream\n%s\nendstream" % (len(data), data)


def _assembled(objects, extra, encrypt):
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj%sendobj\n" % (number, body)
    out += extra
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    out += b"".join(b"%010d 00000 n \n" % places.get(number, 0) for number in range(1, size))
    locked = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<00><00>]" % (b"41" * 32, b"42" * 32)
    out += b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (size, locked if encrypt else b"", start)
    return bytes(out)


def rtf(paragraphs):
    """A document in rich text, all of it ASCII."""
    body = "\\par\n".join("".join(map(_rtf_letter, text)) for text in paragraphs)
    return ("{\\rtf1\\ansi\\uc1 " + body + "}").encode("ascii")


def _rtf_letter(letter):
    units = letter.encode("utf-16-be")
    codes = [int.from_bytes(units[i : i + 2], "big", signed=True) for i in range(0, len(units), 2)]
    return letter if letter.isascii() else "".join(f"\\u{code}?" for code in codes)


def postscript(pages):
    """A PostScript document; a page is a list of lines in Latin-1."""
    out = ["%!PS\n/Helvetica findfont dup length dict begin {1 index /FID ne {def} {pop pop} ifelse} forall"]
    out.append("/Encoding ISOLatin1Encoding def currentdict end /L exch definefont 12 scalefont setfont")
    for lines in pages:
        out += [f"40 {700 - 20 * i} moveto <{line.encode('latin-1').hex()}> show" for i, line in enumerate(lines)]
        out.append("showpage")
    return "\n".join(out).encode()
