"""Templates, scripts and style sheets of the pages, and the policy that lets a browser run these scripts and no other.

Every page has all that it needs inside it, so that one page can be mailed or archived alone. The policy names scripts
and style sheets by their hashes: unlike a list of places, that means the same in every browser for a page on disk.
"""

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from whorl.report import words
from whorl.report.compiled import CompiledTemplates
from whorl.report.visible import printable

STYLES = {
    "clusters": ("colours.css", "page.css", "panels.css", "clusters.css"),
    "overview": ("colours.css", "page.css", "panels.css", "overview.css"),
    "pair": ("colours.css", "page.css", "pair.css"),
}
SCRIPTS = {
    "clusters": ("theme.js", "clusters.js"),
    "overview": ("theme.js", "shown.js", "table.js", "histogram.js", "graph.js"),
    "pair": ("theme.js", "pair.js"),
}

# Four digits sort well in a folder of up to 9,999 pairs; beyond that names grow longer.
DIGITS = 4

# A script block ends at the first "</script" whatever stands round it, so no such character may be in the data.
UNSAFE_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def page_name(number: int) -> str:
    """The file of a pair's page: a number, whatever the submissions are called. Pairs count from 0 and pages from 1."""
    return f"{number + 1:0{DIGITS}d}.html"


def render(page: str, **context: Any) -> str:
    """The page of this name, whole."""
    return template(page).render(
        styles=_assets("styles", STYLES[page]),
        scripts=_assets("scripts", SCRIPTS[page]),
        policy=policy(page),
        **context,
    )


@cache
def template(page: str) -> Template:
    """The page of this name, to be filled in."""
    return _environment().get_template(f"{page}.html")


@cache
def policy(page: str) -> str:
    """What a browser may load for a page: nothing but the scripts and style sheets that are in it."""
    scripts = " ".join(f"'sha256-{_digest(text)}'" for text in _assets("scripts", SCRIPTS[page]))
    styles = " ".join(f"'sha256-{_digest(text)}'" for text in _assets("styles", STYLES[page]))
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; base-uri 'none'; form-action 'none'"


def data(value: Any) -> Markup:
    """JSON that may stand in a script block: all but ASCII is escaped, and so is what could end the block."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character, escaped in UNSAFE_IN_SCRIPT.items():
        text = text.replace(character, escaped)
    return Markup(text)


@cache
def _assets(folder: str, names: tuple[str, ...]) -> tuple[Markup, ...]:
    """Our own files, which need no escaping."""
    return tuple(Markup((files(__package__) / folder / name).read_text("utf-8")) for name in names)


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    made = environment("whorl.report")
    made.filters.update(data=data, duration=words.duration)
    return made


def environment(package: str) -> Environment:
    """How templates of a package are filled in: all is escaped and printable, and what is missing is a fault."""
    made = Environment(
        loader=PackageLoader(package),
        bytecode_cache=CompiledTemplates(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(count=words.count, percent=words.percent, size=words.size)
    return made
