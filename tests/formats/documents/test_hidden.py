"""Text that a page does not show: white, tiny, beside the page, invisible."""

import pytest

from tests.formats.documents.writers import docx
from whorl.errors import DocumentError
from whorl.formats.documents.hidden import hidden_text


@pytest.mark.parametrize(
    "attributes",
    [
        'style="color: white"',
        "style='COLOR:#FFF'",
        'style="color:#ffffff; background-color: #fff"',
        'style="color: rgb(255, 255, 255)"',
        'style="font-size:0"',
        'style="font-size: 1px"',
        'style="margin:0;display:none !important"',
        'style="opacity: 0"',
        'style="visibility:hidden"',
        'style="position:absolute; left:-9999px"',
    ],
)
def test_a_style_that_hides_is_seen(attributes):
    page = f"<html><body><p>Seen.</p><div {attributes}>Not <b>seen</b> <br>here.</div><p>Seen again.</p></body></html>"
    assert " ".join(hidden_text(page.encode(), "html")) == "Not seen here."


@pytest.mark.parametrize(
    "page",
    [
        '<p style="color: #333">A</p>',
        '<div style="background: navy"><p style="color: white">A</p></div>',
        '<table bgcolor="black"><tr><td style="color:#fff">A</td></tr></table>',
        '<p style="font-size: 10px; opacity: 0.5">A</p>',
        '<div style="display:none"><script>var a;</script></div>',
        "<p>color: white</p>",
        "</p></div><p>A",
    ],
)
def test_what_can_be_seen_is_not_reported(page):
    assert hidden_text(page, "html") == ()


def test_old_attributes_count():
    assert hidden_text('<font color="white">A</font><font color="black">B</font>', "html") == ("A",)


def pdf(*contents):
    """A PDF of one page for each content stream."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents {5 + 2 * at} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode())
    body, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n".encode() + each + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Root 1 0 R /Size {len(objects) + 1} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def line(text, colour="0 0 0", mode=0, y=200):
    return f"BT /F1 12 Tf {mode} Tr {colour} rg 20 {y} Td ({text}) Tj ET"


def test_white_text_of_a_pdf_is_seen():
    page = "\n".join([line("Black text"), line("White text", "1 1 1", y=150), line("Unseen", mode=3, y=100)])
    assert hidden_text(pdf(page), "pdf") == ("White text", "Unseen")


def test_a_scan_with_recognised_text_is_honest():
    assert hidden_text(pdf(line("Recognised text", mode=3)), "pdf") == ()


def test_what_is_no_pdf_is_said():
    with pytest.raises(DocumentError, match="not a PDF"):
        hidden_text(b"%PDF-nonsense", "pdf")


def test_other_formats_have_no_page():
    assert hidden_text(b"anything", "python") == ()


def test_each_letter_of_a_line_may_be_an_object_of_its_own():
    letters = [f"BT /F1 12 Tf 1 1 1 rg {20 + 6 * at} 150 Td ({letter}) Tj ET" for at, letter in enumerate("anchor")]
    more = [line(f"Line {at}", "1 1 1", y=280 - at) for at in range(250)]
    hidden = hidden_text(pdf("\n".join([line("Black text"), *letters, *more])), "pdf")
    assert hidden[0] == "anchor"
    assert len(hidden) > 240


def test_white_text_on_a_dark_ground_is_seen():
    dark = "0 0 0.4 rg 0 100 300 200 re f"
    assert hidden_text(pdf("\n".join([dark, line("Light", "1 1 1"), line("Ill", "1 1 1", y=150)])), "pdf") == ()
    assert hidden_text(pdf("\n".join([dark, line("Light", "1 1 1", y=50)])), "pdf") == ("Light",)


def test_recognised_text_over_its_picture_is_seen():
    picture = "0 0 0 rg 20 203 4 5 re f 30 201 3 6 re f 36 200 5 9 re f"
    page = "\n".join([picture, line("Word", mode=3), line("Stamp", y=20)])
    assert hidden_text(pdf(page), "pdf") == ()


def test_text_that_is_tiny_or_beside_the_page_is_hidden():
    tiny = "BT /F1 1 Tf 0 0 0 rg 20 100 Td (Too small) Tj ET"
    page = "\n".join([line("Black text"), tiny, line("Outside", y=-40)])
    assert hidden_text(pdf(page), "pdf") == ("Too small", "Outside")


def w_run(text, properties):
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def test_white_and_tiny_text_of_word_is_hidden():
    white, small = '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>'
    body = f"<w:p>{w_run('Seen', '')}{w_run('Wh', white)}{w_run('ite', white)}{w_run('Seen', '')}</w:p>"
    body += f"<w:p>{w_run('Tiny', small)}</w:p>"
    assert hidden_text(docx(body), "docx") == ("White", "Tiny")


@pytest.mark.parametrize(
    "around",
    [
        '<w:p><w:pPr><w:shd w:val="clear" w:color="auto" w:fill="1F3864"/></w:pPr>{}</w:p>',
        '<w:tbl><w:tblPr><w:tblStyle w:val="Grid"/></w:tblPr><w:tr><w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl>',
        '<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="000000"/></w:tcPr><w:p>{}</w:p></w:tc></w:tr></w:tbl>',
        "<w:p><w:r><w:txbxContent><w:p>{}</w:p></w:txbxContent></w:r></w:p>",
        '<w:p><w:del w:id="1">{}</w:del></w:p>',
    ],
)
def test_white_text_of_word_may_stand_on_a_ground(around):
    run = w_run("White", '<w:color w:val="FFFFFF"/>')
    assert hidden_text(docx(around.format(run) + "<w:p/>"), "docx") == ()
    assert hidden_text(docx(around.format("") + f"<w:p>{run}</w:p>"), "docx") == ("White",)


def test_white_and_tiny_text_of_rich_text_is_hidden():
    source = (
        r"{\rtf1{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}Seen {\cf1 white \cf2 seen}{\fs2 tiny} seen"
    )
    assert hidden_text((source + "}").encode(), "rtf") == ("white", "tiny")
    assert hidden_text((source + r"{\highlight2 \cf1 seen}}").encode(), "rtf") == ("tiny",)


def test_a_style_sheet_hides_by_name():
    sheet = "/* .d { */ .a, p.b {display: none} @media print { .c {display:none} } body {background: #fff}"
    page = f"<style>{sheet} .e {{color: white}}</style><body><p class='x a'>A</p><p class=b>B</p><div class=b>-</div>"
    page += "<p class=c>-</p><p class=e>E</p>"
    assert hidden_text(page, "html", sheets=True) == ("A", "B", "E")
    assert hidden_text(page.replace("#fff}", "#000}"), "html", sheets=True) == ("A", "B")
    assert hidden_text(page, "html") == ()


def test_what_is_never_extracted_is_no_hidden_part_of_the_text():
    page = '<p style="display:none">A</p><p style="font-size:1px">B</p>'
    assert hidden_text(page, "html") == ("A", "B")
    assert hidden_text(page, "html", sheets=True) == ("B",)
