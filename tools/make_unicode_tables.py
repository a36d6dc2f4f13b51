"""Makes src/whorl/formats/unicode.bin from the Unicode Character Database and the list of confusables.

    python -m tools.make_unicode_tables UCD_FOLDER CONFUSABLES_JSON CONFUSABLES_VERSION [OUTPUT]

UCD_FOLDER holds the standard's own text files (Debian: package unicode-data); CONFUSABLES_JSON is the file of that
name in the Python package confusable-homoglyphs. What a code point becomes is decided here, once; the kernel reads
the outcome. Why the form is what it is: docs/decisions/0002-text-canonical-form.md.
"""

import json
import re
import sys
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tests.kernel.specification.text import compose

from whorl.formats.tables import CODE_POINTS, KINDS, MAGIC
from whorl.kernel import constants

SOLO_SCRIPTS = {"Han", "Hiragana", "Thai", "Lao", "Khmer", "Myanmar"}
APOSTROPHES = {0x27, 0x2019}
UNKNOWN = 1 << 32  # the step of a run of one: no difference of two entries is as large
VOWELS = set(map(ord, "aeiou"))
Parts = tuple[int, ...]


class Database:
    """The properties that the tables need, read from the text files of the UCD."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = re.findall(r"-(\d+\.\d+\.\d+)", (folder / "Scripts.txt").read_text().split("\n")[0])[0]
        self.category: dict[int, str] = {}
        self.ccc: dict[int, int] = {}
        self.canonical: dict[int, Parts] = {}
        self.upper: dict[int, int] = {}
        self._read_characters()
        self.script = {code: fields[0] for code, fields in self._properties("Scripts.txt")}
        derived = list(self._properties("DerivedNormalizationProps.txt"))
        self.excluded = {code for code, fields in derived if fields[0] == "Full_Composition_Exclusion"}
        self.folded = {code: _codes(fields[1]) for code, fields in derived if fields[0] == "NFKC_CF"}

    def _read_characters(self) -> None:
        lines = [line.split(";") for line in (self.folder / "UnicodeData.txt").read_text().splitlines()]
        for line, following in pairwise([*lines, lines[-1]]):
            code = int(line[0], 16)
            end = int(following[0], 16) if line[1].endswith("First>") else code
            self.category.update(dict.fromkeys(range(code, end + 1), line[2]))
            if line[3] != "0":
                self.ccc[code] = int(line[3])
            if line[5] and not line[5].startswith("<"):
                self.canonical[code] = _codes(line[5])
            if line[12]:
                self.upper[code] = int(line[12], 16)

    def _properties(self, name: str) -> Iterator[tuple[int, list[str]]]:
        for line in (self.folder / name).read_text().splitlines():
            head, *fields = [field.strip() for field in line.split("#")[0].split(";")]
            if fields:
                first, _, last = head.partition("..")
                for code in range(int(first, 16), int(last or first, 16) + 1):
                    yield code, fields

    def decompose(self, code: int) -> Parts:
        """Return the full canonical decomposition (NFD) of one code point; Hangul is left to arithmetic."""
        if code not in self.canonical:
            return (code,)
        return tuple(part for inner in self.canonical[code] for part in self.decompose(inner))

    def expand(self, code: int) -> Parts:
        """NFD, then NFKC_Casefold but for the ypogegrammeni, then NFD again: packed parts with their classes."""
        parts = []
        for inner in self.decompose(code):
            kept = inner == constants.YPOGEGRAMMENI
            for folded in (inner,) if kept else self.folded.get(inner, (inner,)):
                parts += [part | self.ccc.get(part, 0) << 24 for part in self.decompose(folded)]
        if parts and parts[0] >> 24 and not self.ccc.get(self.decompose(code)[0], 0):
            parts[0] |= constants.OPENS
        return tuple(parts)

    def is_letter(self, code: int) -> bool:
        """Return whether its general category is L."""
        return self.category.get(code, "Cn")[0] == "L"

    def is_number(self, code: int) -> bool:
        """Return whether its general category is N."""
        return self.category.get(code, "Cn")[0] == "N"


def _codes(field: str) -> Parts:
    return tuple(int(part, 16) for part in field.split())


class Looks:
    """Which Latin letter a letter of another alphabet is taken for."""

    def __init__(self, database: Database, confusables: Path) -> None:
        self.database = database
        listed: dict[str, list[dict[str, str]]] = json.loads(confusables.read_text(encoding="utf-8"))
        # The list wraps right-to-left characters in U+200E.
        self.targets = {
            source.strip("\u200e"): [target["c"].strip("\u200e") for target in targets]
            for source, targets in listed.items()
        }

    def fold(self, code: int) -> int:
        """Return the look-alike of a case-folded letter: that of its own form, else that of its upper-case form."""
        if not self.database.is_letter(code) or self.database.script.get(code) in (
            None,
            "Latin",
            "Common",
            "Inherited",
        ):
            return code
        for form in (code, self.database.upper.get(code, code)):
            for target in self.targets.get(chr(form), []):
                if re.fullmatch("[A-Za-z]", target):
                    return ord(target.lower())
        return code


class Maker:
    """Decides every entry of the three kinds."""

    def __init__(self, database: Database, looks: Looks) -> None:
        self.database, self.looks = database, looks
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.parts = {code: parts for code in range(CODE_POINTS) if (parts := database.expand(code)) != (code,)}
        self._make_pairs()
        self._make_expansions()
        self.shapes = constants.Shapes(self._expansion(), *(self.arrays[name] for name in constants.Shapes._fields[1:]))
        self.canonical = {code: tuple(compose([code], self.shapes)) for code in self.parts}

    def _make_pairs(self) -> None:
        canonical = self.database.canonical
        pairs = {parts[0] << 32 | parts[1]: code for code, parts in canonical.items() if len(parts) == 2}
        pairs = {pair: code for pair, code in sorted(pairs.items()) if code not in self.database.excluded}
        self.arrays["pairs"] = np.array(list(pairs), np.uint64)
        self.arrays["composites"] = np.array(list(pairs.values()), np.uint32)
        medial_and_final = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
        self.trailing = {pair & 0xFFFFFFFF for pair in pairs} | medial_and_final

    def _make_expansions(self) -> None:
        numbers = {parts: number for number, parts in enumerate(sorted(set(self.parts.values())), 1)}
        pool = [part for parts in numbers for part in parts]
        self.arrays["expansion.codes"] = np.array(list(self.parts), np.uint32)
        self.arrays["expansion.numbers"] = np.array([numbers[parts] for parts in self.parts.values()], np.uint16)
        self.arrays["offsets"] = np.cumsum([0, 0, *map(len, numbers)], dtype=np.uint32)
        self.arrays["pool"] = np.array(pool, np.uint32)

    def _expansion(self) -> np.ndarray[Any, Any]:
        expansion = np.zeros(CODE_POINTS, np.uint16)
        expansion[self.arrays["expansion.codes"]] = self.arrays["expansion.numbers"]
        return expansion

    def joins(self, code: int) -> bool:
        """Return whether a code point may compose with what stands before it, or vanishes between two that compose."""
        parts = self.parts.get(code, (code,))
        return not parts or parts[0] >> 24 != 0 or parts[0] & constants.SYMBOL in self.trailing

    def value(self, kind: str, code: int) -> int:
        """Return what a canonical character counts as; 0 if it is dropped."""
        is_letter, is_number = self.database.is_letter(code), self.database.is_number(code)
        if kind == "words" and not (is_letter or is_number):
            if code in APOSTROPHES:
                return constants.APOSTROPHE
            return 0 if self.database.category.get(code, "Cn")[0] == "M" else constants.BREAK
        if not is_letter and (kind == "consonants" or not is_number):
            return 0
        look = self.looks.fold(code)
        if kind == "words":
            is_solo = is_letter and self.database.script.get(code) in SOLO_SCRIPTS
            return look | constants.SOLO * is_solo | constants.NUMBER * is_number
        if kind == "consonants" and self.looks.fold(self.database.decompose(code)[0]) in VOWELS:
            return 0
        return look

    def entry(self, kind: str, code: int) -> int:
        """Return the table's entry: the value if there is at most one, and the flags."""
        joins = self.joins(code)
        values = [value for part in self.canonical.get(code, (code,)) if (value := self.value(kind, part))]
        if set(values) == {constants.BREAK}:
            values = [constants.BREAK]
        entry = values[0] if len(values) == 1 else constants.EXPANDS if values else 0
        splits = kind == "words" and self._splits(values)
        assert not (joins and (splits or constants.BREAK in values or any(value & constants.SOLO for value in values)))
        binds = joins or (kind == "words" and not splits and (not values or _binds(values[0])))
        return entry | constants.JOINS * joins | constants.SPLITS * splits | constants.BINDS * binds

    def _splits(self, values: list[int]) -> bool:
        assert len(values) == 1 or constants.APOSTROPHE not in values
        return len(values) > 1 and _binds(values[0]) and not all(map(_binds, values))


def _binds(value: int) -> bool:
    """Return whether a word may run into this value: it is a letter, a number or an apostrophe."""
    return value != constants.BREAK and not value & constants.SOLO


def _runs(entries: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Start, first entry and step of each run."""
    starts, bases, steps = [0], [entries[0]], [UNKNOWN]
    for code in range(1, len(entries)):
        step = entries[code] - entries[code - 1]
        if steps[-1] == UNKNOWN and step in (0, 1):
            steps[-1] = step
        elif step != steps[-1]:
            starts.append(code)
            bases.append(entries[code])
            steps.append(UNKNOWN)
    return starts, bases, [step % UNKNOWN for step in steps]


def _write(maker: Maker, versions: dict[str, str], path: Path) -> None:
    for kind in KINDS:
        starts, bases, steps = _runs([maker.entry(kind, code) for code in range(CODE_POINTS)])
        maker.arrays[f"{kind}.starts"] = np.array(starts, np.uint32)
        maker.arrays[f"{kind}.bases"] = np.array(bases, np.uint32)
        maker.arrays[f"{kind}.steps"] = np.array(steps, np.uint8)
    # Wide types first, so that every array is aligned.
    arrays = sorted(maker.arrays.items(), key=lambda item: (-item[1].itemsize, item[0]))
    fields = [(name, array.dtype.newbyteorder("<").str, len(array)) for name, array in arrays]
    header = json.dumps({"versions": versions, "arrays": fields}).encode()
    body = b"".join(array.astype(field[1]).tobytes() for (_, array), field in zip(arrays, fields, strict=True))
    path.write_bytes(MAGIC + header + b"\n" + zlib.compress(body, 9))
    print(f"{path}: {path.stat().st_size} bytes, {len(body)} unpacked")


def main() -> None:
    """Reads the sources that the arguments name and writes the tables."""
    folder, confusables, confusables_version, *output = sys.argv[1:]
    database = Database(Path(folder))
    maker = Maker(database, Looks(database, Path(confusables)))
    assert all(maker.database.ccc.get(code, 0) <= 240 for code in maker.database.ccc)
    versions = {"unicode": database.version, "confusables": confusables_version}
    _write(maker, versions, Path(output[0] if output else "src/whorl/formats/unicode.bin"))


if __name__ == "__main__":
    main()
