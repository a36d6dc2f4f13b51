"""The fuzzer itself: what it would find, it finds; what it found, it finds again."""

from random import Random

import numpy as np
import pytest
from fuzz.campaign import Campaign
from fuzz.invariants import BrokenError, verdict_of_streams
from fuzz.minimise import minimised
from fuzz.mutation import LARGEST, MUTATIONS, Kit
from fuzz.worker import Chunk

from fuzz import targets
from whorl.errors import DocumentError
from whorl.formats.text import Piece
from whorl.model import Stream


class Stub:
    """A front-end that gives what it is told to."""

    def __init__(self, starts, ends, note="", symbols=None):
        self.found = Stream(
            np.zeros(len(starts) if symbols is None else symbols, np.uint8),
            np.array(starts, np.int32),
            np.array(ends, np.int32),
            note=note,
        )

    def pieces(self, _document):
        yield Piece(0, np.zeros(0, np.uint8))

    def read(self, _piece):
        return self.found


def test_all_is_well():
    assert verdict_of_streams(Stub([0, 1], [1, 4]), bytes)(b"abcd").kind == "read"
    assert verdict_of_streams(Stub([0], [1], "why"), bytes)(b"abcd").kind == "noted"


@pytest.mark.parametrize(
    ("stub", "fault"),
    [
        (Stub([0, 1], [1, 5]), "outside"),
        (Stub([-1, 1], [1, 2]), "outside"),
        (Stub([0, 2], [1, 2]), "empty"),
        (Stub([2, 0], [3, 1]), "order"),
        (Stub([0], [1], symbols=2), "length"),
        (Stub([0], [1], "two\nlines"), "several lines"),
        (Stub([0], [1], "\x1b[31m"), "printed"),
        (Stub([0], [1], "x" * 5000), "5000 characters"),
    ],
)
def test_what_does_not_hold_is_seen(stub, fault):
    with pytest.raises(BrokenError, match=fault):
        verdict_of_streams(stub, bytes)(b"abcd")


def test_a_refusal_needs_a_reason():
    class Refusing(Stub):
        def read(self, _piece):
            raise DocumentError("")

    with pytest.raises(BrokenError, match="a message of 0 characters"):
        verdict_of_streams(Refusing([], []), bytes)(b"")


def test_an_execution_is_the_same_in_every_run():
    for name in ("text-words", "docx", "archive", "code-java"):
        target = targets.target(name)
        documents = [target.document(7, number) for number in range(20)]
        assert documents == [target.document(7, number) for number in range(20)]
        assert len(set(documents)) > 15
        assert documents != [target.document(8, number) for number in range(20)]


def test_every_mutation_takes_any_document():
    kit = Kit((b"word",), ((b"(", b")"),), (b"other", b""))
    for mutation in MUTATIONS:
        for data in (b"", b"a", b"some words of a document", bytes(range(256))):
            made = {mutation(Random(seed), data, kit) for seed in range(20)}
            assert all(len(each) <= 8 * LARGEST for each in made)
            assert len(data) < 20 or made != {data}


def test_a_failing_document_is_made_small():
    assert minimised(b"abc" * 500 + b"X" + b"def" * 500 + b"Y", lambda data: b"X" in data and b"Y" in data) == b"XY"


def test_a_worker_that_dies_takes_one_execution_with_it():
    with Campaign(jobs=1) as campaign:
        assert campaign.fails("text-words", b"fine") == ""
        campaign.worker()._process.kill()
        report = campaign._chunk(Chunk("text-words", 1, 5, 15))
        assert report.executions == 10
        assert report.kinds == {"finding": 1, "read": 9}
        assert [(found.number, found.signature) for found in report.findings] == [(5, "died: SIGKILL")]


def test_a_worker_that_dies_in_a_sandboxed_parser_is_no_finding_if_the_sandbox_reports_it():
    with Campaign(jobs=1) as campaign:
        assert campaign.fails("docx", b"PK") == ""
        campaign.worker()._process.kill()
        report = campaign._chunk(Chunk("docx", 1, 5, 15))
        assert report.kinds["contained (SIGKILL)"] == 1
        assert report.executions == sum(report.kinds.values()) == 10
        assert not report.findings
