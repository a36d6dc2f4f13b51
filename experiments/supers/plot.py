"""Rates against resemblance as SVG, with a legend: no library, and the same bytes for the same figures."""

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 640, 360, 56, 40, 48, 190
COLOURS = ("#b5520a", "#d49a3a", "#5a7d1a", "#7a5aa8", "#8a8a8a", "#0b6e99", "#c23b6b")

# Both axes run from 0 to 1, with a label every so often.
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

Points = Sequence[tuple[float, float]]


def rate_plot(title: str, across: str, up: str, lines: Mapping[str, Points]) -> str:
    """Lines through points between 0 and 1."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"',
        ' font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<path d="M{_x(0):.0f} {_y(1):.0f}V{_y(0):.0f}H{_x(1):.0f}" fill="none" stroke="#666"/>',
        _text(LEFT, 20, title),
        _text(_x(1), HEIGHT - 10, across, "end"),
        _text(LEFT + 6, TOP - 4, up),
    ]
    parts += [_text(_x(tick), HEIGHT - BOTTOM + 16, f"{tick:g}", "middle") for tick in TICKS]
    parts += [_text(LEFT - 6, _y(tick) + 4, f"{tick:g}", "end") for tick in TICKS]
    for number, (name, points) in enumerate(lines.items()):
        parts += _line(number, name, points)
    return "\n".join([*parts, "</svg>\n"])


def _line(number: int, name: str, points: Points) -> list[str]:
    colour, row = COLOURS[number % len(COLOURS)], TOP + 12 + 20 * number
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    dots = [f'<circle cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
    key = f'<path d="M{WIDTH - RIGHT + 16} {row - 4}h20" stroke="{colour}" stroke-width="3"/>'
    label = _text(WIDTH - RIGHT + 42, row, name)
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots, key, label]


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#222">{text}</text>'


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP)
