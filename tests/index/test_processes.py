"""Several processes write to one index, are killed and come back: the index has what was acknowledged, always."""

import os
import shutil
import signal
import tempfile
import traceback
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.examples import examples
from tests.index.corpus import prose
from whorl import Document, Scheme
from whorl.index.index import Index
from whorl.storage import files, store

SCHEME = Scheme(k=8, w=4)
TEXTS = {number: prose(number, 15) for number in range(4)}
NAMES, NUMBERS = st.sampled_from("abcdef"), st.sampled_from(sorted(TEXTS))
POINTS = [name for name in files.POINTS if not name.startswith("create.")]

# Processes at once: two that write and one that has been open for long.
MOST = 3

# Which of the processes does something.
TURNS = st.integers(0, MOST - 1)

# Seconds to wait for another writer: longer than any test waits.
WAIT = 60.0

# Name → number of its text.
Content = dict[str, int]


def apply(index: Index, verb: str, *values: Any) -> Any:
    """Do in a process what it was told."""
    if verb == "add":
        return index.add(Document(values[0], TEXTS[values[1]])).state
    if verb == "remove":
        return index.remove(values[0])
    if verb == "content":
        return content_of(index)
    return getattr(index, verb)(*values) and None  # flush, compact, purge, verify


def content_of(index: Index) -> Content:
    """Return the content of an index; every part of it agrees."""
    texts = {text: number for number, text in TEXTS.items()}
    with index.reading():
        content = {entry.name: texts[index.text(entry.name)] for entry in index.entries()}
        for number, text in TEXTS.items():
            hits = {hit.document.name for hit in index.search(text, passages=False, limit=10) if hit.containment == 1}
            assert hits == {name for name, other in content.items() if other == number}
    return content


class Peer:
    """A process that has the index open and does what it is told."""

    def __init__(self, folder: Path) -> None:
        self._connection, theirs = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self._connection.close()
            _live(folder, theirs)
        theirs.close()

    def tell(self, *command: Any, crash_at: str = "") -> None:
        """Begin something. It dies at ``crash_at``, if it comes there."""
        self._connection.send((crash_at, command))

    def answer(self) -> Any:
        """Return what came of it. Raise EOFError if the process died."""
        answer, fault = self._connection.recv()
        assert not fault, fault
        return answer

    def ask(self, *command: Any) -> Any:
        self.tell(*command)
        return self.answer()

    def end(self) -> None:
        """Kill the process, if it still lives, and reap it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._connection.close()


def _live(folder: Path, connection: Connection) -> None:
    """Nothing of the parent's may run here: it leaves by ``_exit`` alone."""
    try:
        store.FLUSH_DOCUMENTS, store.FLUSH_POSTINGS, store.FAN = 3, 60, 2
        with Index.open(folder, wait=WAIT) as index:
            while True:
                os.environ[files.VARIABLE], command = connection.recv()
                files._passed.clear()
                try:
                    connection.send((apply(index, *command), ""))
                except Exception:
                    connection.send((None, traceback.format_exc()[-3000:]))
    finally:
        os._exit(0)


class ProcessMachine(RuleBasedStateMachine):
    """The model is what was acknowledged. The parent never opens the index: a fork would share its connections."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="whorl-processes-"))
        self.peers: list[Peer] = []
        self.content: Content = {}

    @initialize()
    def begin(self) -> None:
        maker = os.fork()
        if maker == 0:
            try:
                Index.create(self.root / "index", SCHEME).close()
            finally:
                os._exit(0)
        os.waitpid(maker, 0)
        self.start()

    def teardown(self) -> None:
        if (self.root / "index").exists():
            self.peers.append(Peer(self.root / "index"))
            self.peers[-1].ask("verify")
            contents = [peer.ask("content") for peer in self.peers]
            assert contents == [self.content] * len(contents)
        for peer in self.peers:
            peer.end()
        shutil.rmtree(self.root)

    @rule()
    def start(self) -> None:
        if len(self.peers) < MOST:
            self.peers.append(Peer(self.root / "index"))

    @rule(turn=TURNS, name=NAMES, number=NUMBERS)
    def add(self, turn: int, name: str, number: int) -> None:
        self.peer(turn).ask("add", name, number)
        self.content[name] = number

    @rule(turn=TURNS, name=NAMES)
    def remove(self, turn: int, name: str) -> None:
        existed = [name] if name in self.content else []
        assert self.peer(turn).ask("remove", name) == existed
        self.content.pop(name, None)

    @rule(turn=TURNS, verb=st.sampled_from(["flush", "compact"]))
    def tidy(self, turn: int, verb: str) -> None:
        self.peer(turn).ask(verb)

    @rule(turn=TURNS)
    def read(self, turn: int) -> None:
        assert self.peer(turn).ask("content") == self.content

    @rule(numbers=st.lists(NUMBERS, min_size=MOST, max_size=MOST))
    def add_at_once(self, numbers: list[int]) -> None:
        for peer, name, number in zip(self.peers, "abc", numbers, strict=False):
            peer.tell("add", name, number)
            self.content[name] = number
        for peer in self.peers:
            peer.answer()

    @rule(turn=TURNS)
    def kill(self, turn: int) -> None:
        if len(self.peers) > 1:
            self.bury(self.peer(turn))

    @rule(
        turn=TURNS, point=st.sampled_from(POINTS), verb=st.sampled_from(["add", "remove", "flush", "compact"]),
        name=NAMES, number=NUMBERS,
    )  # fmt: skip
    def crash(self, turn: int, point: str, verb: str, name: str, number: int) -> None:
        """Kill a process in the middle of a change: all of it is there, or nothing."""
        after = dict(self.content)
        if verb == "add":
            after[name] = number
        elif verb == "remove":
            after.pop(name, None)
        values = {"add": (name, number), "remove": (name,)}.get(verb, ())
        peer = self.peer(turn)
        peer.tell(verb, *values, crash_at=point)
        try:
            peer.answer()
            self.content = after
        except EOFError:
            self.bury(peer)
            if not self.peers:
                self.start()
            content = self.peers[0].ask("content")
            assert content in (self.content, after)
            self.content = content

    def peer(self, turn: int) -> Peer:
        """Return one of those that live. How many do depends on which of them passed a point at which it was killed:
        what Hypothesis draws must not."""
        return self.peers[turn % len(self.peers)]

    def bury(self, peer: Peer) -> None:
        self.peers.remove(peer)
        peer.end()


TestProcesses = ProcessMachine.TestCase
TestProcesses.settings = settings(max_examples=5, stateful_step_count=10)


class LongProcessMachine(ProcessMachine):
    """The same, for longer, with purges."""

    @rule(turn=TURNS)
    def purge(self, turn: int) -> None:
        self.peer(turn).ask("purge", [])


TestLongProcesses = pytest.mark.slow(LongProcessMachine.TestCase)
TestLongProcesses.settings = examples(300, stateful_step_count=40)
