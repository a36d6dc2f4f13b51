"""The rules by which course systems name the files of their exports, and a recogniser for each:

- Moodle (mod/assign): ``NAME_ID_assignsubmission_TYPE/``, or ``NAME_ID_assignsubmission_TYPE_FILE`` without folders
- Canvas (content zipper): ``NAME[_LATE]_USER_ATTACHMENT_FILE``, ``NAME_USER_text.html``, ``anon_ID_ATTACHMENT_FILE``
- Gradescope: ``submission_ID/`` or ``ID.pdf``, described in ``submission_metadata.yml``
- Blackboard: ``ASSIGNMENT_USER_attempt_TIME_FILE``, and a receipt ``ASSIGNMENT_USER_attempt_TIME.txt``
- GitHub Classroom: ``SLUG-LOGIN/``, mostly in ``SLUG-submissions/``
- nbgrader: ``submitted/STUDENT/ASSIGNMENT/``, or ``STUDENT+ASSIGNMENT+TIME/`` in its exchange
- Dodona and Dolos: any names, listed in ``info.csv``
"""

import csv
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from whorl.errors import InputError
from whorl.formats.archives.kinds import named_archive

_GRADESCOPE, _INFO, _TIMESTAMP = "submission_metadata.yml", "info.csv", "timestamp.txt"


class ExportEntry(NamedTuple):
    """A file or folder of an export. ``identity`` tells namesakes apart, ``attempt`` the submissions of one person.
    ``inside`` is the name of a file, or the prefix of the names in a folder."""

    source: str
    person: str
    identity: str = ""
    attempt: str = ""
    inside: str = ""
    assignment: str | None = None
    label: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class Export:
    """The names below a wrapper, the descriptions among them, and the name of the folder that holds them."""

    folder: str
    names: Sequence[str]
    texts: Mapping[str, str]

    def tops(self) -> dict[str, bool]:
        """Return the entries at the top, and whether each is a folder."""
        tops: dict[str, bool] = {}
        for name in self.names:
            top, slash, _ = name.partition("/")
            if not top.startswith(".") and top != "__MACOSX":
                tops[top] = tops.get(top, False) or bool(slash)
        return tops

    def below(self, top: str) -> "Export":
        """Return the export in a folder, or in an archive that was opened."""
        start = f"{top}/"
        names = [name.removeprefix(start) for name in self.names if name.startswith(start) and name != start]
        texts = {name.removeprefix(start): text for name, text in self.texts.items() if name.startswith(start)}
        return Export(top.partition(".")[0] if named_archive(top) else top, names, texts)


class Match(NamedTuple):
    """The entries that follow the rules of a system, the files that describe the export, and whether no other system
    describes one so."""

    entries: list[ExportEntry]
    metadata: frozenset[str] = frozenset()
    is_certain: bool = False


_MOODLE = re.compile(
    r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<type>[a-z][a-z0-9]*)(?:_(?P<file>.*))?", re.S
)
_CANVAS = re.compile(
    r"(?P<name>\w+?)(?P<late>_LATE)?_(?P<id>\d+|(?<=^anon_)[A-Za-z0-9]{5})"
    r"_(?:(?P<attachment>\d{2,})_(?P<file>.+)|(?P<entry>text|link)\.html)",
    re.S,
)
_BLACKBOARD = re.compile(
    r"(?P<head>.+)_attempt_(?P<time>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|(?P<receipt>\.txt))", re.S
)
_LOGIN = re.compile(r"[A-Za-z0-9][\w.-]*")  # of a person or a team; a managed login has an underscore
_EXCHANGE = re.compile(
    r"(?P<name>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \w+)(?:\+[^+]*)?"
)
_STEPS = ("submitted", "autograded")


def _moodle(export: Export) -> Match:
    entries = []
    for top, is_folder in export.tops().items():
        if match := _MOODLE.fullmatch(top):
            kind, file = match["type"], match["file"] or ""
            inside = ("" if kind == "file" else kind) if is_folder and not file else file or f"{kind}.html"
            entries.append(ExportEntry(top, match["name"], match["id"] or "", inside=inside))
    return Match(entries)


def _canvas(export: Export) -> Match:
    entries = []
    for top in export.tops():
        if match := _CANVAS.fullmatch(top):
            is_anonymous = match["name"] == "anon"
            person = f"anon_{match['id']}" if is_anonymous else match["name"]
            inside = match["file"] or f"{match['entry']}.html"
            label = "late" if match["late"] else None
            entries.append(ExportEntry(top, person, match["id"], inside=inside, label=label))
    return Match(entries)


def _blackboard(export: Export) -> Match:
    matches = {top: match for top in export.tops() if (match := _BLACKBOARD.fullmatch(top))}
    heads = {match["head"] for match in matches.values()}
    shared = _shared(heads, "_")
    names = {match["head"]: _receipt_name(export.texts[top]) for top, match in matches.items() if top in export.texts}
    with_files = {(match["head"], match["time"]) for match in matches.values() if match["file"]}
    entries, metadata = [], []
    for top, match in matches.items():
        head, time = match["head"], match["time"]
        if match["receipt"] and (head, time) in with_files:
            metadata.append(top)
            continue
        user = head[len(shared) + 1 :] if shared else head.rpartition("_")[2]
        assignment = shared or head.rpartition("_")[0]
        date = f"{time[:10]} {time[11:].replace('-', ':')}"
        person, inside = names.get(head) or user, match["file"] or "receipt.txt"
        entries.append(ExportEntry(top, person, user, date, inside, assignment or None, date=date))
    return Match(entries, frozenset(metadata))


def _shared(names: Collection[str], mark: str) -> str:
    """Return the parts, divided by a mark, with which several names begin; "" for one name."""
    columns = zip(*(name.split(mark)[:-1] for name in names), strict=False)
    equal = takewhile(lambda column: len(set(column)) == 1, columns)
    return mark.join(column[0] for column in equal) if len(names) > 1 else ""


def _receipt_name(text: str) -> str:
    """Return the name in the first line of a receipt: ``Name: Jane Doe (jdoe12)``."""
    match = re.match(r"\s*Name:[ \t]*(.+?)[ \t]*(?:\([^()\n]*\))?[ \t]*$", text, re.M)
    return match[1] if match else ""


def _gradescope(export: Export) -> Match:
    if _GRADESCOPE not in export.texts:
        return Match([])
    tops = export.tops()
    entries = [
        ExportEntry(source, ", ".join(people) or source, source, inside="" if tops[source] else source, date=date)
        for source, people, date in _submitters(export.texts[_GRADESCOPE])
        if source in tops
    ]
    return Match(entries, frozenset([_GRADESCOPE]), is_certain=True)


def _submitters(text: str) -> Iterator[tuple[str, list[str], str | None]]:
    """Yield each submission of Gradescope's description with the names of its people and its date. Of YAML, only the
    form that Gradescope writes is read: keys at the margin, their facts two blanks further in."""
    source, people, date, section = "", list[str](), None, ""
    for line in text.splitlines():
        if match := re.fullmatch(r"([^\s#:-].*?):\s*", line):
            if source:
                yield source, people, date
            source, people, date, section = _scalar(match[1]), [], None, ""
        elif match := re.fullmatch(r"  :(\w+):\s*(.*?)\s*", line):
            section = match[1]
            date = _scalar(match[2]) if section == "created_at" else date
        elif section == "submitters" and (match := re.fullmatch(r"\s*-?\s*:name:\s*(.+?)\s*", line)):
            people.append(_scalar(match[1]))
    if source:
        yield source, people, date


def _scalar(text: str) -> str:
    """Return a plain or quoted scalar of YAML."""
    if re.fullmatch(r"'.*'", text):
        return text[1:-1].replace("''", "'")
    try:
        return str(json.loads(text)) if text.startswith('"') else text
    except ValueError:
        return text.strip('"')


def _dolos(export: Export) -> Match:
    text = export.texts.get(_INFO, "")
    columns = {name.strip(' "') for name in text.partition("\n")[0].strip("\ufeff\r").split(",")}
    if "filename" not in columns or not {"full_name", "labels"} & columns:
        return Match([])
    try:
        rows = list(csv.DictReader(StringIO(text.lstrip("\ufeff"), newline="")))
    except csv.Error as error:
        raise InputError(f"{_INFO}: not CSV: {error}; repair it, or use --layout none") from error
    entries, seen = [], set[tuple[str, str]]()
    paths = map(PurePosixPath, export.names)
    known = {str(prefix) for path in paths for prefix in (path, *path.parents)}
    for row in rows:
        facts = {key: " ".join(value.split()) for key, value in row.items() if isinstance(value, str)}
        source = (row["filename"] or "").strip().removeprefix("./").rstrip("/")
        if source not in known:
            continue
        person, date = facts.get("full_name") or source, facts.get("created_at") or None
        attempt = source if (person, date or source) in seen or not date else date
        seen.add((person, attempt))
        inside = "" if source not in export.names else source.rpartition("/")[2]
        label = facts.get("labels") or facts.get("label") or None
        entries.append(ExportEntry(source, person, "", attempt, inside, label=label, date=date))
    return Match(entries, frozenset([_INFO]), is_certain=True)


def _github(export: Export) -> Match:
    tops = export.tops()
    folders = [top for top, is_folder in tops.items() if is_folder]
    slug = export.folder.removesuffix("-submissions")
    is_named = slug != export.folder and any(top.startswith(f"{slug}-") for top in folders)
    if not is_named:
        slug = _shared(folders, "-")
    entries = [
        ExportEntry(top, top[len(slug) + 1 :], top)
        for top in folders
        if slug and top.startswith(f"{slug}-") and _LOGIN.fullmatch(top[len(slug) + 1 :])
    ]
    marks = {name.split("/")[0] for name in export.names if re.match(r"[^/]+/\.git(?:hub)?/", name)}
    return Match(entries if is_named or 2 * len(marks) > len(folders) else [])


def _nbgrader(export: Export) -> Match:
    """Match the exchange's folders, the folder of a step, or a whole course, of which only ``submitted`` is read."""
    exchange = [
        ExportEntry(top, match["name"], "", f"{match['assignment']}, {match['time']}", assignment=match["assignment"],
                    date=match["time"])
        for top, is_folder in export.tops().items() if is_folder and (match := _EXCHANGE.fullmatch(top))
    ]  # fmt: skip
    if exchange:
        return Match(exchange, _named(export, _TIMESTAMP))
    tops = export.tops()
    is_course = "submitted" in tops and bool({"source", "release", "nbgrader_config.py", "gradebook.db"} & tops.keys())
    root = "submitted/" if is_course else ""
    places = {
        "/".join(parts[: 3 if is_course else 2])
        for name in export.names
        if name.startswith(root) and name.endswith(".ipynb") and len(parts := name.split("/")) == 3 + is_course
    }
    is_class = len({place.removeprefix(root).split("/")[0] for place in places}) > 1  # no wrapper around one
    is_step = is_course or (is_class and (export.folder in _STEPS or bool(_named(export, _TIMESTAMP))))
    entries = [
        ExportEntry(place, student, "", assignment, assignment=assignment)
        for place in sorted(places if is_step else ())
        for student, assignment in [place.removeprefix(root).split("/")]
    ]
    outside = frozenset(name for name in export.names if is_course and not name.startswith(root))
    return Match(entries, _named(export, _TIMESTAMP) | outside, is_certain=is_course)


def _named(export: Export, file: str) -> frozenset[str]:
    return frozenset(name for name in export.names if name.rpartition("/")[2] == file)


class System(NamedTuple):
    """A course system: its name in sentences, an example of its names, and its recogniser. ``is_telling``: no other
    files have such names."""

    title: str
    example: str
    recognise: Callable[[Export], Match]
    is_telling: bool = True


# The most specific first.
SYSTEMS = {
    "gradescope": System("a Gradescope export", _GRADESCOPE, _gradescope),
    "dolos": System("a Dodona or Dolos export", f"{_INFO} with the columns filename and full_name", _dolos),
    "moodle": System("a Moodle download", "Jane Doe_123456_assignsubmission_file", _moodle),
    "blackboard": System("a Blackboard download", "Task_jdoe_attempt_2026-01-31-12-00-00_main.py", _blackboard),
    "canvas": System("a Canvas download", "doejane_12345_67890_main.py", _canvas, is_telling=False),
    "nbgrader": System("a folder of nbgrader", "submitted/jdoe/ps1/problem.ipynb", _nbgrader),
    "github": System("a GitHub Classroom download", "task-submissions/task-jdoe/", _github, is_telling=False),
}  # fmt: skip


def describes(name: str) -> bool:
    """Return whether a file of this name describes an export."""
    last = name.rpartition("/")[2]
    return last in (_GRADESCOPE, _INFO) or bool((match := _BLACKBOARD.fullmatch(last)) and match["receipt"])
