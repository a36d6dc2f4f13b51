"""Text that a page does not show: inline styles of HTML, white and invisible text of PDF."""

import pytest

from whorl.comparison.evidence.hidden import hidden_text
from whorl.errors import DocumentError


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
