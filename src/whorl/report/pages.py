"""Render pages: templates and their cache, scripts, style sheets, and a content security policy for just these."""

import json
import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined, Template
from jinja2.bccache import Bucket
from markupsafe import Markup

from whorl.report import words
from whorl.report.markup import plain, printable


class CompiledTemplates(BytecodeCache):
    """A cache under the rules of modules: it obeys ``PYTHONDONTWRITEBYTECODE`` and ``PYTHONPYCACHEPREFIX``, and ignores
    a read-only folder. The bucket checks source and versions."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if a compiled template is cached."""
        try:
            with _cache_path(bucket).open("rb") as file:
                bucket.load_bytecode(file)
        except OSError:
            return

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the compiled template of the bucket."""
        if sys.dont_write_bytecode:
            return
        path = _cache_path(bucket)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with fresh.open("wb") as file:
                bucket.write_bytecode(file)
            fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)


def _cache_path(bucket: Bucket) -> Path:
    name = cache_from_source(str(Path(__file__).parent / "templates" / f"{bucket.key}.py"))
    return Path(name).with_suffix(".template")


STYLES = {
    "check": ("colours.css", "page.css", "pair.css", "code.css", "check.css"),
    "checks": ("colours.css", "page.css", "panels.css", "check.css"),
    "clusters": ("colours.css", "page.css", "panels.css", "clusters.css"),
    "cluster": ("colours.css", "page.css", "panels.css", "graph.css", "lists.css"),
    "overview": ("colours.css", "page.css", "panels.css", "graph.css", "overview.css"),
    "pair": ("colours.css", "page.css", "pair.css", "code.css", "diff.css", "hearing.css"),
    "submission": ("colours.css", "page.css", "panels.css", "code.css", "submission.css"),
    "submissions": ("colours.css", "page.css", "panels.css", "lists.css"),
}
SCRIPTS = {
    "check": ("theme.js", "check.js"),
    "checks": ("theme.js",),
    "clusters": ("theme.js", "clusters.js"),
    "cluster": ("theme.js", "names.js", "print.js", "lists.js"),
    "overview": ("theme.js", "names.js", "print.js", "review.js", "shown.js", "table.js", "histogram.js", "graph.js"),
    "pair": ("theme.js", "names.js", "print.js", "review.js", "pair.js", "sides.js", "diff.js", "hearing.js"),
    "submission": ("theme.js", "names.js", "print.js", "submission.js"),
    "submissions": ("theme.js", "names.js", "print.js", "lists.js"),
}

# Scripts that run before the page is drawn.
EARLY = frozenset({"theme.js", "names.js"})

# A comment of a style sheet on one line.
COMMENT = re.compile(r"/\*[^*]*\*/")

# Digits of a page's number: they sort correctly for up to 9,999 pairs.
DIGITS = 4

# Characters to escape in the data: a script block ends at the first "</script", even inside a string.
UNSAFE_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


# Marks a file of review marks.
REVIEW_KIND = "whorl review"


class IgnoredPassage(NamedTuple):
    """Lines of a submission that a reader takes for starter code, and their format."""

    format: str
    text: str


class ReviewMark(NamedTuple):
    """A reader's mark of a pair: reviewed, dismissed, follow-up or nothing; a note; and both sides of the passages that
    count as starter code from now on."""

    state: str
    note: str
    ignored: tuple[IgnoredPassage, ...] = ()


# Review marks by the sorted names of a pair, so that they survive another order of the submissions.
Review: TypeAlias = Mapping[tuple[str, str], ReviewMark]
NO_REVIEW: Review = MappingProxyType({})


def review_key(left: str, right: str) -> tuple[str, str]:
    """Return the key of a pair in a review."""
    return (left, right) if left <= right else (right, left)


class Names:
    """Names of submissions and people as markup, with numbers to show instead when names are hidden. A name's number
    comes from the order of hashes, because that of the alphabet would give names away."""

    def __init__(self, submissions: Iterable[str], people: Iterable[str]) -> None:
        self._submissions, self._people = _numbers(submissions), _numbers(people)
        self._shown: dict[str, Markup] = {}

    def number(self, name: str) -> int | str:
        """Return the number of a submission; an empty text if it is not in the comparison."""
        return self._submissions.get(name, "")

    def __call__(self, name: str) -> Markup:
        """Return the name of a submission."""
        if name not in self._shown:
            self._shown[name] = Markup('<bdi data-s="{}">{}</bdi>').format(self.number(name), plain(name))
        return self._shown[name]

    def person(self, name: str) -> Markup:
        """Return the name of a person."""
        return Markup('<bdi data-who="{}">{}</bdi>').format(self._people.get(name, ""), plain(name))


def _numbers(names: Iterable[str]) -> dict[str, int]:
    ordered = sorted(set(names), key=lambda name: sha256(name.encode("utf-8", "surrogatepass")).digest())
    return {name: number for number, name in enumerate(ordered, start=1)}


def page_name(number: int) -> str:
    """Return the file name of a pair's page. Pairs count from 0, pages from 1."""
    return f"{number + 1:0{DIGITS}d}.html"


def render(page: str, **context: Any) -> str:
    """Render the page of this name."""
    return template(page).render(
        styles=_assets("styles", STYLES[page]),
        early_scripts=_assets("scripts", tuple(name for name in SCRIPTS[page] if name in EARLY)),
        scripts=_assets("scripts", tuple(name for name in SCRIPTS[page] if name not in EARLY)),
        policy=policy(page),
        **context,
    )


@cache
def template(page: str) -> Template:
    """Return the template of this name."""
    return _environment().get_template(f"{page}.html")


@cache
def policy(page: str) -> str:
    """Return the content security policy of a page: only its own scripts and style sheets."""
    scripts = " ".join(f"'sha256-{_digest(text)}'" for text in _assets("scripts", SCRIPTS[page]))
    styles = " ".join(f"'sha256-{_digest(text)}'" for text in _assets("styles", STYLES[page]))
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; base-uri 'none'; form-action 'none'"


def data(value: Any) -> Markup:
    """Return JSON that is safe in a script block: ASCII only, without characters that could end the block."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character, escaped in UNSAFE_IN_SCRIPT.items():
        text = text.replace(character, escaped)
    return Markup(text)


@cache
def _assets(folder: str, names: tuple[str, ...]) -> tuple[Markup, ...]:
    """Return our own files, which need no escaping, without comments and indentation: every page has them."""
    texts = (_compact((files(__package__) / folder / name).read_text("utf-8")) for name in names)
    return tuple(Markup(_without_blanks(text) if folder == "styles" else text) for text in texts)


def _compact(text: str) -> str:
    """Return a script or style sheet without blank lines, indentation, and lines that are comments only."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//") and not COMMENT.fullmatch(line))


def _without_blanks(style: str) -> str:
    """Return a style sheet without blanks around its punctuation, which no string of ours has."""
    return re.sub(r" ?([{};]) ?", r"\1", style.replace(": ", ":").replace(", ", ",")).replace(";}", "}")


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    report = environment("whorl.report")
    report.filters.update(
        data=data, duration=words.duration, lines=words.span_of_lines, pieces=words.pieces, reason=words.reason
    )
    return report


def environment(package: str) -> Environment:
    """Return the template environment of a package: it escapes all values, shows hidden characters, and rejects
    undefined names."""
    templates = Environment(
        loader=PackageLoader(package),
        bytecode_cache=CompiledTemplates(),
        auto_reload=False,  # each page would look whether its templates were changed
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(count=words.counted, percent=words.percent, size=words.size)
    return templates
