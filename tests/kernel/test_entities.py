"""The entities of a text, compiled, equal the specification's on every input, and take one pass."""

from html import unescape
from html.entities import html5

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import entities as specification
from whorl.kernel import native_entities

# fmt: off
ENTITIES = [
    "&", "&#", "&#x", ";", "&lt;", "&lt", "&amp;", "&amp", "&not", "&notin;", "&notit;", "&nGt;", "&nLt;", "&#10;",
    "&#x0A;", "&#0;", "&#128;", "&#159;", "&#xD800;", "&#x110000;", "&#11;", "&#127;", "&#xfdd0;", "&#x1ffff;",
    "&#x10FFFF;", "&eacute", "&CounterClockwiseContourIntegral;", "&bogus;", "&#99999999;", "&#00000000065;",
    "&#x0041", "a", "x", "1", "É", "\U0001f600", "\ud800",
]
# fmt: on
BLANKS = [*" \t\n\f\r\v\x1c\x1f\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000", "\n\n", "\n \n", " \n"]

soup = st.lists(st.one_of(st.sampled_from([*ENTITIES, *BLANKS]), st.text(max_size=3)), max_size=40).map("".join)


def buffer(text):
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


@given(soup)
@examples(2000)
@example("&")
@example("&#")
@example("&#x")
@example("&#xg;")
@example("a\n")
@example("\n \u2003\n\t\nb\n ")
def test_entities_and_blank_lines(text):
    assert native_entities.resolve(buffer(text)).tobytes() == specification.resolve(buffer(text)).tobytes()


def test_every_named_entity():
    for name in html5:
        for text in (f"&{name}", f"&{name};", f"&{name[:-1]}", f"&{name}x", f"x&{name}&{name}"):
            assert native_entities.resolve(buffer(text)).tobytes() == unescape(text).encode().replace(
                b"\n\n\n", b"\n\n"
            )


def test_numeric_entities():
    numbers = [*range(0x200), *range(0xD7F0, 0xE010), *range(0xFDC0, 0xFDF8), *range(0xFFF0, 0x10010)]
    numbers += [plane * 0x10000 + last for plane in range(1, 18) for last in (0, 0xFFFD, 0xFFFE, 0xFFFF)]
    for number in numbers:
        for text in (f"&#{number};", f"&#{number}", f"&#x{number:x};", f"&#X{number:X}", f"&#000{number};"):
            assert native_entities.resolve(buffer(text)).tobytes() == unescape(text).encode()


@pytest.mark.parametrize(
    ("unit", "resolved"),
    [
        ("&", "&"),
        ("&#", "&#"),
        ("&#x", "&#x"),
        ("&nGt;", "≫⃒"),
        ("&CounterClockwise", "&CounterClockwise"),
        ("&#1;", ""),
    ],
)
def test_hostile_entities_take_one_pass(unit, resolved):
    count = 1 << 20
    assert native_entities.resolve(buffer(unit * count)).tobytes() == resolved.encode() * count


@pytest.mark.parametrize("unit", [" ", "\n", "\n ", "\u3000", "\u3000\n", "a\n", "\n\n\x00"])
def test_hostile_blanks_take_one_pass(unit):
    text = "\n" + unit * (1 << 18)
    assert native_entities.resolve(buffer(text)).tobytes() == specification.resolve(buffer(text)).tobytes()
