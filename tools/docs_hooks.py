"""What the site does to pages that are also read as plain Markdown. MkDocs calls these; see mkdocs.yml."""

import html
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

# A fence may name the file that it shows after its language; the site's Markdown wants that as a title.
NAMED_FENCE = re.compile(r"^```(\w+) ([\w.-]+)$", re.MULTILINE)

# A picture of our own, alone in its paragraph.
FIGURE = re.compile(r"^!\[([^\]]*)\]\(([^)\s]+\.svg)\)$", re.MULTILINE)

# A cell of a table. In Markdown a bar in it is written \|, also in code, where the site would show the backslash.
CELL = re.compile(r"<td[ >].*?</td>", re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of a folder in its place in the navigation, so that a new decision need not be named twice."""
    config.nav = [listed(entry, Path(config.docs_dir)) for entry in config.nav or []]
    return config


def listed(entry: Any, docs: Path) -> Any:
    """Return an entry of the navigation with the pages of folders in place of the folders."""
    if isinstance(entry, dict):
        return {title: listed(inner, docs) for title, inner in entry.items()}
    if isinstance(entry, list):
        return [inner for inner in (listed(each, docs) for each in entry) if _has_pages(inner)]
    if str(entry).endswith("/"):
        return [f"{entry}{page.name}" for page in sorted((docs / entry).glob("*.md"))]
    return entry


def _has_pages(entry: Any) -> bool:
    """Return whether an entry leads anywhere: a folder may have no pages yet."""
    return any(entry.values()) if isinstance(entry, dict) else bool(entry)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Titles for named fences; pictures inside the page, so that they follow its colours, light or dark."""
    here = Path(config.docs_dir, page.file.src_uri).parent
    titled = NAMED_FENCE.sub(r'```\1 title="\2"', markdown)
    return FIGURE.sub(lambda found: figure(here / found[2], found[1]), titled)


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show bars in the cells of tables without their backslashes."""
    return CELL.sub(lambda cell: cell[0].replace("\\|", "|"), content)


def figure(path: Path, described: str) -> str:
    """Return a picture as part of the page, in one line: a blank one would end it for Markdown."""
    drawn = " ".join(path.read_text("utf-8").split("\n"))
    named = drawn.replace("<svg ", f'<svg role="img" aria-label="{html.escape(described)}" ', 1)
    return f'<div class="figure">{named}</div>'
