"""Words broken at the ends of lines."""

import pytest

from whorl.formats.documents.pages import rejoin


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("light-\nhouse", "lighthouse"),
        ("light\ufffehouse", "lighthouse"),
        ("light\x02\r\nhouse", "lighthouse"),
        ("light\xad\n  house", "lighthouse"),
        ("A well-known man, well-\nknown", "A well-known man, well-known"),
        ("1910-\n1911", "1910-1911"),
        ("Anglo-\nSaxon", "Anglo-Saxon"),
        ("\ufffe", "-"),
        ("a -\nb", "a -b"),
        ("no break-up", "no break-up"),
    ],
)
def test_what_is_joined(text, whole):
    assert rejoin(text) == whole


def test_many_breaks_are_read_in_one_pass():
    assert rejoin("ab-\n" * 100_000 + "c") == "ab" * 100_000 + "c"
