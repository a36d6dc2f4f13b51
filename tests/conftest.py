"""What every test can use: both kernels, a browser, and Hypothesis settings that suit two cores."""

import gc
import os
import random
import shutil
from collections.abc import Iterator
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from httpx import create_ssl_context
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from tests.examples import SHARE, count
from tests.kernel import specification
from whorl import Key

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Examples decide here, not time: the machines that run the tests are noisy. Conformance suites are inherited, so one
# method runs for several classes; none of them keeps state. Where CI decides, the examples are the same in every run;
# at a desk they are new each time.
settings.register_profile(
    "whorl",
    max_examples=count(100),
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("whorl")

# Whorl uses no linear algebra of NumPy, whose threads, as they start, spin in each process that imports it. The command
# line and the workers of the sandbox say so themselves; this is for all other processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Files of tests lie in memory where there is room for them: most of what is durable waits for the disk, and no test
# can tell whether the disk has what it was told to keep.
MEMORY = Path("/dev/shm")
ROOM = 4 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Choose where ``tmp_path`` is, unless somebody has."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The cache of the person who runs the tests is not touched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


# A store draws a secret key, and with it which fingerprints it selects. A test that expects something of a few of them
# fails with one key in hundreds; so a test has the same keys in every run, except in the long one.
keys = random.Random()


@pytest.fixture(autouse=True, scope="session")
def _repeatable_keys() -> Iterator[None]:
    """Keys drawn in this process are those of ``keys``."""

    @wraps(Key.__dict__["random"].__func__)  # so that tools find the source and the docstring of the original
    def repeatable(cls: type[Key]) -> Key:
        return cls(keys.randbytes(16))

    with pytest.MonkeyPatch.context() as patch:
        if SHARE > 1:
            patch.setattr(Key, "random", classmethod(repeatable))
        yield


@pytest.fixture(autouse=True, scope="session")
def _certificates_read_once() -> Iterator[None]:
    """Share the TLS context of equal settings: most clients speak plain HTTP, and each would read all certificates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cache(create_ssl_context))
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start the keys anew, before any fixture of the test draws one."""
    keys.seed(item.nodeid)


# Folders whose tests share what takes long to make: Java and a session of Spark, a service with some of everything.
# They are run in one process each.
TOGETHER = ("tests/spark/", "tests/service/page/")

# The units that take longest, longest first: they are started first, so that none of them is left to one worker while
# the others have ended.
LONGEST = (
    *TOGETHER,
    "tests/formats/code/test_hostile.py",
    "tests/report/test_overview.py",
    "tests/comparison/test_hiding.py",
    "tests/service/test_crash.py",
    "tests/report/test_pair.py",
    "tests/report/test_hostile.py",
    "tests/service/test_hardening.py",
    "tests/experiments/test_koala.py",
    "tests/service/test_attacks.py",
    "tests/torture/test_short.py",
    "tests/formats/test_hostile.py",
    "tests/report/test_write.py",
    "tests/test_distributions.py",
    "tests/service/test_api_contract.py",
    "tests/formats/code/test_code.py",
    "tests/docs/test_site.py",
    "tests/registry/test_search.py",
    "tests/sandbox/test_hostile.py",
    "tests/fuzz/test_short.py",
    "tests/service/test_runner.py",
    "tests/index/test_locks.py",
    "tests/engine/sketches/test_estimates.py",
    "tests/formats/archives/test_hostile.py",
)


def unit(nodeid: str) -> str:
    """Return what is given to a worker as a whole: a folder of those, or the file of the test."""
    file = nodeid.partition("::")[0]
    return next((folder for folder in TOGETHER if file.startswith(folder)), file)


class WholeFiles(LoadScopeScheduling):  # type: ignore[misc]
    """Gives whole files to the workers, so that what the tests of a file share is made once.

    The groups of pytest-xdist 3.8 would do, but under pytest 9.2 they are ignored without a word.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> WholeFiles:
    """Deal files in the order of the collection."""
    config.option.loadscopereorder = False
    return WholeFiles(config, log)


def turn(nodeid: str) -> int:
    """Return the place of a test in the order of the units."""
    name = unit(nodeid)
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes longest first, and mark what is tried on random examples."""
    if missing := [name for name in LONGEST if not (config.rootpath / name).exists()]:
        raise pytest.UsageError(f"{', '.join(missing)}: does not exist; correct LONGEST in tests/conftest.py")
    items.sort(key=lambda item: turn(item.nodeid))
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.properties)


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collections: thousands of tests live until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["native", "specification"])
def each_kernel(request, monkeypatch):
    """Runs the test on the compiled kernel and on its specification."""
    if request.param == "specification":
        specification.replace_native(monkeypatch)
    return request.param


# The first that is there is taken: a page takes half the CPU time in the headless shell. tools/install_browser.sh
# installs it, and says so if it cannot.
BROWSERS = ("chromium-headless-shell", "chromium")

# Debian's Chromium as it runs in a container: no sandbox of its own, and no traffic of its own. Pages of one window
# share a process: a new one takes as long to start as a page takes to load.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",
)


# Milliseconds in which what is expected of a page must be so: its many lines take seconds on a loaded machine.
PATIENCE = 20_000


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """One for all tests of a process: Playwright can be started once in each."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        missing = f"neither {' nor '.join(BROWSERS)} on the PATH: run tools/install_browser.sh"
        if "CI" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    from playwright.sync_api import expect, sync_playwright  # most workers need no browser

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield running
        running.close()
