"""Whatever ends the parent, no process is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sandbox.processes import eventually, marked

ROOT = Path(__file__).parents[3]
ENDLESS = '"tests.sandbox.targets:endless_in_c"'
IMPORTS = """
import tests.sandbox.targets  # a worker reads what its parent has imported
from whorl.sandbox import Limits, Sandbox, default_sandbox
"""
IN_A_BLOCK = f"""
with Sandbox(workers=2, limits=Limits(seconds=60)) as sandbox:
    list(sandbox.map({ENDLESS}, [()] * 10))
"""
CALLED = f"""
sandbox = Sandbox(workers=1, limits=Limits(seconds=60))
sandbox.call({ENDLESS})
"""
BY_DEFAULT = """
import time
for outcome in default_sandbox().map("builtins:eval", [("1",)] * 4 + [("__import__('time').sleep(60)",)] * 8):
    time.sleep(60)
"""


def start(script):
    """A parent of its own, with the worker processes that the script starts."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    return subprocess.Popen(
        [sys.executable, "-c", IMPORTS + script], env=environment, stderr=subprocess.PIPE, preexec_fn=_heed_interrupts
    )


def _heed_interrupts() -> None:
    """A shell starts what runs in the background deaf to SIGINT, and so would be all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("script", [IN_A_BLOCK, CALLED, BY_DEFAULT], ids=["in a block", "called", "by default"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_parent_that_is_ended_leaves_nothing(script, number, marker):
    with start(script) as parent:
        assert eventually(lambda: len(marked(marker)) >= 2, 60)
        time.sleep(0.3)
        parent.send_signal(number)
        _, complaints = parent.communicate(timeout=60)
    assert parent.returncode == -number
    assert eventually(lambda: not marked(marker), 20)
    assert (b"KeyboardInterrupt" in complaints) == (number == signal.SIGINT)


def test_a_parent_that_forgets_to_close_leaves_nothing(marker):
    with start(
        'sandbox = Sandbox(workers=2)\nsandbox.call("operator:add", 1, 2)\ndefault_sandbox().call("os:getpid")'
    ) as parent:
        _, complaints = parent.communicate(timeout=60)
    assert parent.returncode == 0
    assert complaints == b""
    assert eventually(lambda: not marked(marker), 20)
