"""Submissions with the same tokens are one group, whatever else differs; nothing else is."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.comparison.planting import samples
from whorl.comparison.intake import SpillBuffer, SubmissionIntake, SubmissionReader, stream_digest
from whorl.comparison.listing import identical_groups
from whorl.formats.archives.rules import Rules
from whorl.scheme import resolve

FIRST, OTHER = (sample.text for sample in samples("python")[:2])


@dataclass
class Handed:
    streams: list[bytes] = field(default_factory=list)
    archived: bool = False
    person: str | None = None


streams = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=3)


@given(st.lists(st.tuples(streams, st.booleans())))
def test_groups_are_the_classes_of_equal_files(handed):
    groups = identical_groups([Handed(list(files), archived) for files, archived in handed])
    members = [number for group in groups for number in group]
    assert len(members) == len(set(members))
    for one, (files, archived) in enumerate(handed):
        for two, (others, is_old) in enumerate(handed[:one]):
            is_together = any(one in group and two in group for group in groups)
            if bool(files) and sorted(files) == sorted(others):
                is_fresh = any(not old and sorted(each) == sorted(files) for each, old in handed)
                assert is_together == is_fresh
                assert is_together or (archived and is_old)
            else:
                assert not is_together


def test_submissions_of_one_person_are_no_group_of_their_own():
    def groups(*people):
        return identical_groups([Handed([b"a"], person=person) for person in people])

    assert groups("ada", "ada") == []
    assert groups("ada", "bo", "ada") == [(0, 1, 2)]
    assert groups(None, None) == [(0, 1)]


def test_the_width_of_symbols_does_not_count():
    symbols = np.array([1, 2, 250], np.uint8)
    assert stream_digest(symbols) == stream_digest(symbols.astype(np.uint64))
    assert stream_digest(symbols) != stream_digest(symbols[::-1])


def taken(folder, files, base=None):
    for name, text in files.items():
        path = Path(folder, "class", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    reader = SubmissionReader(resolve("code"), whorl.Key.PUBLIC, Rules(), 1)
    intake = SubmissionIntake(reader, SpillBuffer(), lambda _: None)
    if base:
        Path(folder, "base.py").write_text(base)
        intake.read_starter_code([Path(folder, "base.py")])
    intake.take([Path(folder, "class")], archived=False)
    return {entry.name: entry for entry in intake.entries()}


def grouped(entries):
    names = list(entries)
    return [[names[number] for number in group] for group in identical_groups(entries.values())]


def test_comments_blanks_names_and_file_names_do_not_count(tmp_path):
    again = FIRST.replace("    ", "\t") + "\n# mine\n\n"
    files = {"ada.py": FIRST, "bo/main.py": again, "cy.py": OTHER, "di/a.py": OTHER, "di/b.py": FIRST}
    files |= {"ed/x.py": FIRST, "ed/y.py": OTHER, "flo.py": "# nothing\n", "gus.py": "\n"}
    assert grouped(taken(tmp_path, files)) == [["ada.py", "bo"], ["di", "ed"]]


def test_template_code_does_not_count(tmp_path):
    entries = taken(tmp_path, {"ada.py": OTHER + FIRST, "bo.py": FIRST + "\n\n" + OTHER}, base=OTHER)
    assert grouped(entries) == [["ada.py", "bo.py"]]
