from collections.abc import Iterator

import pytest

from tests.service.harness import Running, running, settings_in


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all tests that can share it: each uses names or tenants of its own."""
    with running(settings_in(tmp_path_factory.mktemp("service"))) as found:
        yield found
