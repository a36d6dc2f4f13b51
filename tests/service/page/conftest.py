"""A furnished service, a browser that is signed in, and a watch for everything that a page must not do."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from tests.service import harness
from tests.service.harness import Running, running, settings_in
from tests.service.page.door import signed_in
from tests.service.page.house import class_zip, furnish, registry_in, sweep_in

LAPTOP = {"width": 1366, "height": 800}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One service for all tests of the pages."""
    folder = tmp_path_factory.mktemp("site")
    with running(settings_in(folder, registry=registry_in(folder), sweep=sweep_in(folder))) as found:
        furnish(found)
        yield found


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service that runs no jobs: they wait."""
    with harness.idle(tmp_path_factory.mktemp("idle")) as found:
        yield found


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip file of a class."""
    path = tmp_path_factory.mktemp("class") / "exercise3.zip"
    path.write_bytes(class_zip())
    return path


@pytest.fixture
def acme(site: Running) -> Iterator[httpx.Client]:
    """Acme, signed in, without a browser."""
    with signed_in(site, site.acme) as client:
        yield client


@pytest.fixture
def admin(site: Running) -> Iterator[httpx.Client]:
    """An admin, signed in, without a browser."""
    with signed_in(site, site.admin) as client:
        yield client


class Watch:
    """What a page did that none does: messages, errors, dialogs, requests that leave the service."""

    def __init__(self, page: Page, address: str) -> None:
        self.faults: list[str] = []
        self._address = address
        page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._request(request.url))

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str) -> None:
        if not url.startswith(self._address):
            self.faults.append(f"request: {url}")


def context_of(browser: Browser, site: Running, secret: str, **options: object) -> BrowserContext:
    """A browser's window in which somebody is signed in, and nothing moves by itself."""
    still = {"viewport": LAPTOP, "base_url": site.address, "reduced_motion": "reduce"}
    context = browser.new_context(**{**still, **options})  # type: ignore[arg-type]
    with signed_in(site, secret) as client:
        cookies = [{"name": name, "value": value, "url": site.address} for name, value in client.cookies.items()]
    context.add_cookies(cookies)  # type: ignore[arg-type]
    return context


def watched(context: BrowserContext, site: Running) -> tuple[Page, Watch]:
    """A page that is watched."""
    page = context.new_page()
    page.set_default_timeout(30_000)
    return page, Watch(page, site.address)


@pytest.fixture
def page(browser: Browser, site: Running) -> Iterator[Page]:
    """Acme's page, of a laptop's size. The test fails at its end if anything went wrong on it."""
    context = context_of(browser, site, site.acme)
    opened, watch = watched(context, site)
    yield opened
    context.close()
    assert watch.faults == []


@pytest.fixture
def admin_page(browser: Browser, site: Running) -> Iterator[Page]:
    """The same for an admin."""
    context = context_of(browser, site, site.admin)
    opened, watch = watched(context, site)
    yield opened
    context.close()
    assert watch.faults == []
