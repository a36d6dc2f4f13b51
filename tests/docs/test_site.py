"""The site is whole, and can be read from disk: no page fetches anything, search works, pictures follow the colours."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import expect

EXTERNAL = re.compile(r"(?:https?:)?//")

# Attributes whose address a browser loads by itself; a link of the text is followed only when it is clicked.
LOADED = {
    "script": ("src",), "link": ("href",), "img": ("src", "srcset"), "source": ("src", "srcset"), "iframe": ("src",),
    "video": ("src", "poster"), "audio": ("src",), "object": ("data",), "embed": ("src",), "image": ("href",),
    "use": ("href",), "input": ("src",), "body": ("background",),
}  # fmt: skip
OPENED = (
    "index.html", "tutorials/instructor.html", "howto/fair-reading.html", "cli.html", "python.html", "http.html",
    "schemas.html", "explanation/fingerprinting.html",
)  # fmt: skip


class Loads(HTMLParser):
    """The addresses that a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in LOADED.get(tag, ())]


def loaded(site: Path) -> Iterator[tuple[str, str]]:
    """What every page and style sheet of the site loads."""
    for path in site.rglob("*.html"):
        yield from ((path.name, address) for address in Loads(path.read_text("utf-8")).addresses)
    for path in site.rglob("*.css"):
        text = path.read_text("utf-8")
        yield from ((path.name, address) for address in re.findall(r"(?:url\(|@import )[\"']?([^\"')\s]+)", text))


def test_nothing_is_loaded_from_elsewhere(site):
    found = list(loaded(site))
    assert len(found) > 100
    assert [(name, address) for name, address in found if EXTERNAL.match(address)] == []


def test_what_is_loaded_is_there(site):
    for path in site.rglob("*.html"):
        if path.name != "404.html":  # served from anywhere, so its addresses begin at the root
            for address in Loads(path.read_text("utf-8")).addresses:
                local = address.partition("#")[0].partition("?")[0]
                assert local.startswith("data:") or (path.parent / local).exists(), (path, address)


def test_bars_in_tables_have_no_backslash(site):
    """A line for the shell, copied out of a table, had the backslash."""
    for path in site.rglob("*.html"):
        assert not re.search(r"<td[ >](?:(?!</td>).)*\\\|", path.read_text("utf-8"), re.DOTALL), path


@pytest.mark.parametrize("name", OPENED)
def test_a_page_opens_from_disk(site, page, name):
    page.goto((site / name).as_uri())
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".md-tabs")).to_be_visible()


def test_search_works_from_disk(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("rotation")
    result = page.locator(".md-search-result__link").first
    expect(result).to_be_visible()
    expect(page.locator(".md-search-result__list")).to_contain_text("registry")
    result.click()
    page.wait_for_url(re.compile(r"^file://.*html"))


def test_pictures_follow_the_colours_of_the_page(site, page):
    page.emulate_media(color_scheme="light")
    page.goto((site / "explanation" / "fingerprinting.html").as_uri())
    picture = page.get_by_role("img", name=re.compile("^A short text"))
    expect(picture.locator("text", has_text="The sea gave.")).to_be_visible()

    def ink() -> object:
        return picture.locator("text", has_text="eseag").evaluate("node => getComputedStyle(node).fill")

    light = ink()
    page.locator("label[for=__palette_1]").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert (light, ink()) == ("rgb(28, 32, 36)", "rgb(230, 233, 236)")


def test_a_fence_that_names_its_file_shows_the_name(site):
    assert '<span class="filename">january.jsonl</span>' in (site / "sweeps.html").read_text("utf-8")
