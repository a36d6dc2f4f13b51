"""Style sheets and scripts: the report's own, at addresses that change with the content."""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import httpx

from tests.service.harness import PATIENCE
from whorl.service.page.rendering import address, assets


def test_the_style_sheet_has_the_reports_colours_and_marks():
    style = assets()["whorl.css"].content.decode()
    for name in ("colours.css", "page.css", "panels.css", "code.css"):
        assert (files("whorl.report") / "styles" / name).read_text("utf-8") in style


def test_the_script_of_others_is_the_one_that_the_documentation_names():
    """A change of the vendored file is a change of a line that somebody reads."""
    found = sha256((files("whorl.service.page") / "static" / "htmx.min.js").read_bytes()).hexdigest()
    assert found in (Path(__file__).parents[3] / "docs" / "dependencies.md").read_text("utf-8")


def test_the_theme_switch_is_the_reports():
    assert assets()["theme.js"].content == (files("whorl.report") / "scripts" / "theme.js").read_bytes()


def test_every_asset_is_served_for_ever_at_the_address_of_its_content(site):
    for asset in assets().values():
        answer = httpx.get(site.address + asset.address, timeout=PATIENCE)
        assert answer.content == asset.content
        assert answer.headers["content-type"] == asset.media
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_another_digest_is_missing(site):
    wrong = re.sub(r"/static/[0-9a-f]+/", "/static/0000000000000000/", address("whorl.css"))
    assert httpx.get(site.address + wrong, timeout=PATIENCE).status_code == 404
    assert httpx.get(f"{site.address}/static/x/../../../routes.py", timeout=PATIENCE).status_code == 404


def test_no_template_has_a_script_or_a_style_of_its_own():
    folder = files("whorl.service.page") / "templates"
    for template in folder.iterdir():
        text = template.read_text("utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|\|\s*safe", text), (
            template
        )


def test_the_script_of_others_comes_with_its_licence():
    assert "any purpose with or without fee" in (files("whorl.service.page") / "static" / "htmx.LICENSE").read_text()
