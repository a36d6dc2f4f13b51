"""The provenance of files: the releases that explain each, with their licences, as SPDX 2.3 or CycloneDX 1.5.

A release is what documents of the index with the same ``purl=…`` label belong to; a document without one is a release
of its own. Licences come from labels ``licence=…``. Whorl concludes nothing about the licence of a file: it says which
release a stretch is found in, and what licence that release declares.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha1, sha256
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, TypeAlias, TypeVar
from urllib.parse import unquote
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from whorl._version import VERSION
from whorl.formats.encoding import decode, detect
from whorl.index.check import CONTEXT, RESIDUE, ManuscriptCheck, ManuscriptSource, SourcePassage
from whorl.index.cover import repetitions, words_of
from whorl.index.store import Entry
from whorl.matching.passage import Lines, subtract, union
from whorl.model import Span, title_of

# Nothing is said about it, in SPDX.
NO_ASSERTION = "NOASSERTION"

# What is said about a stretch that is too short to count.
COMMON = "Common code: the release has these tokens too, as unrelated programs may."

_SIGN = re.compile(r"[^\w\s]")
_PURL = re.compile(r"pkg:[A-Za-z][\w.+-]*/(?:[^@?#]*/)?(?P<name>[^/@?#]+)(?:@(?P<version>[^?#]+))?\S*")


# A passage of a source that counts, and its spans outside of exclusions.
_Counted: TypeAlias = tuple[ManuscriptSource, SourcePassage, list[Span]]
_Feature = TypeVar("_Feature", str, int)


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was checked, and its bytes."""

    name: str
    content: bytes
    check: ManuscriptCheck


@dataclass(frozen=True, slots=True)
class Release:
    """A release of a package: its name, and what labels say about it; "" if they say nothing."""

    name: str
    version: str = ""
    purl: str = ""
    licence: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """A release that explains a share of a file's letters: those of ``spans``. ``document`` has the longest passage.
    ``is_common`` says that these passages are too short to count: unrelated programs share such code."""

    release: Release
    document: Entry
    share: float
    spans: tuple[Span, ...]
    is_common: bool = False


def release_of(entry: Entry) -> Release:
    """Return the release that a document belongs to."""
    purl = next(filter(_PURL.fullmatch, _values(entry, "purl")), "")
    parts = _PURL.fullmatch(purl)
    name = unquote(parts["name"]) if parts else title_of(entry.name, entry.labels, entry.url)
    version = next(iter(_values(entry, "version")), unquote(parts["version"] or "") if parts else "")
    licences = dict.fromkeys((*_values(entry, "licence"), *_values(entry, "license")))
    return Release(name, version, purl, _expression(list(licences)), "" if purl else entry.url or "")


def _values(entry: Entry, key: str) -> list[str]:
    return [value.strip() for label in entry.labels if label.startswith(f"{key}=") and (value := label[len(key) + 1 :])]


def _expression(licences: Sequence[str]) -> str:
    """Return several licences as one: all of them apply."""
    if len(licences) < 2:
        return "".join(licences)
    return " AND ".join(f"({each})" if " " in each else each for each in licences)


def origins(check: ManuscriptCheck) -> list[Origin]:
    """Return the releases that explain a file after exclusions, the one that explains most first. Those of common code
    come last; a release may be listed for both.

    A letter belongs to the longest passage that has it: in programs, short passages are often common idioms, and many
    of them together say less than one long passage. Words that both sides have count like tokens: names are no tokens,
    but a copy often keeps them. So do repetitions: a copy with other names repeats them at the same places.
    """
    by_release = dict[tuple[Release, bool], Origin]()
    for source, passage, spans in _shared_out(check):
        release, is_common = release_of(source.document), passage.is_common(check.exclusions)
        before = by_release.get((release, is_common), Origin(release, source.document, 0.0, (), is_common))
        share = before.share + check.measure.letters(spans) / max(1, check.measure.total)
        by_release[release, is_common] = replace(before, share=share, spans=tuple(union((*before.spans, *spans))))
    return sorted(by_release.values(), key=lambda origin: (origin.is_common, -origin.share))


def _shared_out(check: ManuscriptCheck) -> Iterator[_Counted]:
    """Yield passages, the likeliest first, each with the spans that no likelier one took. Most are inside of likelier
    ones, so a passage is compared with its source only if something is left of it."""
    measure, likeness, taken = check.measure, _Likeness(check), list[Span]()
    passages = list(check.counted_passages(with_common=True))
    queue = [(likeness.rank(each[1], _BOUND), _BOUND, at) for at, each in enumerate(passages)]
    heapify(queue)
    while queue:
        _, exactness, at = heappop(queue)
        source, passage, spans = passages[at]
        rest = subtract(spans, taken)
        letters = measure.letters(rest)
        if not letters or (letters < RESIDUE and letters < measure.letters(spans)):
            continue
        if exactness < _EXACT:
            heappush(queue, (likeness.rank(passage, exactness + 1), exactness + 1, at))
            continue
        taken = union((*taken, *rest))
        yield source, passage, rest


# How exact a rank is: a bound, the part that decides nearly always, the whole.
_BOUND, _NEARLY, _EXACT = range(3)


class _Likeness:
    """Ranks the passages of a file: the likeliest from its origin has the least rank.

    Among equals, imports and comments around them decide, and signs such as quotes."""

    def __init__(self, check: ManuscriptCheck) -> None:
        self._check = check
        self._ours = cache(self._counted)
        self._ours_around = cache(self._counted_around)

    def rank(self, shared: SourcePassage, exactness: int) -> tuple[int, ...]:
        """Return the rank of a passage; if ``exactness`` is less than ``_EXACT``, one that is not greater."""
        is_common, symbols = shared.is_common(self._check.exclusions), shared.passage.symbols
        words, repeated = self._ours(shared.passage.left.start, shared.passage.left.end)
        if exactness == _BOUND:
            return is_common, -symbols - words.total() - repeated.total()
        inside = words_of(shared.text or "")
        alike = _in_both(words, inside.tolist()) + _in_both(repeated, _repeated(inside))
        if exactness == _NEARLY:
            return is_common, -symbols - alike
        around = f"{shared.before}{shared.text or ''}{shared.after}"
        names, rows, signs = self._ours_around(shared.passage.left.start, shared.passage.left.end)
        rest = _in_both(rows, repetitions(inside).tolist()) + _in_both(names, words_of(around).tolist())
        rest += _in_both(signs, _SIGN.findall(around))
        return is_common, -symbols - alike, -rest, len(shared.passage.matches)

    def _counted(self, start: int, end: int) -> tuple[Counter[int], Counter[int]]:
        words = words_of(self._check.text[start:end])
        return Counter(words.tolist()), Counter(_repeated(words))

    def _counted_around(self, start: int, end: int) -> tuple[Counter[int], Counter[int], Counter[str]]:
        text = self._check.text
        around = text[max(0, start - CONTEXT) : end + CONTEXT]
        rows = repetitions(words_of(text[start:end])).tolist()
        return Counter(words_of(around).tolist()), Counter(rows), Counter(_SIGN.findall(around))


def _repeated(words: NDArray[np.uint64]) -> list[int]:
    """Return the repetitions of words, where there are any."""
    rows = repetitions(words)
    repeated: list[int] = rows[rows > 0].tolist()
    return repeated


def _in_both(ours: Counter[_Feature], theirs: Iterable[_Feature]) -> int:
    counts = Counter(theirs)
    return sum(min(count, ours[each]) for each, count in counts.items() if each in ours)


def line_ranges(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the lines of spans, counted from 1, as ranges of the first and the last."""
    lines = Lines(text)
    ranges = union(Span(lines.line(start), lines.line(end - 1) + 1) for start, end in spans)
    return [Span(start, end - 1) for start, end in ranges]


def lines_text(ranges: Iterable[Span]) -> str:
    """Return ranges of lines as text, such as ``3-17, 20``."""
    return ", ".join(f"{start}" if start == end else f"{start}-{end}" for start, end in ranges)


def spdx(files: Sequence[CheckedFile], name: str) -> dict[str, Any]:
    """Return an SPDX 2.3 document: the files, a snippet for each stretch that a release explains, the releases."""
    document = _SpdxDocument()
    for file in files:
        document.add(file)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": uuid4().urn,
        "creationInfo": {
            "created": _now(), "creators": [f"Tool: whorl-{VERSION}"], "licenseListVersion": LICENCE_LIST,
            "comment": "Whorl concludes no licences: a snippet is found in a release, which declares its licence.",
        },
        "files": document.files, "packages": document.packages, "snippets": document.snippets,
        "relationships": document.relationships, "hasExtractedLicensingInfos": document.licences.extracted,
    }  # fmt: skip


class _SpdxDocument:
    """The elements of an SPDX document."""

    def __init__(self) -> None:
        self.files: list[dict[str, Any]] = []
        self.packages: list[dict[str, Any]] = []
        self.snippets: list[dict[str, Any]] = []
        self.relationships: list[dict[str, str]] = []
        self.licences = _SpdxLicences()
        self._ids = dict[Release, str]()

    def add(self, file: CheckedFile) -> None:
        """Add a file with its snippets and their releases."""
        number = f"SPDXRef-File-{len(self.files) + 1}"
        checksums = {"SHA1": sha1(file.content, usedforsecurity=False), "SHA256": sha256(file.content)}
        self.files.append({
            "SPDXID": number, "fileName": f"./{file.name.removeprefix('./').lstrip('/')}", "fileTypes": ["SOURCE"],
            "checksums": [{"algorithm": name, "checksumValue": made.hexdigest()} for name, made in checksums.items()],
            "licenseConcluded": NO_ASSERTION, "licenseInfoInFiles": [NO_ASSERTION], "copyrightText": NO_ASSERTION,
        })  # fmt: skip
        self._relate("SPDXRef-DOCUMENT", "DESCRIBES", number)
        for origin in origins(file.check):
            for span in origin.spans:
                self._add_snippet(file, number, origin, span)

    def _add_snippet(self, file: CheckedFile, number: str, origin: Origin, span: Span) -> None:
        release = origin.release
        snippet = f"SPDXRef-Snippet-{len(self.snippets) + 1}"
        self.snippets.append({
            "SPDXID": snippet, "snippetFromFile": number, "name": f"{file.name}: found in {full_name(release)}",
            "ranges": _ranges(file, number, span), "licenseConcluded": NO_ASSERTION,
            "licenseInfoInSnippets": [NO_ASSERTION], "copyrightText": NO_ASSERTION,
        })  # fmt: skip
        if origin.is_common:
            self._relate(snippet, "OTHER", self._package(release), COMMON)
        else:
            self._relate(snippet, "DESCENDANT_OF", self._package(release))

    def _package(self, release: Release) -> str:
        """Return the id of a release; add it if it is new."""
        if release not in self._ids:
            self._ids[release] = f"SPDXRef-Package-{len(self._ids) + 1}"
            purl = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": release.purl}
            self.packages.append({
                "SPDXID": self._ids[release], "name": release.name, "downloadLocation": NO_ASSERTION,
                "filesAnalyzed": False, "licenseConcluded": NO_ASSERTION, "copyrightText": NO_ASSERTION,
                "licenseDeclared": self.licences.valid(release.licence),
                **({"versionInfo": release.version} if release.version else {}),
                **({"externalRefs": [purl]} if release.purl else {}),
                **({"sourceInfo": release.url} if release.url else {}),
            })  # fmt: skip
        return self._ids[release]

    def _relate(self, one: str, kind: str, other: str, comment: str = "") -> None:
        about = {"comment": comment} if comment else {}
        relationship = {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other, **about}
        self.relationships.append(relationship)


class _SpdxLicences:
    """Licences in SPDX's language. What is not in the licence list gets an id of its own, and its text as given."""

    def __init__(self) -> None:
        self.extracted: list[dict[str, str]] = []
        self._ids = dict[str, str]()

    def valid(self, licence: str) -> str:
        """Return an expression that SPDX allows."""
        if not licence:
            return NO_ASSERTION
        if expression := licence_expression(licence):
            return expression
        if licence not in self._ids:
            self._ids[licence] = f"LicenseRef-{len(self._ids) + 1}"
            text = {"extractedText": licence, "name": licence, "comment": "The text is that of the index's label."}
            self.extracted.append({"licenseId": self._ids[licence], **text})
        return self._ids[licence]


def _ranges(file: CheckedFile, number: str, span: Span) -> list[dict[str, Any]]:
    """Return a span as bytes and as lines of its file, both counted from 1. If the text that was checked is not that of
    the file, as in a notebook, the span is the whole file."""
    encoding, text = detect([file.content]), file.check.text
    if decode(file.content).text.replace("\r", "\n") != text.replace("\r", "\n"):
        return [_range(number, "offset", Span(1, max(1, len(file.content))))]
    before, inside = (len(part.encode(encoding.name, "replace")) for part in (text[: span.start], text[slice(*span)]))
    lines = [_range(number, "lineNumber", each) for each in line_ranges(text, [span])]
    return [_range(number, "offset", Span(encoding.mark + before + 1, encoding.mark + before + inside)), *lines]


def _range(number: str, unit: str, span: Span) -> dict[str, Any]:
    start, end = ({"reference": number, unit: place} for place in span)
    return {"startPointer": start, "endPointer": end}


def cyclonedx(files: Sequence[CheckedFile], name: str) -> dict[str, Any]:
    """Return a CycloneDX 1.5 document: the files, each with the releases that explain it as ancestors."""
    numbers = count(1)
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": uuid4().urn, "version": 1,
        "metadata": {
            "timestamp": _now(),
            "tools": {"components": [{"type": "application", "name": "whorl", "version": VERSION}]},
            "component": {"type": "application", "name": name, "bom-ref": "checked"},
        },
        "components": [_component(file, f"file-{next(numbers)}") for file in files],
    }  # fmt: skip


def _component(file: CheckedFile, reference: str) -> dict[str, Any]:
    ancestors = [_ancestor(file, origin) for origin in origins(file.check)]
    return {
        "type": "file", "bom-ref": reference, "name": file.name,
        "hashes": [{"alg": "SHA-256", "content": sha256(file.content).hexdigest()}],
        **({"pedigree": {"ancestors": ancestors}} if ancestors else {}),
    }  # fmt: skip


def _ancestor(file: CheckedFile, origin: Origin) -> dict[str, Any]:
    release, lines = origin.release, lines_text(line_ranges(file.check.text, origin.spans))
    expression = licence_expression(release.licence)
    licence = {"expression": expression} if expression else {"license": {"name": release.licence}}
    return {
        "type": "library", "name": release.name,
        **({"version": release.version} if release.version else {}),
        **({"purl": release.purl} if release.purl else {}),
        **({"licenses": [licence]} if release.licence else {}),
        "properties": [
            {"name": "whorl:lines", "value": lines},
            {"name": "whorl:share", "value": f"{origin.share:.4f}"},
            *([{"name": "whorl:url", "value": release.url}] if release.url else []),
            *([{"name": "whorl:common", "value": COMMON}] if origin.is_common else []),
        ],
    }  # fmt: skip


def full_name(release: Release) -> str:
    """Return what to call a release: its package URL, or its name and version."""
    return release.purl or f"{release.name} {release.version}".strip()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def licence_expression(licence: str) -> str:
    """Return a licence as an SPDX expression in its canonical spelling, such as ``MIT OR Apache-2.0``; "" if it is
    none."""
    written: list[str] = []
    depth, expected, can_have_exception = 0, "licence", False
    for token in re.findall(r"[()]|[^\s()]+", licence):
        operator = token.upper()
        if expected == "licence" and token == "(":
            depth, canonical = depth + 1, token
        elif expected == "licence" and (canonical := _known_licence(token)):
            expected, can_have_exception = "operator", True
        elif expected == "exception" and (canonical := EXCEPTIONS.get(token.lower(), "")):
            expected, can_have_exception = "operator", False
        elif expected == "operator" and token == ")" and depth:
            depth, can_have_exception, canonical = depth - 1, False, token
        elif expected == "operator" and (operator in ("AND", "OR") or (operator == "WITH" and can_have_exception)):
            expected, canonical = "exception" if operator == "WITH" else "licence", operator
        else:
            return ""
        written.append(canonical)
    is_whole = expected == "operator" and depth == 0
    return " ".join(written).replace("( ", "(").replace(" )", ")") if is_whole else ""


def _known_licence(token: str) -> str:
    name = token.lower()
    if name in LICENCES:
        return LICENCES[name]
    # A plus means any later version.
    return f"{LICENCES[name[:-1]]}+" if name.endswith("+") and name[:-1] in LICENCES else ""


# The ids of the SPDX licence list and of its exceptions, by their ids in lower case.
LICENCE_LIST = "3.27"
_LICENCES = """
0BSD 3D-Slicer-1.0 AAL Abstyles AdaCore-doc Adobe-2006 Adobe-Display-PostScript Adobe-Glyph Adobe-Utopia ADSL AFL-1.1
AFL-1.2 AFL-2.0 AFL-2.1 AFL-3.0 Afmparse AGPL-1.0 AGPL-1.0-only AGPL-1.0-or-later AGPL-3.0 AGPL-3.0-only
AGPL-3.0-or-later Aladdin AMD-newlib AMDPLPA AML AML-glslang AMPAS ANTLR-PD ANTLR-PD-fallback any-OSI
any-OSI-perl-modules Apache-1.0 Apache-1.1 Apache-2.0 APAFML APL-1.0 App-s2p APSL-1.0 APSL-1.1 APSL-1.2 APSL-2.0
Arphic-1999 Artistic-1.0 Artistic-1.0-cl8 Artistic-1.0-Perl Artistic-2.0 Artistic-dist Aspell-RU
ASWF-Digital-Assets-1.0 ASWF-Digital-Assets-1.1 Baekmuk Bahyph Barr bcrypt-Solar-Designer Beerware Bitstream-Charter
Bitstream-Vera BitTorrent-1.0 BitTorrent-1.1 blessing BlueOak-1.0.0 Boehm-GC Boehm-GC-without-fee Borceux
Brian-Gladman-2-Clause Brian-Gladman-3-Clause BSD-1-Clause BSD-2-Clause BSD-2-Clause-Darwin BSD-2-Clause-first-lines
BSD-2-Clause-FreeBSD BSD-2-Clause-NetBSD BSD-2-Clause-Patent BSD-2-Clause-pkgconf-disclaimer BSD-2-Clause-Views
BSD-3-Clause BSD-3-Clause-acpica BSD-3-Clause-Attribution BSD-3-Clause-Clear BSD-3-Clause-flex BSD-3-Clause-HP
BSD-3-Clause-LBNL BSD-3-Clause-Modification BSD-3-Clause-No-Military-License BSD-3-Clause-No-Nuclear-License
BSD-3-Clause-No-Nuclear-License-2014 BSD-3-Clause-No-Nuclear-Warranty BSD-3-Clause-Open-MPI BSD-3-Clause-Sun
BSD-4-Clause BSD-4-Clause-Shortened BSD-4-Clause-UC BSD-4.3RENO BSD-4.3TAHOE BSD-Advertising-Acknowledgement
BSD-Attribution-HPND-disclaimer BSD-Inferno-Nettverk BSD-Protection BSD-Source-beginning-file BSD-Source-Code
BSD-Systemics BSD-Systemics-W3Works BSL-1.0 BUSL-1.1 bzip2-1.0.5 bzip2-1.0.6 C-UDA-1.0 CAL-1.0
CAL-1.0-Combined-Work-Exception Caldera Caldera-no-preamble Catharon CATOSL-1.1 CC-BY-1.0 CC-BY-2.0 CC-BY-2.5
CC-BY-2.5-AU CC-BY-3.0 CC-BY-3.0-AT CC-BY-3.0-AU CC-BY-3.0-DE CC-BY-3.0-IGO CC-BY-3.0-NL CC-BY-3.0-US CC-BY-4.0
CC-BY-NC-1.0 CC-BY-NC-2.0 CC-BY-NC-2.5 CC-BY-NC-3.0 CC-BY-NC-3.0-DE CC-BY-NC-4.0 CC-BY-NC-ND-1.0 CC-BY-NC-ND-2.0
CC-BY-NC-ND-2.5 CC-BY-NC-ND-3.0 CC-BY-NC-ND-3.0-DE CC-BY-NC-ND-3.0-IGO CC-BY-NC-ND-4.0 CC-BY-NC-SA-1.0 CC-BY-NC-SA-2.0
CC-BY-NC-SA-2.0-DE CC-BY-NC-SA-2.0-FR CC-BY-NC-SA-2.0-UK CC-BY-NC-SA-2.5 CC-BY-NC-SA-3.0 CC-BY-NC-SA-3.0-DE
CC-BY-NC-SA-3.0-IGO CC-BY-NC-SA-4.0 CC-BY-ND-1.0 CC-BY-ND-2.0 CC-BY-ND-2.5 CC-BY-ND-3.0 CC-BY-ND-3.0-DE CC-BY-ND-4.0
CC-BY-SA-1.0 CC-BY-SA-2.0 CC-BY-SA-2.0-UK CC-BY-SA-2.1-JP CC-BY-SA-2.5 CC-BY-SA-3.0 CC-BY-SA-3.0-AT CC-BY-SA-3.0-DE
CC-BY-SA-3.0-IGO CC-BY-SA-4.0 CC-PDDC CC-PDM-1.0 CC-SA-1.0 CC0-1.0 CDDL-1.0 CDDL-1.1 CDL-1.0 CDLA-Permissive-1.0
CDLA-Permissive-2.0 CDLA-Sharing-1.0 CECILL-1.0 CECILL-1.1 CECILL-2.0 CECILL-2.1 CECILL-B CECILL-C CERN-OHL-1.1
CERN-OHL-1.2 CERN-OHL-P-2.0 CERN-OHL-S-2.0 CERN-OHL-W-2.0 CFITSIO check-cvs checkmk ClArtistic Clips CMU-Mach
CMU-Mach-nodoc CNRI-Jython CNRI-Python CNRI-Python-GPL-Compatible COIL-1.0 Community-Spec-1.0 Condor-1.1
copyleft-next-0.3.0 copyleft-next-0.3.1 Cornell-Lossless-JPEG CPAL-1.0 CPL-1.0 CPOL-1.02 Cronyx Crossword CryptoSwift
CrystalStacker CUA-OPL-1.0 Cube curl cve-tou D-FSL-1.0 DEC-3-Clause diffmark DL-DE-BY-2.0 DL-DE-ZERO-2.0 DOC
DocBook-DTD DocBook-Schema DocBook-Stylesheet DocBook-XML Dotseqn DRL-1.0 DRL-1.1 DSDP dtoa dvipdfm ECL-1.0 ECL-2.0
eCos-2.0 EFL-1.0 EFL-2.0 eGenix Elastic-2.0 Entessa EPICS EPL-1.0 EPL-2.0 ErlPL-1.1 etalab-2.0 EUDatagrid EUPL-1.0
EUPL-1.1 EUPL-1.2 Eurosym Fair FBM FDK-AAC Ferguson-Twofish Frameworx-1.0 FreeBSD-DOC FreeImage FSFAP
FSFAP-no-warranty-disclaimer FSFUL FSFULLR FSFULLRSD FSFULLRWD FSL-1.1-ALv2 FSL-1.1-MIT FTL Furuseth fwlw
Game-Programming-Gems GCR-docs GD generic-xts GFDL-1.1 GFDL-1.1-invariants-only GFDL-1.1-invariants-or-later
GFDL-1.1-no-invariants-only GFDL-1.1-no-invariants-or-later GFDL-1.1-only GFDL-1.1-or-later GFDL-1.2
GFDL-1.2-invariants-only GFDL-1.2-invariants-or-later GFDL-1.2-no-invariants-only GFDL-1.2-no-invariants-or-later
GFDL-1.2-only GFDL-1.2-or-later GFDL-1.3 GFDL-1.3-invariants-only GFDL-1.3-invariants-or-later
GFDL-1.3-no-invariants-only GFDL-1.3-no-invariants-or-later GFDL-1.3-only GFDL-1.3-or-later Giftware GL2PS Glide Glulxe
GLWTPL gnuplot GPL-1.0 GPL-1.0+ GPL-1.0-only GPL-1.0-or-later GPL-2.0 GPL-2.0+ GPL-2.0-only GPL-2.0-or-later
GPL-2.0-with-autoconf-exception GPL-2.0-with-bison-exception GPL-2.0-with-classpath-exception
GPL-2.0-with-font-exception GPL-2.0-with-GCC-exception GPL-3.0 GPL-3.0+ GPL-3.0-only GPL-3.0-or-later
GPL-3.0-with-autoconf-exception GPL-3.0-with-GCC-exception Graphics-Gems gSOAP-1.3b gtkbook Gutmann HaskellReport HDF5
hdparm HIDAPI Hippocratic-2.1 HP-1986 HP-1989 HPND HPND-DEC HPND-doc HPND-doc-sell HPND-export-US
HPND-export-US-acknowledgement HPND-export-US-modify HPND-export2-US HPND-Fenneberg-Livingston HPND-INRIA-IMAG
HPND-Intel HPND-Kevlin-Henney HPND-Markus-Kuhn HPND-merchantability-variant HPND-MIT-disclaimer HPND-Netrek
HPND-Pbmplus HPND-sell-MIT-disclaimer-xserver HPND-sell-regexpr HPND-sell-variant HPND-sell-variant-MIT-disclaimer
HPND-sell-variant-MIT-disclaimer-rev HPND-UC HPND-UC-export-US HTMLTIDY IBM-pibs ICU IEC-Code-Components-EULA IJG
IJG-short ImageMagick iMatix Imlib2 Info-ZIP Inner-Net-2.0 InnoSetup Intel Intel-ACPI Interbase-1.0 IPA IPL-1.0 ISC
ISC-Veillard Jam JasPer-2.0 jove JPL-image JPNIC JSON Kastrup Kazlib Knuth-CTAN LAL-1.2 LAL-1.3 Latex2e
Latex2e-translated-notice Leptonica LGPL-2.0 LGPL-2.0+ LGPL-2.0-only LGPL-2.0-or-later LGPL-2.1 LGPL-2.1+ LGPL-2.1-only
LGPL-2.1-or-later LGPL-3.0 LGPL-3.0+ LGPL-3.0-only LGPL-3.0-or-later LGPLLR Libpng libpng-1.6.35 libpng-2.0
libselinux-1.0 libtiff libutil-David-Nugent LiLiQ-P-1.1 LiLiQ-R-1.1 LiLiQ-Rplus-1.1 Linux-man-pages-1-para
Linux-man-pages-copyleft Linux-man-pages-copyleft-2-para Linux-man-pages-copyleft-var Linux-OpenIB LOOP LPD-document
LPL-1.0 LPL-1.02 LPPL-1.0 LPPL-1.1 LPPL-1.2 LPPL-1.3a LPPL-1.3c lsof Lucida-Bitmap-Fonts LZMA-SDK-9.11-to-9.20
LZMA-SDK-9.22 Mackerras-3-Clause Mackerras-3-Clause-acknowledgment magaz mailprio MakeIndex man2html Martin-Birgmeier
McPhee-slideshow metamail Minpack MIPS MirOS MIT MIT-0 MIT-advertising MIT-Click MIT-CMU MIT-enna MIT-feh MIT-Festival
MIT-Khronos-old MIT-Modern-Variant MIT-open-group MIT-testregex MIT-Wu MITNFA MMIXware Motosoto MPEG-SSG mpi-permissive
mpich2 MPL-1.0 MPL-1.1 MPL-2.0 MPL-2.0-no-copyleft-exception mplus MS-LPL MS-PL MS-RL MTLL MulanPSL-1.0 MulanPSL-2.0
Multics Mup NAIST-2003 NASA-1.3 Naumen NBPL-1.0 NCBI-PD NCGL-UK-2.0 NCL NCSA Net-SNMP NetCDF Newsletr NGPL ngrep
NICTA-1.0 NIST-PD NIST-PD-fallback NIST-Software NLOD-1.0 NLOD-2.0 NLPL Nokia NOSL Noweb NPL-1.0 NPL-1.1 NPOSL-3.0 NRL
NTIA-PD NTP NTP-0 Nunit O-UDA-1.0 OAR OCCT-PL OCLC-2.0 ODbL-1.0 ODC-By-1.0 OFFIS OFL-1.0 OFL-1.0-no-RFN OFL-1.0-RFN
OFL-1.1 OFL-1.1-no-RFN OFL-1.1-RFN OGC-1.0 OGDL-Taiwan-1.0 OGL-Canada-2.0 OGL-UK-1.0 OGL-UK-2.0 OGL-UK-3.0 OGTSL
OLDAP-1.1 OLDAP-1.2 OLDAP-1.3 OLDAP-1.4 OLDAP-2.0 OLDAP-2.0.1 OLDAP-2.1 OLDAP-2.2 OLDAP-2.2.1 OLDAP-2.2.2 OLDAP-2.3
OLDAP-2.4 OLDAP-2.5 OLDAP-2.6 OLDAP-2.7 OLDAP-2.8 OLFL-1.3 OML OpenPBS-2.3 OpenSSL OpenSSL-standalone OpenVision
OPL-1.0 OPL-UK-3.0 OPUBL-1.0 OSET-PL-2.1 OSL-1.0 OSL-1.1 OSL-2.0 OSL-2.1 OSL-3.0 PADL Parity-6.0.0 Parity-7.0.0
PDDL-1.0 PHP-3.0 PHP-3.01 Pixar pkgconf Plexus pnmstitch PolyForm-Noncommercial-1.0.0 PolyForm-Small-Business-1.0.0
PostgreSQL PPL PSF-2.0 psfrag psutils Python-2.0 Python-2.0.1 python-ldap Qhull QPL-1.0 QPL-1.0-INRIA-2004 radvd Rdisc
RHeCos-1.1 RPL-1.1 RPL-1.5 RPSL-1.0 RSA-MD RSCPL Ruby Ruby-pty SAX-PD SAX-PD-2.0 Saxpath SCEA SchemeReport Sendmail
Sendmail-8.23 Sendmail-Open-Source-1.1 SGI-B-1.0 SGI-B-1.1 SGI-B-2.0 SGI-OpenGL SGP4 SHL-0.5 SHL-0.51 SimPL-2.0 SISSL
SISSL-1.2 SL Sleepycat SMAIL-GPL SMLNJ SMPPL SNIA snprintf SOFA softSurfer Soundex Spencer-86 Spencer-94 Spencer-99
SPL-1.0 ssh-keyscan SSH-OpenSSH SSH-short SSLeay-standalone SSPL-1.0 StandardML-NJ SugarCRM-1.1.3 SUL-1.0 Sun-PPP
Sun-PPP-2000 SunPro SWL swrule Symlinks TAPR-OHL-1.0 TCL TCP-wrappers TermReadKey TGPPL-1.0 ThirdEye threeparttable
TMate TORQUE-1.1 TOSL TPDL TPL-1.0 TrustedQSL TTWL TTYP0 TU-Berlin-1.0 TU-Berlin-2.0 Ubuntu-font-1.0 UCAR UCL-1.0 ulem
UMich-Merit Unicode-3.0 Unicode-DFS-2015 Unicode-DFS-2016 Unicode-TOU UnixCrypt Unlicense Unlicense-libtelnet
Unlicense-libwhirlpool UPL-1.0 URT-RLE Vim VOSTROM VSL-1.0 W3C W3C-19980720 W3C-20150513 w3m Watcom-1.0 Widget-Workshop
Wsuipa WTFPL wwl wxWindows X11 X11-distribute-modifications-variant X11-swapped Xdebug-1.03 Xerox Xfig XFree86-1.1
xinetd xkeyboard-config-Zinoviev xlock Xnet xpp XSkat xzoom YPL-1.0 YPL-1.1 Zed Zeeff Zend-2.0 Zimbra-1.3 Zimbra-1.4
Zlib zlib-acknowledgement ZPL-1.1 ZPL-2.0 ZPL-2.1
"""
LICENCES = {name.lower(): name for name in _LICENCES.split()}
_EXCEPTIONS = """
389-exception Asterisk-exception Asterisk-linking-protocols-exception Autoconf-exception-2.0 Autoconf-exception-3.0
Autoconf-exception-generic Autoconf-exception-generic-3.0 Autoconf-exception-macro Bison-exception-1.24
Bison-exception-2.2 Bootloader-exception CGAL-linking-exception Classpath-exception-2.0 CLISP-exception-2.0
cryptsetup-OpenSSL-exception Digia-Qt-LGPL-exception-1.1 DigiRule-FOSS-exception eCos-exception-2.0
erlang-otp-linking-exception Fawkes-Runtime-exception FLTK-exception fmt-exception Font-exception-2.0
freertos-exception-2.0 GCC-exception-2.0 GCC-exception-2.0-note GCC-exception-3.1 Gmsh-exception GNAT-exception
GNOME-examples-exception GNU-compiler-exception gnu-javamail-exception GPL-3.0-389-ds-base-exception
GPL-3.0-interface-exception GPL-3.0-linking-exception GPL-3.0-linking-source-exception GPL-CC-1.0
GStreamer-exception-2005 GStreamer-exception-2008 harbour-exception i2p-gpl-java-exception
Independent-modules-exception KiCad-libraries-exception LGPL-3.0-linking-exception libpri-OpenH323-exception
Libtool-exception Linux-syscall-note LLGPL LLVM-exception LZMA-exception mif-exception mxml-exception
Nokia-Qt-exception-1.1 OCaml-LGPL-linking-exception OCCT-exception-1.0 OpenJDK-assembly-exception-1.0
openvpn-openssl-exception PCRE2-exception polyparse-exception PS-or-PDF-font-exception-20170817
QPL-1.0-INRIA-2004-exception Qt-GPL-exception-1.0 Qt-LGPL-exception-1.1 Qwt-exception-1.0 romic-exception
RRDtool-FLOSS-exception-2.0 SANE-exception SHL-2.0 SHL-2.1 stunnel-exception SWI-exception Swift-exception
Texinfo-exception u-boot-exception-2.0 UBDL-exception Universal-FOSS-exception-1.0 vsftpd-openssl-exception
WxWindows-exception-3.1 x11vnc-openssl-exception
"""
EXCEPTIONS = {name.lower(): name for name in _EXCEPTIONS.split()}
