"""A small plot of measured points, as SVG: no library, and the same bytes for the same figures."""

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, MARGIN = 560, 320, 48
COLOURS = ("#0b6e99", "#b5520a", "#5a7d1a")

Points = Sequence[tuple[float, float]]


def line_plot(title: str, across: str, up: str, lines: Mapping[str, Points]) -> str:
    """Lines through points, both axes from 0."""
    most = [max(point[axis] for points in lines.values() for point in points) for axis in (0, 1)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    parts = [
        f'{head} font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<path d="M{MARGIN} 32V{HEIGHT - MARGIN}H{WIDTH - 16}" fill="none" stroke="#666"/>',
        _text(MARGIN, 20, title),
        _text(WIDTH - 16, HEIGHT - 12, across, "end"),
        _text(MARGIN + 6, 42, up),
    ]
    places = sorted({point[0] for points in lines.values() for point in points})
    parts += [_text(_x(x, most[0]), HEIGHT - MARGIN + 16, f"{x:g}", "middle") for x in places]
    steps = [most[1] * share for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    parts += [_text(MARGIN - 6, _y(step, most[1]) + 4, f"{step:.3g}", "end") for step in steps]
    for number, (name, points) in enumerate(lines.items()):
        parts += _line(name, points, most, COLOURS[number % len(COLOURS)])
    return "\n".join([*parts, "</svg>\n"])


def _line(name: str, points: Points, most: Sequence[float], colour: str) -> list[str]:
    places = [(_x(x, most[0]), _y(y, most[1])) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    x, y = places[-1]
    label = _text(x - 6, y - 8, name, "end", colour)
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots, label]


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def _x(value: float, most: float) -> float:
    return MARGIN + value / most * (WIDTH - MARGIN - 32)


def _y(value: float, most: float) -> float:
    return HEIGHT - MARGIN - value / most * (HEIGHT - MARGIN - 56)
