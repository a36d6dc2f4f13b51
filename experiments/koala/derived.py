"""Documents that are related to another as section 2 lists it, and what converters make of a text (section 5)."""

import random
import re
from collections.abc import Callable, Sequence

LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ"}

# Characters of the shortest piece that is moved about as one: nobody reorganises a document line by line.
SHORTEST = 500


def paragraphs(text: str) -> list[str]:
    """Pieces that can be moved about: lines, as many together as make a paragraph or two."""
    parts = [""]
    for line in text.splitlines(keepends=True):
        if len(parts[-1]) >= SHORTEST:
            parts.append("")
        parts[-1] += line
    return parts


def edited(text: str, share: float, draw: random.Random) -> str:
    """Return some of the words replaced by others of the same text, left out or doubled."""
    words = re.split(r"(\s+)", text)
    others = [word for word in words if word.strip()]
    for at in range(0, len(words), 2):
        if words[at] and draw.random() < share:
            words[at] = draw.choice((draw.choice(others), "", f"{words[at]} {draw.choice(others)}"))
    return "".join(words)


def identical(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 1."""
    return text


def small_edits(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 2: one word in fifty is another."""
    return edited(text, 0.02, draw)


def reorganised(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 3: the paragraphs in another order."""
    parts = paragraphs(text)
    draw.shuffle(parts)
    return "".join(parts)


def revised(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 4: a third of the paragraphs is new, some are moved, and one word in fifty of the rest is another."""
    parts = paragraphs(edited(text, 0.02, draw))
    new = paragraphs(draw.choice(others))
    parts = [draw.choice(new) if draw.random() < 1 / 3 else part for part in parts]
    cut = draw.randrange(len(parts))
    return "".join(parts[cut:] + parts[:cut])


def condensed(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 5: less than half of the paragraphs is left, with small edits."""
    parts = paragraphs(edited(text, 0.02, draw))
    kept = sorted(draw.sample(range(len(parts)), max(1, int(0.4 * len(parts)))))
    return "".join(parts[at] for at in kept)


def expanded(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 5: as much new text again, put between the old paragraphs, with small edits."""
    parts = paragraphs(edited(text, 0.02, draw))
    new: list[str] = []
    while sum(map(len, new)) < len(text):
        new += paragraphs(draw.choice(others))
    while sum(map(len, new[:-1])) >= len(text):
        new.pop()
    for part in new:
        parts.insert(draw.randrange(len(parts) + 1), part)
    return "".join(parts)


def included(text: str, others: Sequence[str], draw: random.Random) -> str:
    """Class 6: several hundred words in a document of another."""
    words = text.split(" ")
    start = draw.randrange(len(words) // 4, max(len(words) // 4 + 1, len(words) - 400))
    parts = paragraphs(draw.choice(others))
    parts.insert(len(parts) // 2, " ".join(words[start : start + 400]))
    return "".join(parts)


CLASSES: dict[str, Callable[[str, Sequence[str], random.Random], str]] = {
    "1 identical": identical,
    "2 small edits": small_edits,
    "3 reorganised": reorganised,
    "4 revised": revised,
    "5 condensed": condensed,
    "5 expanded": expanded,
    "6 included": included,
}


def ligatures(text: str, draw: random.Random) -> str:
    """Return what a typesetter makes of f and its neighbours, and a converter leaves as it is."""
    return re.sub("ffi|ffl|ff|fi|fl", lambda found: LIGATURES[found[0]], text)


def hyphenated(text: str, draw: random.Random) -> str:
    """Words divided at the ends of lines."""
    return re.sub(r"\b(\w{3,})(\w{3,})\b", lambda f: f"{f[1]}-\n{f[2]}" if draw.random() < 0.15 else f[0], text)


def unpunctuated(text: str, draw: random.Random) -> str:
    """Without punctuation, quotes and digits, in capitals here and there."""
    return "".join(one.upper() if draw.random() < 0.1 else one for one in re.sub(r"[^\w\s]|\d", "", text))


def broken(text: str, draw: random.Random) -> str:
    """Words broken in two or run together, as the spacing of PostScript and of scanned pages makes them."""
    glued = re.sub(r" ", lambda _: "" if draw.random() < 0.1 else " ", text)
    return "".join(f"{one} " if draw.random() < 0.08 else one for one in glued)


def misread(text: str, draw: random.Random) -> str:
    """Vowels mistaken for each other, and one consonant in a hundred for another."""
    out = []
    for one in text:
        if one in "aeiou" and draw.random() < 0.05:
            out.append(draw.choice("aeiou"))
        elif one.isalpha() and one not in "aeiou" and draw.random() < 0.01:
            out.append(draw.choice("bcdfghklmnprst"))
        else:
            out.append(one)
    return "".join(out)


NOISE: dict[str, Callable[[str, random.Random], str]] = {
    "ligatures": ligatures,
    "hyphenation": hyphenated,
    "lost punctuation": unpunctuated,
    "broken words": broken,
    "misread letters": misread,
}
