"""What every test can use: the kernels by name, a browser, and Hypothesis settings that suit two cores."""

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from whorl import kernel

# Examples decide here, not time: the machines that run the tests are noisy. Conformance suites are inherited, so one
# method runs for several classes; none of them keeps state. Where CI decides, the examples are the same in every run;
# at a desk they are new each time.
settings.register_profile(
    "whorl",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("whorl")


@pytest.fixture(params=kernel.NAMES)
def each_kernel(request, monkeypatch):
    """Runs the test on the compiled kernel and on its twin."""
    monkeypatch.setenv("WHORL_KERNEL", request.param)
    return request.param


# Debian's Chromium as it runs in a container: no sandbox of its own, and no traffic of its own.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One for all tests of a process: Playwright can be started once in each."""
    chromium = shutil.which("chromium")
    if chromium is None:
        missing = "no chromium on the PATH: run tools/install_browser.sh"
        if "CI" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield running
        running.close()
