"""Every form of every page: without its guard, with a wrong one, or from another site, nothing is done."""

from collections.abc import Iterator
from itertools import chain
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from fastapi.routing import APIRoute

from tests.service.harness import PATIENCE
from tests.service.page.door import signed_in, token_of
from whorl.service.context import Context
from whorl.service.page.routes import page_routers

VALUES = {"{number}": "1", "{id_}": "AAAAAAAAAAAAAAAA"}


def _posts() -> Iterator[str]:
    with_everything = cast(Context, SimpleNamespace(has_registry=True, has_sweep=True))
    for route in chain.from_iterable(router.routes for router in page_routers(with_everything)):
        assert isinstance(route, APIRoute)
        if "POST" in (route.methods or ()):
            path = route.path
            for name, value in VALUES.items():
                path = path.replace(name, value)
            yield path
        else:
            assert route.methods == {"GET"}, f"{route.path}: a form can send GET and POST alone"


POSTS = tuple(_posts())
SIGNED_IN = tuple(path for path in POSTS if path != "/sign-in")


@pytest.fixture(scope="module")
def client(site) -> Iterator[httpx.Client]:
    with signed_in(site, site.admin) as client:
        yield client


@pytest.fixture(scope="module")
def other(site) -> Iterator[str]:
    """The guard of another session of the same token."""
    with signed_in(site, site.admin) as client:
        yield token_of(client)


def test_there_are_forms():
    assert len(POSTS) >= 12
    assert len(set(POSTS)) == len(POSTS)


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("guard", [None, "", "x", "0" * 64, "ü"])
def test_without_its_guard_a_form_is_refused(client, path, guard):
    answer = client.post(path, data={} if guard is None else {"csrf": guard})
    assert answer.status_code == 403
    assert "The form was not accepted" in answer.text


@pytest.mark.parametrize("path", POSTS)
def test_the_guard_of_another_session_is_refused(client, other, path):
    assert client.post(path, data={"csrf": other}).status_code == 403


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_from_another_site_a_form_is_refused_whatever_its_guard(client, path, headers):
    answer = client.post(path, data={"csrf": token_of(client)}, headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize("path", SIGNED_IN)
def test_without_a_session_a_form_leads_to_the_door(site, path):
    answer = httpx.post(site.address + path, data={"csrf": "0" * 64}, timeout=PATIENCE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?said=ended")


def test_the_guard_can_come_as_a_header(client):
    answer = client.post("/search", data={"text": "x"}, headers={"X-CSRF-Token": token_of(client)})
    assert answer.status_code == 200


def test_every_form_of_a_page_has_the_guard(client):
    for path in ("/", "/documents/add", "/documents/1/delete", "/compare", "/jobs", "/registry", "/admin/tokens"):
        html = client.get(path).text
        assert html.count('method="post"') == html.count('name="csrf"') > 0
