"""A page of the crawl as HTML: the markup of its day round the words, and now and then a table that repeats itself.

In the winnowing paper 27% of the bytes are text. The repetitive tables are what it calls low-entropy strings: data of
sensors, menus written by a program. They make its long gaps and its plateau of frequencies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.crawl.chance import uniforms
from experiments.crawl.pages import Page

# Words of a row of the page's table. With the markup of a row, a quarter of the bytes is then text.
ROW = 20

# One family in so many has a table that repeats itself.
DATA_IN = 400

# Characters that such a table repeats, and its length, by the logarithm: the paper's longest gap has 29,983.
LEAST_PERIOD, MOST_PERIOD = 12, 90
LEAST_LENGTH, MOST_LENGTH = 1500, 30_000

# Random numbers that are no page's own: see ``uniforms``.
_DATA = 3

HEAD = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html>
<head>
<!-- This page was made by SiteBuilder 3.{build} for Workgroups. Do not edit it by hand. -->
<meta name="generator" content="SiteBuilder 3.{build}">
<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">
<style type="text/css"><!-- body {{ margin: 0px }} td.menu {{ background: #336699 }} --></style>
<script language="JavaScript"><!--
function over(name, image) {{ if (document.images) document.images[name].src = image; }}
//--></script>
</head>
<body bgcolor="#ffffff" text="#000000" link="#336699" vlink="#663399" topmargin="0" leftmargin="0">
<table width="98%" border="0" cellspacing="0" cellpadding="4" summary="layout">
"""

LINE = (
    '<tr valign="top"><td width="100%" bgcolor="#{shade}"><p align="left"><font face="Arial, Helvetica, sans-serif" '
    'size="2" color="#000000"><a href="http://host{host}-0.example/{family}/{row}.html" target="_top"><b>{first}</b>'
    "</a> {rest}</font></p></td></tr>\n"
)

FOOT = "</table>\n</body>\n</html>\n"


@dataclass(frozen=True)
class Repeats:
    """A pattern, and how often it is repeated."""

    pattern: str
    times: int


def html(page: Page, seed: int) -> str:
    """The page. What is the same to the byte in the crawl is so here: nothing depends on the page's own address."""
    words = page.text.split()
    rows = [words[start : start + ROW] for start in range(0, len(words), ROW)]
    body = [_line(page.family, number, row) for number, row in enumerate(rows)]
    found = repeats(page.family, seed)
    data = "" if found is None else f"<tr><td><pre>{found.pattern * found.times}</pre></td></tr>\n"
    return HEAD.format(build=page.family % 5) + "".join(body) + data + FOOT


def repeats(family: int, seed: int) -> Repeats | None:
    """Return the repetitive table of a family; None of most families."""
    chances = uniforms(3 + MOST_PERIOD, seed, family, _DATA)
    if chances[0] >= 1 / DATA_IN:
        return None
    period = int(LEAST_PERIOD + chances[1] * (MOST_PERIOD + 1 - LEAST_PERIOD))
    length = LEAST_LENGTH * (MOST_LENGTH / LEAST_LENGTH) ** chances[2]
    # Zeros for the most part, as sensors that measure nothing tell; a letter now and then makes the pattern its own.
    letters = ["0" if chance < 0.8 else chr(ord("a") + int(chance * 1000) % 26) for chance in chances[3 : 3 + period]]
    return Repeats("".join(letters), int(length / period))


def _line(family: int, number: int, row: Sequence[str]) -> str:
    shade = "ffffff" if number % 2 else "eeeeee"
    return LINE.format(shade=shade, host=family % 1009, family=family, row=number, first=row[0], rest=" ".join(row[1:]))
