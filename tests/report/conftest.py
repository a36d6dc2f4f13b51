"""A browser for the tests of the report, and pages that fail the test if anything went wrong on them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, ViewportSize

from tests.report.sample import classroom
from whorl.model import Skipped, Span
from whorl.report.write import write


class Watch:
    """What a page did that a report never does: messages, errors, dialogs, requests that leave the disk."""

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._request(request.url))

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str) -> None:
        if not url.startswith("file://"):
            self.faults.append(f"request: {url}")


LAPTOP: ViewportSize = {"width": 1366, "height": 768}

# Forget what pages have stored; a page that is no file can store nothing.
FORGET = "if (location.protocol === 'file:') { localStorage.clear(); sessionStorage.clear(); }"


@pytest.fixture(scope="session")
def window(browser) -> Iterator[tuple[Page, Watch]]:
    """A page of a laptop's size that stays open, and its watch. The process of a new page takes longer to start than
    most pages take to load; a page that another one opened in its own process was seen to wait for ever, once in
    thousands."""
    context = browser.new_context(viewport=LAPTOP, reduced_motion="reduce")
    kept = context.new_page()
    kept.set_default_timeout(20_000)
    yield kept, Watch(kept)
    context.close()


@pytest.fixture
def page(window) -> Iterator[Page]:
    """The page as if it were new. The test fails at its end if anything was said, asked or requested."""
    kept, watch = window
    yield kept
    for other in kept.context.pages[1:]:
        other.close()
    kept.evaluate(FORGET)
    kept.goto("about:blank")
    kept.emulate_media(media="null", color_scheme="null", reduced_motion="reduce")
    kept.set_viewport_size(LAPTOP)
    kept.mouse.move(0, 0)
    faults, watch.faults = watch.faults, []
    assert faults == []


@pytest.fixture(scope="session")
def report(tmp_path_factory) -> Path:
    """The report of a class: 36 submissions, more pairs than fit on a page of the table."""

    def sanctioned(text: str) -> tuple[Span, ...]:
        return (Span(0, text.index("\n")),)

    folder = tmp_path_factory.mktemp("report") / "class"
    comparison = classroom(36, threshold=0.5, sanctioned=sanctioned, skipped=(Skipped("a.bin", "binary"),))
    return write(comparison, folder, title="A class")
