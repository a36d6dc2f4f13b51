"""Disguises that nobody sees, look-alike letters, characters without width, compatibility forms, change nothing."""

import random
import unicodedata

import pytest
from experiments.attacks.program import LANGUAGES, programs
from experiments.attacks.prose import homoglyphs, zero_width
from experiments.attacks.prose.text import prose

import whorl
from whorl.model import Document

# What must be left of a match.
KEPT = 0.99

WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
BOLD = {
    **{ord("a") + at: 0x1D41A + at for at in range(26)},
    **{ord("A") + at: 0x1D400 + at for at in range(26)},
}

DISGUISES = {
    "look-alikes": lambda text: homoglyphs.disguised(text, random.Random(4), share=0.5),
    "without width": lambda text: zero_width.disguised(text, random.Random(4)),
    "wide": lambda text: text.translate(WIDE),
    "bold": lambda text: text.translate(BOLD),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "composed": lambda text: unicodedata.normalize("NFKC", text),
}

TEXT = prose(0, 0).text.replace("ba", "bâ").replace("fi", "ﬁ").replace(" ti", " ½ ti")


@pytest.mark.parametrize("name", DISGUISES)
def test_a_text_under_a_disguise_is_the_same_text(name):
    disguised = DISGUISES[name](TEXT)
    found = whorl.compare(TEXT, disguised, "text")
    assert disguised != TEXT
    assert found.score >= KEPT
    assert min(found.left_coverage, found.right_coverage) >= KEPT


def document(program, text):
    return Document(program.files[0][0], text, format=program.language)


def named(program, disguise):
    """A program whose own names are disguised, as far as a compiler would take it."""
    names = ("balances", "bookings", "merged", "places", "steps", "rows", "start", "entries", "amount")
    text = program.text
    for name in names:
        text = text.replace(name, disguise(name))
    return text


# Java and JavaScript allow characters without width in names.
@pytest.mark.parametrize("name", ["look-alikes", "wide", "bold", "without width"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_whose_names_are_disguised_is_the_same_program(language, name):
    for program in (each for each in programs(language) if each.author == "first"):
        disguised = named(program, DISGUISES[name])
        assert disguised != program.text
        found = whorl.compare(document(program, program.text), document(program, disguised), "code")
        assert found.score >= KEPT
        assert min(found.left_coverage, found.right_coverage) >= KEPT


@pytest.mark.parametrize("language", LANGUAGES)
def test_comments_and_strings_may_be_disguised_too(language):
    program = next(each for each in programs(language) if each.name == "ledger-first")
    disguised = program.text.replace("OVERDRAWN", "O\u200bVЕRDRAWN").replace("Below zero", "Веlоw zеrо")
    assert whorl.compare(document(program, program.text), document(program, disguised), "code").score == 1
