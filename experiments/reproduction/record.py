"""The record of a reproduction: tables, figures and findings, a section for each table or figure of the paper."""

from collections.abc import Sequence
from dataclasses import dataclass

Points = Sequence[tuple[float, float]]

# How a series is drawn: a line with marks, marks alone, a thin line, or a dashed one for what theory says.
MARKED, MARKS, PLAIN, DASHED = "marked", "marks", "plain", "dashed"


@dataclass(frozen=True)
class Finding:
    """A claim of the paper, its number and ours, and whether the claim holds here."""

    claim: str
    paper: str
    ours: str
    holds: bool


@dataclass(frozen=True)
class Table:
    """Rows of text. ``is_cost``: it holds times, so it differs from run to run."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    is_cost: bool = False


@dataclass(frozen=True)
class Axis:
    """What an axis shows, and its range; without one the range is the data's."""

    label: str
    logarithmic: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """A name, points, and how they are drawn."""

    name: str
    points: Points
    drawn: str = MARKED


@dataclass(frozen=True)
class Figure:
    """A plot. ``note`` says how to read it."""

    title: str
    across: Axis
    up: Axis
    series: Sequence[Series]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper beside ours. ``paper`` says what the paper did, ``data`` what differs in the data.
    Without ``findings`` it reports and claims nothing."""

    title: str
    paper: str
    data: str
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    findings: Sequence[Finding] = ()


@dataclass(frozen=True)
class Reproduction:
    """All sections of a paper, and what they were made of: the command repeats them."""

    name: str
    title: str
    citation: str
    command: str
    corpus: str
    sections: Sequence[Section]

    @property
    def findings(self) -> list[tuple[Section, Finding]]:
        """Every finding, with its section."""
        return [(section, finding) for section in self.sections for finding in section.findings]
