"""Text that a page does not show although it is in the document: of HTML by inline styles, of PDF by its colour."""

from whorl.comparison.evidence.pdf import unseen_in_pdf
from whorl.comparison.evidence.styles import unseen_in_html
from whorl.frontends.encoding import decode


def hidden_text(data: bytes | str, format_name: str) -> tuple[str, ...]:
    """The pieces of a document that its page does not show; none of a format that has no page.

    A DocumentError says why a document could not be looked at.
    """
    if format_name == "html":
        return unseen_in_html(data if isinstance(data, str) else decode(data).text)
    if format_name == "pdf" and isinstance(data, bytes):
        return unseen_in_pdf(data)
    return ()
