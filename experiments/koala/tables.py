"""What the tables of the paper have in common: a row a setting, a column a range of match ratios."""

from collections.abc import Mapping, Sequence

from experiments.koala.distribution import HEAD, Distribution
from experiments.koala.documents import documents
from experiments.reproduction.record import Axis, Figure, Series, Table
from experiments.reproduction.setting import Setting, paper

# A cell that cannot occur, as the data file has it.
NONE = -1


def data(setting: Setting) -> str:
    """Return what differs in the data, for every section."""
    entries = documents(setting)
    size, derived = sum(len(entry.text) for entry in entries) / 1e6, sum(entry.of is not None for entry in entries)
    kind = "synthetic technical reports of one school" if setting.corpus is None else "documents of the corpus"
    return (
        f"{len(entries)} {kind}, {size:.0f} MB of text (the paper: 366 reports of one school, 30 MB), of which "
        f"{derived} were derived from others: small edits, reorganised, revised, condensed, expanded, a portion, a "
        "passage. So there are more matches above 10% than in the paper."
    )


def table(title: str, name: str, found: Mapping[str, Distribution], first: str = "") -> Table:
    """Return the paper's row and ours, for every setting; only ours where the paper has none."""
    rows: list[tuple[str, ...]] = []
    theirs = paper("koala")[name]
    for setting, one in found.items():
        if setting in theirs:
            rows.append((f"{setting}: paper", *_cells(theirs[setting], theirs[setting][-1] - 366)))
        rows.append((f"{setting}: ours", *_cells(one.counts, one.others)))
    note = "In parentheses: matches of a document with another one. A ratio is rounded up to whole percents."
    return Table(title, (first, *HEAD), rows, note)


def _cells(counts: Sequence[int], others: int) -> list[str]:
    cells = ["" if count == NONE else f"{count:,}" for count in counts]
    return [*cells[:-1], f"{cells[-1]} ({others})"]


def figure(title: str, across: Axis, found: Mapping[str, Distribution], name: str) -> Figure:
    """Low matches (up to 10%) and high ones (above 20%) by a setting, the paper's beside ours."""
    theirs = {setting: row for setting, row in paper("koala")[name].items() if setting in found}
    ours = {setting: one.counts for setting, one in found.items()}
    return Figure(
        title, across, Axis("matches", logarithmic=True),
        [
            Series(f"{kind}, {whose}", [(float(setting), max(1, count(row))) for setting, row in rows.items()])
            for kind, count in (("up to 10%", low), ("above 20%", lambda row: sum(row[-2:])))
            for whose, rows in (("paper", theirs), ("ours", ours))
        ],
        "Matches up to 10% are accidents for the most part; with ten stored substrings one in common is 10%.",
    )  # fmt: skip


def low(row: Sequence[int]) -> int:
    """Matches up to 10%."""
    return sum(count for count in row[:4] if count != NONE)


def high(one: Distribution) -> int:
    """Matches above 20%: versions of each other, and each document with itself."""
    return sum(one.counts[-2:])


def shown(found: Mapping[str, Distribution]) -> str:
    """Low matches by setting."""
    return ", ".join(f"{setting}: {one.low:,}" for setting, one in found.items())
