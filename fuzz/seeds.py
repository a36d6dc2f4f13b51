"""The documents that the fuzzer begins with: the samples of the tests, and small documents that their writers make."""

import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import zstandard

from fuzz import vocabulary
from fuzz.mutation import PAIRS, Kit, gently, mutated
from whorl.formats.code.languages import LANGUAGES, detect

Make = Callable[[Random], bytes]

TESTS = Path(__file__).parents[1] / "tests" / "formats"
CODE = TESTS / "code" / "samples"
PAGES = TESTS / "documents" / "samples"

# Bytes of a sample that one execution takes: short ones are read hundreds of times a second.
LENGTHS = (40, 200, 500, 1500)

PROSE = (
    "The keeper climbed ninety steps and lit the lamp before dusk.\nDon't wait: l'été 1911 was naïve — ﬁne ½ …\n",
    "漢字かな交じり文。ไทยคำ ကမ္ဘာ ខ្មែរ 한국어 각\u1100\u1161\u11a8 עברית العربية русский ѕаme Ελληνικά 𝐛𝐨𝐥𝐝\n",
    "a\u0301\u0327 zero\u200bwidth soft\u00adhyphen \ufeff\u2060 ŉ ǆ ß İ ı ﷺ ㏂ 90's\n"
    "rock’n’roll \U0001f600\U0010ffff\n",
)


@dataclass(frozen=True)
class Flat:
    """Documents that are damaged as they stand."""

    samples: tuple[bytes, ...]
    kit: Kit
    whole: bool = False
    """Whether a document is of no use in parts."""

    def __call__(self, rng: Random) -> bytes:
        """One damaged document."""
        data = rng.choice(self.samples)
        if not self.whole and len(data) > LENGTHS[0]:
            start = rng.choice((0, rng.randrange(len(data))))
            data = data[start : start + rng.choice(LENGTHS)]
        return rng.choice((gently, mutated) if self.whole else (mutated,))(rng, data, self.kit)


@dataclass(frozen=True)
class Packed:
    """Documents in a zip file: mostly a part is damaged before it is packed, else the zip file is."""

    samples: tuple[Mapping[str, bytes], ...]
    kit: Kit

    def __call__(self, rng: Random) -> bytes:
        """One damaged document."""
        parts = dict(rng.choice(self.samples))
        way = rng.random()
        if way < 0.8:
            name = rng.choice(list(parts))
            parts[name] = rng.choice((gently, mutated))(rng, parts[name], self.kit)
        data = zipped(parts, zipfile.ZIP_STORED if rng.random() < 0.7 else zipfile.ZIP_DEFLATED)
        return data if way < 0.7 else mutated(rng, data, self.kit)


@dataclass(frozen=True)
class Archives:
    """Archives of all kinds: damaged before they are compressed, or after."""

    files: Mapping[str, bytes]
    kit: Kit

    def __call__(self, rng: Random) -> bytes:
        """One damaged archive."""
        chosen = {name: self.files[name] for name in rng.sample(list(self.files), rng.randint(1, len(self.files)))}
        if rng.random() < 0.5:
            method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
            return mutated(rng, zipped(chosen, method), self.kit)
        data = _tarred(chosen, rng.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT)))
        pack, before = rng.choice(PACKERS), rng.random() < 0.6
        return pack(_sealed(mutated(rng, data, self.kit))) if before else mutated(rng, pack(data), self.kit)


PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    bytes,
    lambda data: gzip.compress(data, 1, mtime=0),
    lambda data: lzma.compress(data, preset=0),
    lambda data: zstandard.compress(data, 1),
)


def code(language: str) -> Make:
    """Programs in a language."""
    samples = _programs()
    own = samples.get(language) or samples.get(LANGUAGES[language].family) or tuple(PROSE[0].encode() for _ in range(1))
    others = tuple(sample for found in samples.values() for sample in found)
    return Flat(own, Kit(_words(own), PAIRS, (*own, *others)))


def text() -> Make:
    """Plain prose in many scripts."""
    samples = tuple(prose.encode() for prose in PROSE)
    words = tuple(word.encode() for prose in PROSE for word in re.findall(r"\S+|.", prose))
    return Flat(samples, Kit(words, PAIRS, samples))


def document(name: str) -> Make:
    """Documents of a format."""
    samples = _packed(name)
    if samples:
        parts = tuple({part: bytes(content) for part, content in _parts(sample).items()} for sample in samples)
        return Packed(parts, _kit(name, tuple(content for sample in parts for content in sample.values())))
    flat = _flat(name)
    return Flat(flat, _kit(name, flat), whole=name in ("notebook", "pdf"))


def archives() -> Make:
    """Archives with honest and dishonest members."""
    inner = zipped({"deep/c.py": b"c = 3\n"}, zipfile.ZIP_DEFLATED)
    files = {
        "alice/a.py": b"a = 1\n" * 9, "bob/b.txt": PROSE[1].encode(), ".gitignore": b"*.log\n!keep.log\n/build/\n",
        "x.log": b"log\n", "inner.zip": inner, "inner.tar.gz": gzip.compress(_tarred({"t.c": b"int t;\n"}), mtime=0),
        "../evil": b"x", "/etc/x": b"x", "n" * 120 + "/" + "m" * 90: b"long\n", "node_modules/m.js": b"m()\n",
    }  # fmt: skip
    return Archives(files, _kit("archive", tuple(files.values())))


def zipped(parts: Mapping[str, bytes], method: int) -> bytes:
    """Return a zip file, the same in every run."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, method)
    return data.getvalue()


def _tarred(files: Mapping[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=form) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "../../etc/passwd"
        archive.addfile(link)
    return data.getvalue()[: 1 << 14]


def _sealed(data: bytes) -> bytes:
    """Return the first header with a checksum that holds, so that what was damaged in it is read."""
    header = bytearray(data[:512].ljust(512, b"\0"))
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data[512:]


@cache
def _programs() -> dict[str, tuple[bytes, ...]]:
    found: dict[str, tuple[bytes, ...]] = {}
    for path in sorted(CODE.iterdir()):
        if path.is_file() and (language := detect(path.name, path.read_bytes())):
            found[language] = (*found.get(language, ()), path.read_bytes())
    return found


def _words(samples: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the words and signs of samples, which serve as the format's dictionary."""
    return tuple(sorted({word for sample in samples for word in re.findall(rb"\w+|[^\w\s]+|\n[ \t]+", sample)}))


def _kit(name: str, samples: tuple[bytes, ...]) -> Kit:
    words = tuple(word.encode() for word in vocabulary.DOCUMENTS[name].split(" ") if word)
    pairs = tuple((opening.encode(), closing.encode()) for opening, closing in vocabulary.PAIRS.get(name, ()))
    # Twice, so that rare constructs do not drown in the words of the samples.
    return Kit((*words, *words, *_words(samples)), pairs or PAIRS, samples)


def _writers() -> Any:
    return import_module("tests.formats.documents.writers")


def _packed(name: str) -> tuple[bytes, ...]:
    """Samples of a format that is a zip file; none if it is not."""
    w = _writers()
    paragraph, page = w.w_paragraph("The keeper <climbed> ninety steps"), "<html><p>été</p><nav>x</nav></html>"
    made: dict[str, tuple[bytes, ...]] = {
        "docx": (w.docx(paragraph * 2), w.docx(paragraph, footnotes=paragraph, header1=paragraph, comments=paragraph)),
        "epub": (w.epub([page, "<p>two</p>"]), w.epub([page], hrefs=["c%30.xhtml"])),
        "odt": (w.odt("<text:h>One</text:h><text:p>two<text:s/><text:tab/>three</text:p>"),),
        "pptx": (w.pptx([["one", "two"], ["three"]]), w.pptx([["a"], ["b"]], order=[1, 0])),
    }
    return made.get(name, ())


def _parts(package: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(package)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _flat(name: str) -> tuple[bytes, ...]:
    w = _writers()
    lines = ["The keeper climbed", "ninety light-", "house steps"]
    made: dict[str, tuple[bytes, ...]] = {
        "pdf": (w.pdf([lines]), w.pdf([["one"], [], ["été 漢字"]]), w.pdf([["x"]], extra=b"99 0 obj(u)endobj\n")),
        "postscript": (w.postscript([lines]), b"%!\f The  keeper\n climbed\f\nninety light-\nhouse\nError: /x in y\n"),
        "rtf": (
            w.rtf([*lines, "été 漢字 😀"]),
            rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset128 A;}}\uc2\f0 \'e9\u233  \par x}",
        ),
        "html": ((PAGES / "page.html").read_bytes(),),
        "latex": ((PAGES / "paper.tex.txt").read_bytes(),),
        "markdown": ((PAGES / "notes.md.txt").read_bytes(),),
        "notebook": ((PAGES / "study.ipynb.txt").read_bytes(), (PAGES / "old.ipynb.txt").read_bytes()),
    }  # fmt: skip
    return made[name]
