"""A reproduction as one HTML page that opens from disk, and as Markdown."""

from collections.abc import Sequence
from importlib.resources import files
from itertools import count
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from experiments.reproduction.plot import key, svg
from experiments.reproduction.record import Figure, Finding, Reproduction, Section, Series

HOME = Path(__file__).parent

# The same in the reports.
COLOURS = files("whorl.report") / "styles" / "colours.css"


def write(made: Reproduction, folder: Path) -> tuple[Path, Path]:
    """Write both into a folder; where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    page, tables = folder / f"{made.name}.html", folder / f"{made.name}.md"
    page.write_text(html(made), "utf-8")
    tables.write_text(markdown(made), "utf-8")
    return page, tables


def html(made: Reproduction) -> str:
    """One page, all that it needs within it."""
    numbers = count()

    def drawing(figure: Figure) -> Markup:
        return Markup(svg(figure, next(numbers)))

    environment = Environment(loader=FileSystemLoader(HOME), autoescape=True, undefined=StrictUndefined)
    style = Markup(COLOURS.read_text("utf-8") + (HOME / "page.css").read_text("utf-8"))
    return environment.get_template("page.html").render(
        made=made, style=style, drawing=drawing, key=_key, verdict=_verdict
    )


def _key(series: Series, place: int) -> Markup:
    return Markup(key(series, place))


def _verdict(finding: Finding) -> Markup:
    cell = '<td class="holds">✓ holds</td>' if finding.holds else '<td class="fails">✗ does not hold</td>'
    return Markup(cell)


def markdown(made: Reproduction) -> str:
    """Tables and findings; a figure becomes a sentence, for its numbers are in the tables or on the page."""
    parts = [f"# {made.title}", made.citation, f"Made by `{made.command}`. {made.corpus}"]
    for section in made.sections:
        parts += _section(section)
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> list[str]:
    out = [f"## {section.title}", f"**The paper.** {section.paper}", f"**What differs.** {section.data}"]
    for table in section.tables:
        out += [f"**{table.title}**", _rows(table.head, table.rows), *([table.note] if table.note else [])]
    if section.findings:
        rows = [(each.claim, each.paper, each.ours, "yes" if each.holds else "**no**") for each in section.findings]
        out.append(_rows(("claim", "paper", "ours", "holds?"), rows))
    return out


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
