"""Which Debian packages hold the manuals, and in which releases: prose, reference pages and generated pages, by name.

A pattern matches the whole name of a package, so that a manual is found in each release under that release's version.
"""

import re
from collections.abc import Iterable, Sequence

# Releases that share most manuals, one or two versions apart. The unstable one is left out: it changes every day.
RELEASES = ("bullseye", "bookworm", "trixie")

# Written by hand, versions a few years apart: what near-duplicates are on the web.
PROSE = (
    r"python(2\.7|3\.\d+)-doc",
    r"postgresql-doc-\d+",
    r"linux-doc-\d+\.\d+",
    r"libboost1\.\d+-doc",
    r"llvm-(11|13|14|16|19)-doc",
    r"git-doc|sqlite3-doc|cmake-doc|nodejs-doc|apache2-doc|postfix-doc|exim4-doc-html|bind9-doc|ant-doc",
    r"python-(django|sqlalchemy|pandas|scipy|numpy)-doc|sphinx-doc",
    r"debian-(handbook|policy|reference-en)|developers-reference|installation-guide-amd64",
    r"bash-doc|octave-doc|r-doc-html|swi-prolog-doc|erlang-doc|php-doc",
)

# Made from templates, thousands of pages with the same frame: what chains are made of.
GENERATED = (
    r"openjdk-(11|17|21)-doc",
    r"libstdc\+\+-(10|12|14)-doc",
    r"ruby\d\.\d-doc",
    r"qtbase5-doc-html|libglib2\.0-doc|libgtk-3-doc",
)


# Technical documents: books and articles as PDF, and the pages of the manual.
TECHNICAL = (
    r"manpages(-dev)?|git-man|perl-doc|openssl|libssl-doc|systemd|tcl8\.6-doc",
    r"r-doc-pdf|gnuplot-doc|maxima-doc|asymptote-doc|libmpfr-doc|gmp-doc|lilypond-doc-pdf|nasm|ledger|dblatex-doc",
    r"bash-doc|debian-(handbook|policy|reference-en)|developers-reference|octave-doc|erlang-doc|sqlite3-doc",
    r"installation-guide-amd64",
)


def chosen(names: Iterable[str]) -> list[str]:
    """Return the names of packages of web pages that are wanted, in order."""
    return _matching(names, PROSE + GENERATED)


def technical(names: Iterable[str]) -> list[str]:
    """Return the names of packages of technical documents that are wanted, in order."""
    return _matching(names, TECHNICAL)


def _matching(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    wanted = re.compile("|".join(patterns))
    return sorted(name for name in set(names) if wanted.fullmatch(name))
