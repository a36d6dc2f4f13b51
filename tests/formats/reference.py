"""The canonical form by its definition, from the running Python's own Unicode data: independent of our tables.

Pythons differ in their Unicode version. Up to that of our tables, every character that Python knows is compared; with
a newer one, only those of Unicode 3.2, which every Python carries along.
"""

import unicodedata
from functools import cache

from whorl.formats import tables

# Default_Ignorable_Code_Point, which Python does not carry.
IGNORABLE_RANGES = """
AD-AD 34F-34F 61C-61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164-3164 FE00-FE0F FEFF-FEFF
FFA0-FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF
"""
IGNORABLE = {
    code
    for first, last in (item.split("-") for item in IGNORABLE_RANGES.split())
    for code in range(int(first, 16), int(last, 16) + 1)
}


@cache
def known():
    """The characters that Python's tables and ours must agree on."""
    version = [int(part) for part in unicodedata.unidata_version.split(".")]
    ours = [int(part) for part in tables.versions()["unicode"].split(".")]
    data = unicodedata if version <= ours else unicodedata.ucd_3_2_0
    return [chr(code) for code in range(0x110000) if data.category(chr(code)) not in ("Cn", "Cs")]


@cache
def fold(character):
    """NFKC_Casefold of one character: case-folded and normalised until nothing changes, ignorables left out."""
    before, after = None, character
    while after != before:
        before = after
        after = unicodedata.normalize("NFKC", "".join(c for c in after if ord(c) not in IGNORABLE).casefold())
    return after


def canonical(text):
    """Letters and digits of the text in NFKC_Casefold form."""
    folded = "".join(map(fold, unicodedata.normalize("NFD", text)))
    return [c for c in unicodedata.normalize("NFC", folded) if unicodedata.category(c)[0] in "LN"]
