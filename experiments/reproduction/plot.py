"""A figure as SVG: no library, the same bytes for the same figures, colours by the page's style in light and dark."""

from collections.abc import Sequence
from html import escape

from experiments.reproduction.axis import Scale, scale, written
from experiments.reproduction.record import MARKED, MARKS, Figure, Series

# The picture, and the room for what is written round the plot in it.
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 74, 18, 14, 52

# Beyond so many points a line's marks would hide it.
MANY = 40

# Half the size of a mark, and what it may stand out over the edge of the plot.
MARK, ROOM = 3.6, 6


def svg(figure: Figure, number: int) -> str:
    """Return the picture. ``number`` makes its ids differ from those of other pictures on the page."""
    across, up = _scales(figure)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(figure.title)}">',
        f'<clipPath id="clip{number}"><rect x="{LEFT - ROOM}" y="{TOP - ROOM}" '
        f'width="{WIDTH - LEFT - RIGHT + 2 * ROOM}" height="{HEIGHT - TOP - BOTTOM + 2 * ROOM}"/></clipPath>',
        *_grid(across, up),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, figure.across.label, "middle"),
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(figure.up.label)}</text>',
        f'<g clip-path="url(#clip{number})">',
        *(_drawn(series, place, across, up) for place, series in enumerate(figure.series)),
        "</g></svg>",
    ]
    return "\n".join(parts)


def key(series: Series, place: int) -> str:
    """Return the line of a series, for the legend."""
    line = "" if series.drawn == MARKS else f'<path class="line {series.drawn}" d="M2 8H30"/>'
    mark = _mark(place, 16, 8) if series.drawn in (MARKED, MARKS) else ""
    return f'<svg class="key s{place}" viewBox="0 0 32 16" aria-hidden="true">{line}{mark}</svg>'


def _scales(figure: Figure) -> tuple[Scale, Scale]:
    points = [point for series in figure.series for point in series.points]
    across = scale(figure.across, [x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = scale(figure.up, [y for _, y in points], HEIGHT - BOTTOM, TOP)
    return across, up


def _grid(across: Scale, up: Scale) -> list[str]:
    out = []
    for value in across.ticks():
        x = across.place(value)
        out.append(f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        out.append(_text(x, HEIGHT - BOTTOM + 18, written(value), "middle"))
    for value in up.ticks():
        y = up.place(value)
        out.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        out.append(_text(LEFT - 8, y + 4, written(value), "end"))
    return [*out, f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>']


def _drawn(series: Series, place: int, across: Scale, up: Scale) -> str:
    places = [(across.place(x), up.place(y)) for x, y in series.points]
    out = [f'<g class="s{place}">']
    if series.drawn != MARKS:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        out.append(f'<polyline class="line {series.drawn}" points="{path}"/>')
    if series.drawn == MARKS or (series.drawn == MARKED and len(places) <= MANY):
        out += [_mark(place, x, y, _label(series, point)) for (x, y), point in zip(places, series.points, strict=True)]
    return "".join([*out, "</g>"])


def _label(series: Series, point: Sequence[float]) -> str:
    return f"<title>{escape(series.name)}: {written(point[0])}, {point[1]:.4g}</title>"


def _mark(place: int, x: float, y: float, label: str = "") -> str:
    """Return a shape for each series: colour alone tells nothing to some."""
    shapes = (
        f"M{x - MARK:.1f} {y:.1f}a{MARK} {MARK} 0 1 0 {2 * MARK} 0a{MARK} {MARK} 0 1 0 {-2 * MARK} 0z",
        f"M{x - MARK:.1f} {y - MARK:.1f}h{2 * MARK}v{2 * MARK}h{-2 * MARK}z",
        f"M{x:.1f} {y - 1.2 * MARK:.1f}l{1.2 * MARK:.1f} {2.1 * MARK:.1f}h{-2.4 * MARK:.1f}z",
        f"M{x:.1f} {y - 1.3 * MARK:.1f}l{1.3 * MARK:.1f} {1.3 * MARK:.1f}l{-1.3 * MARK:.1f} {1.3 * MARK:.1f}"
        f"l{-1.3 * MARK:.1f} {-1.3 * MARK:.1f}z",
    )
    return f'<path class="mark" d="{shapes[place % len(shapes)]}">{label}</path>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
