"""What every test can use: the kernels by name, and Hypothesis settings that suit two cores."""

import os

import pytest
from hypothesis import HealthCheck, settings

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
