"""Whatever the OpenAPI document promises, for requests that fit it and for such that do not."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.service.harness import Running, idle, operations
from whorl.service.app import api_of
from whorl.service.problems import PROBLEM_MEDIA

# What a document that is said to be an EPUB and is none, or has no text, and what 31 February is refused with: no
# schema can say that.
UNREADABLE = ("cannot be read", "is binary: give bytes", "no text to check", "no text to compare", "is no date")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Nobody asks here how the jobs end that are submitted."""
    with idle(tmp_path_factory.mktemp("idle")) as found:
        yield found


@pytest.fixture(scope="module")
def contract(service: Running) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{service.address}/api/openapi.json")


@pytest.mark.parametrize(("path", "method"), [(path, method) for path, method, _ in operations()])
def test_every_answer_is_documented(contract, service: Running, path: str, method: str) -> None:
    operation = contract[path][method]

    @given(operation.as_strategy())
    @settings(
        max_examples=10, deadline=None, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def holds(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {service.admin}"})
        is_unreadable = response.status_code == 422 and any(words in response.text for words in UNREADABLE)
        case.validate_response(response, excluded_checks=[positive_data_acceptance] if is_unreadable else [])

    holds()


def test_the_contract_is_openapi_3_1_and_needs_no_token(service: Running) -> None:
    with service.client() as client:
        found = client.get(f"{service.address}/api/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    assert len(found["paths"]) >= 20


def test_a_refused_method_is_answered_with_those_that_there_are(service: Running) -> None:
    methods = dict[str, set[str]]()
    for path, method, _ in operations():
        methods.setdefault(path, set()).update({method.upper()} | ({"HEAD"} if method == "get" else set()))
    with service.client() as client:
        for path, named in methods.items():
            answer = client.patch(f"{service.address}{re.sub('{[^}]*}', '1', path)}")
            assert (answer.status_code, named - set(answer.headers["allow"].split(", "))) == (405, set()), path
        assert client.put("/documents").headers["allow"] == "GET, POST, HEAD"


def test_every_error_is_problem_json_in_the_contract() -> None:
    paths = api_of("test").openapi()["paths"].values()
    answers = [answer for path in paths for operation in path.values() for answer in operation["responses"].items()]
    media = {media for status, answer in answers if status >= "400" for media in answer["content"]}
    assert media == {PROBLEM_MEDIA}
    assert any("application/json" in answer.get("content", {}) for status, answer in answers if status < "400")


def test_every_operation_but_health_wants_a_token_of_a_scope() -> None:
    wanted = {(path, method): scope for path, method, scope in operations()}
    assert wanted.pop(("/api/v1/health", "get")) is None
    assert all(scope in ("search", "add", "compare", "admin") for scope in wanted.values())
