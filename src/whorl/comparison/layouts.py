"""Recognise the exports of course systems by their names: who handed in which files, and in which attempt.

A layout is recognised from names, and from the small files in which a system describes its export. Nothing is unpacked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from whorl.comparison.course_systems import SYSTEMS, Export, ExportEntry, Match, System, describes
from whorl.errors import InputError
from whorl.formats.archives.kinds import named_archive
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import ChildItem, Item, inner_listings, listing
from whorl.formats.encoding import decode
from whorl.model import Document, Skipped
from whorl.stores import is_index

AUTO, NONE, WRAPPER = "auto", "none", "wrapper"

# Bytes of a file that describes an export: Gradescope lists every earlier attempt of a class in one.
LARGEST = 32 << 20

# Entries that match no rule, for each entry that does: an instructor's own files beside an export.
STRAYS = 0.2

# Folders inside each other that hold nothing but one folder.
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class RosterRecord:
    """The facts about one submission."""

    name: str | None = None
    person: str | None = None
    assignment: str | None = None
    label: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class Layout:
    """The submissions of one export, or of the ``exports`` in an archive. ``records`` has them by name. ``places`` maps
    an entry below ``wrapper`` to its submission and its name inside; ``metadata`` are the names of the files that
    describe the export."""

    name: str
    wrapper: str = ""
    records: Mapping[str, RosterRecord] = field(default_factory=dict)
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    metadata: frozenset[str] = frozenset()
    exports: "tuple[Recognised, ...]" = ()

    def recognised(self, path: str) -> "tuple[Recognised, ...]":
        """Return what was recognised in a path of this name."""
        people = {record.person for record in self.records.values()}
        return self.exports or (Recognised(path, self.name, len(self.records), len(people)),)

    def child(self, name: str) -> str:
        """Return the submission of a file."""
        return self._place(name)[0]

    def member(self, item: Item) -> tuple[ChildItem, str]:
        """Return an item of the walk with its submission, and the entry of the export that it is in."""
        child, inside, source = self._place(item.name)
        if item.name in self.metadata and isinstance(item, Document):
            item = Skipped(item.name, "describes the export, not a submission", 1, None, expected=True)
        return ChildItem(child, inside, item), source

    def _place(self, name: str) -> tuple[str, str, str]:
        if name in self.metadata:
            return "", name, name
        parts = name.removeprefix(self.wrapper).rstrip("/").split("/")
        for length in range(1, len(parts) + 1):
            source = "/".join(parts[:length])
            if source in self.places:
                child, inside = self.places[source]
                return child, "/".join(filter(None, [inside, *parts[length:]])) or child, source
        return parts[0], "/".join(parts[1:]) or parts[0], parts[0]


class Recognised(NamedTuple):
    """The layout recognised in a path."""

    path: str
    layout: str
    submissions: int
    people: int

    def sentence(self) -> str:
        """Return what was recognised, without a full stop."""
        path = self.path or "the export"
        submissions = f"{self.submissions:,} {'submission' if self.submissions == 1 else 'submissions'}"
        if self.layout == WRAPPER:
            return f"{path} has one folder or archive around {submissions}"
        people = f"{self.people:,} {'person' if self.people == 1 else 'people'}"
        return f"{path} is {SYSTEMS[self.layout].title}: {submissions} of {people}"


LAYOUTS = (AUTO, NONE, *SYSTEMS)


def course_exports(path: Path, rules: Rules) -> list[Path]:
    """Return the exports of a folder that holds nothing but exports of a course system, one archive an assignment; else
    the path itself."""
    if not path.is_dir() or is_index(path):
        return [path]
    try:
        inside = [each for each in sorted(path.iterdir()) if not each.name.startswith(".")]
    except OSError:
        return [path]  # the walk says why
    is_course = len(inside) > 1 and all(named_archive(each.name) and _is_export(each, rules) for each in inside)
    return inside if is_course else [path]


def _is_export(path: Path, rules: Rules) -> bool:
    recognised = _recognise(path, *_listed(path, rules), list(SYSTEMS), is_alone=False)
    return recognised is not None


def _listed(path: Path, rules: Rules) -> tuple[list[str], dict[str, str]]:
    names, contents = listing(path, rules, describes, LARGEST)
    return names, {name: decode(content).text for name, content in contents.items()}


def find_layouts(
    paths: Sequence[Path], archive: Sequence[Path], rules: Rules, layout: str
) -> tuple[dict[Path, Layout], tuple[Recognised, ...]]:
    """Return the layouts of the paths that have one, and what was recognised. A stated layout is that of ``paths``;
    those of ``archive`` are always recognised, unless the layout is ``none``."""
    layouts: dict[Path, Layout] = {}
    if layout == NONE:
        return layouts, ()
    is_alone = len(paths) == 1 and not archive
    seen: dict[Path, Layout] = {}
    for path in (*paths, *archive):
        if is_index(path):
            continue
        wanted = [layout] if layout != AUTO and path in paths else list(SYSTEMS)
        names, texts = _listed(path, rules)
        recognised = _recognise(path, names, texts, wanted, is_alone)
        if recognised is None or recognised.name == WRAPPER:
            recognised = _course(path, rules, wanted) or recognised
        if recognised is not None:
            is_one_of_several = path in paths and len(paths) > 1
            seen[path] = layouts[path] = _of_assignment(recognised, path) if is_one_of_several else recognised
        elif layout != AUTO and path in paths:
            system = SYSTEMS[layout]
            raise InputError(
                f"{path} is not {system.title}: nothing in it is named like {system.example}; "
                "leave out --layout, or use --layout none"
            )
        elif (unwrapped := _unwrapped(path, names)) is not None:
            seen[path] = unwrapped
    return layouts, tuple(
        recognised for path, each in seen.items() for recognised in each.recognised(path.resolve().name)
    )


def _unwrapped(path: Path, names: Sequence[str]) -> Layout | None:
    """Return the layout of an archive whose only folder the walk leaves out by itself."""
    export = Export("", names, {})
    tops = export.tops()
    if path.is_dir() or len(tops) != 1 or not all(tops.values()) or named_archive(next(iter(tops))):
        return None
    (top,) = tops
    return Layout(WRAPPER, f"{top}/", {each: RosterRecord() for each in export.below(top).tops()})


def _of_assignment(layout: Layout, path: Path) -> Layout:
    """Name the assignment after the export, unless the export does."""
    assignment = path.resolve().name.partition(".")[0]
    records = {
        name: replace(record, assignment=record.assignment or assignment) for name, record in layout.records.items()
    }
    return replace(layout, records=records)


def _recognise(
    path: Path, names: Sequence[str], texts: Mapping[str, str], wanted: Sequence[str], is_alone: bool
) -> Layout | None:
    """Return the layout of the outermost level that has one. Else a single folder around everything is a wrapper, if
    there would be nothing to compare otherwise."""
    for wrapper, export in _levels(Export(path.resolve().name.partition(".")[0], names, texts)):
        if (matched := _matched(export, wanted)) is not None:
            return _arranged(matched[0], wrapper, matched[1])
    # The walk removes an archive's own wrapper folder, but no archive in an archive.
    removed = 0 if path.is_dir() or named_archive(wrapper.partition("/")[0]) else 1
    is_new = wrapper.count("/") > removed
    if len(wanted) > 1 and is_alone and is_new and len(export.tops()) > 1:
        return Layout(WRAPPER, wrapper, {top: RosterRecord() for top in export.tops()})
    return None


def _levels(export: Export) -> Iterator[tuple[str, Export]]:
    """Yield the export, and what the folders that hold nothing but one folder hold, each with the folders around it."""
    wrapper = ""
    yield wrapper, export
    for _ in range(DEEPEST):
        tops = export.tops()
        if len(tops) != 1 or not all(tops.values()):
            break
        (top,) = tops
        wrapper = f"{wrapper}{top}/"
        export = export.below(top)
        yield wrapper, export


def _matched(export: Export, wanted: Sequence[str]) -> tuple[str, Match] | None:
    """Return the first system whose rules the names follow, and its entries."""
    for name in wanted:
        match = SYSTEMS[name].recognise(export)
        if _is_enough(match, export, SYSTEMS[name], stated=len(wanted) == 1):
            return name, match
    return None


class _Assignment(NamedTuple):
    """An export in an archive, with the names in the outer one. ``strays`` are the submissions that follow no rule."""

    recognised: Recognised
    entries: list[ExportEntry]
    metadata: frozenset[str]
    strays: dict[str, tuple[str, str]]


def _course(path: Path, rules: Rules, wanted: Sequence[str]) -> Layout | None:
    """Return the layout of an archive that holds nothing but several exports, one archive an assignment."""
    assignments: list[_Assignment] = []
    for name, names, contents in () if path.is_dir() else inner_listings(path, rules, describes, LARGEST):
        texts = {member: decode(content).text for member, content in contents.items()}
        assignment = _assignment(path.resolve().name, name, Export("", names, texts).below(name), wanted)
        if assignment is None:
            return None
        assignments.append(assignment)
    if len(assignments) < 2:
        return None
    entries = [entry for each in assignments for entry in each.entries]
    metadata = frozenset[str]().union(*(each.metadata for each in assignments))
    arranged = _arranged(assignments[0].recognised.layout, "", Match(entries, metadata))
    strays = {source: place for each in assignments for source, place in each.strays.items()}
    exports = tuple(each.recognised for each in assignments)
    return replace(arranged, places={**arranged.places, **strays}, exports=exports)


def _assignment(course: str, archive: str, export: Export, wanted: Sequence[str]) -> _Assignment | None:
    """Return an export in an archive. The assignment is named after the archive, unless the export names it, and tells
    the submissions of one person apart."""
    for wrapper, inner in _levels(export):
        if (matched := _matched(inner, wanted)) is None:
            continue
        system, match = matched
        title, prefix = archive.rpartition("/")[2].partition(".")[0], f"{archive}/{wrapper}"
        entries = [
            entry._replace(
                source=prefix + entry.source,
                identity="",
                attempt=f"{title}, {entry.attempt}" if entry.attempt else title,
                assignment=entry.assignment or title,
            )
            for entry in _distinguished(match.entries)
        ]
        people = {entry.person for entry in entries}
        submissions = {(entry.person, entry.attempt) for entry in entries}
        return _Assignment(
            Recognised(f"{course}/{archive}", system, len(submissions), len(people)),
            entries,
            frozenset(prefix + each for each in match.metadata),
            {
                prefix + top: (f"{top}, {title}", "" if inner.tops()[top] else top)
                for top in sorted(_strays(match, inner))
            },
        )
    return None


def _is_enough(match: Match, export: Export, system: System, *, stated: bool) -> bool:
    """Return whether the names follow the system's rules: all but a few strays, and more than one. Names that others
    may have too, such as ``lab_1_101_a.py``, must be of several people, and each number of one of them."""
    if stated or match.is_certain:
        return bool(match.entries)
    people = {(entry.person, entry.identity) for entry in match.entries}
    is_plausible = 1 < len(people) == len({identity for _, identity in people})
    tops = {entry.source.split("/")[0] for entry in match.entries}
    is_mostly = len(_strays(match, export)) <= STRAYS * len(tops)
    return len(match.entries) > 1 and is_mostly and (system.is_telling or is_plausible)


def _strays(match: Match, export: Export) -> set[str]:
    """Return the entries at the top that do not follow the system's rules."""
    return export.tops().keys() - {entry.source.split("/")[0] for entry in match.entries} - match.metadata


def _arranged(name: str, wrapper: str, match: Match) -> Layout:
    """Name the submissions: by their people, namesakes with their identities, several submissions with their
    attempts."""
    match = match._replace(entries=_distinguished(match.entries))
    attempts: dict[str, set[str]] = {}
    for entry in match.entries:
        attempts.setdefault(entry.person, set()).add(entry.attempt)
    records: dict[str, RosterRecord] = {}
    places: dict[str, tuple[str, str]] = {}
    for entry in match.entries:
        child = f"{entry.person}, {entry.attempt}" if len(attempts[entry.person]) > 1 else entry.person
        child = child.replace("/", "∕")  # a submission's name is one part of a path
        record = records.get(child, RosterRecord(None, entry.person, entry.assignment))
        records[child] = replace(record, label=record.label or entry.label, date=record.date or entry.date)
        is_taken = bool(entry.inside) and (child, entry.inside) in places.values()
        places[entry.source] = child, entry.source.rpartition("/")[2] if is_taken else entry.inside
    return Layout(name, wrapper, records, places, frozenset(wrapper + each for each in match.metadata))


def _distinguished(entries: Sequence[ExportEntry]) -> list[ExportEntry]:
    """Return the entries with the identities of namesakes in their names."""
    identities: dict[str, set[str]] = {}
    for entry in entries:
        identities.setdefault(entry.person, set()).add(entry.identity)
    return [
        entry._replace(person=f"{entry.person} ({entry.identity})") if len(identities[entry.person]) > 1 else entry
        for entry in entries
    ]
