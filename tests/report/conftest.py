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


@pytest.fixture
def page(browser) -> Iterator[Page]:
    """A page of a laptop's size. The test fails at its end if anything was said, asked or requested."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    watch = Watch(opened)
    yield opened
    context.close()
    assert watch.faults == []


@pytest.fixture(scope="session")
def report(tmp_path_factory) -> Path:
    """The report of a class: 36 submissions, more pairs than fit on a page of the table."""

    def sanctioned(text: str) -> tuple[Span, ...]:
        return (Span(0, text.index("\n")),)

    folder = tmp_path_factory.mktemp("report") / "class"
    comparison = classroom(36, threshold=0.5, sanctioned=sanctioned, skipped=(Skipped("a.bin", "binary"),))
    return write(comparison, folder, title="A class")
