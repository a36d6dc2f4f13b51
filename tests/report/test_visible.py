"""Hidden characters, made visible."""

import pytest
from markupsafe import Markup

from whorl.report.markup import code, plain, printable

NAMES = {
    "\x00": "NUL", "\x0c": "FF", "\x1b": "ESC", "\x1f": "US", "\x7f": "DEL", "\x85": "U+0085", "\u202e": "RLO",
    "\u2028": "U+2028", "\ud800": "U+D800", "\U000e0041": "U+E0041", "\ufeff": "BOM",
}  # fmt: skip


@pytest.mark.parametrize(("character", "shown"), NAMES.items(), ids=NAMES.values())
def test_each_has_a_name(character, shown):
    assert plain(f"a{character}b") == f"a⟨{shown}⟩b"
    assert f'data-u="{ord(character):X}"' in code(character)
    assert f">{shown}</i>" in code(character)


@pytest.mark.parametrize("text", ["", "plain", "naïve", "日本語", "😀", "می\u200cخواهم", "👩\u200d💻", "a\tb"])
def test_what_people_write_stays(text):
    assert plain(text) == text
    assert code(text) == text


def test_a_name_stays_on_one_line():
    assert plain("a\nb\r\nc") == "a⟨LF⟩b⟨CR⟩⟨LF⟩c"


def test_source_is_escaped():
    assert code("<b title=\"a\" id='b'>&amp;") == "&lt;b title=&#34;a&#34; id=&#39;b&#39;&gt;&amp;amp;"


def test_templates_print_markup_and_numbers_as_they_are():
    assert printable(Markup("<b>\n</b>")) == "<b>\n</b>"
    assert printable(7) == 7
    assert printable("a\x00") == "a⟨NUL⟩"
