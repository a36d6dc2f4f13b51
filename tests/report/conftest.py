"""A browser for the tests of the report, and pages that fail the test if anything went wrong on them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page

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


@pytest.fixture(scope="session")
def window(browser, tmp_path_factory) -> Iterator[Page]:
    """A page in a window of a laptop's size that stays open: the pages of the tests run in its process."""
    empty = tmp_path_factory.mktemp("window") / "empty.html"
    empty.write_text("<!doctype html>")
    context = browser.new_context(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    kept = context.new_page()
    kept.goto(empty.as_uri())
    yield kept
    context.close()


def beside(kept: Page) -> Page:
    """Return a new page that a page opened: they share a process. To start one takes longer than to load most pages."""
    with kept.expect_popup() as popup:
        kept.evaluate("void window.open('about:blank')")
    return popup.value


@pytest.fixture
def page(window) -> Iterator[Page]:
    """A new page, which finds nothing stored. The test fails at its end if anything was said, asked or requested."""
    opened = beside(window)
    opened.set_default_timeout(20_000)
    watch = Watch(opened)
    yield opened
    for other in window.context.pages[1:]:
        other.close()
    window.evaluate("localStorage.clear()")
    assert watch.faults == []


@pytest.fixture(scope="session")
def report(tmp_path_factory) -> Path:
    """The report of a class: 36 submissions, more pairs than fit on a page of the table."""

    def sanctioned(text: str) -> tuple[Span, ...]:
        return (Span(0, text.index("\n")),)

    folder = tmp_path_factory.mktemp("report") / "class"
    comparison = classroom(36, threshold=0.5, sanctioned=sanctioned, skipped=(Skipped("a.bin", "binary"),))
    return write(comparison, folder, title="A class")
