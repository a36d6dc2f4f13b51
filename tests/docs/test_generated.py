"""Pages, pictures and example data that tools make are what the tools make now."""

import pytest
from tools import make_docs_corpus, make_docs_pictures, make_http_docs, make_python_docs, make_screenshots

import whorl

LARGEST = 160_000  # bytes of a screenshot: the site is small enough to be mailed


def test_the_python_page_is_up_to_date():
    advice = "run .venv/bin/python tools/make_python_docs.py"
    assert make_python_docs.PAGE.read_text("utf-8") == make_python_docs.page(), advice


def test_the_python_page_has_every_public_name():
    assert make_python_docs.names() == set(whorl.__all__)


def test_the_http_page_is_up_to_date():
    advice = "run .venv/bin/python tools/make_http_docs.py"
    assert make_http_docs.PAGE.read_text("utf-8") == make_http_docs.page(), advice


class TestHttpPage:
    """What the page makes of an OpenAPI document."""

    @pytest.mark.parametrize(
        ("schema", "kind"),
        [
            ({"type": "integer", "minimum": 1, "maximum": 500}, "integer (≥ 1, ≤ 500)"),
            ({"type": "number", "exclusiveMinimum": 0}, "number (> 0)"),
            ({"type": "string", "maxLength": 9}, "string (≤ 9 characters)"),
            ({"type": "array", "items": {"$ref": "#/components/schemas/Job"}}, "list of [Job](#job)"),
            ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string or null"),
            ({"enum": ["a", "b"]}, "`a`, `b`"),
            ({"enum": list(range(50))}, "one of 50 names"),
            ({"type": "string", "format": "binary"}, "file"),
            ({}, "any value"),
        ],
    )
    def test_what_a_value_may_be(self, schema, kind):
        assert make_http_docs.kind(schema) == kind

    def test_a_request(self):
        described = {
            "description": "What ``x`` is.",
            "parameters": [{"name": "n", "in": "query", "required": True, "schema": {"type": "integer"}}],
            "responses": {"204": {}, "404": {}},
        }
        section = make_http_docs.operation("/api/v1/things", "get", described)
        assert section.startswith("\n### `GET /things`\n\nWhat `x` is.\n")
        assert "| `n` | query | integer | required |\n" in section
        assert section.endswith("Answer 204, without a body\n")

    def test_a_record_says_what_may_be_missing(self):
        schema = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}
        section = make_http_docs.record("Thing", schema)
        assert section.endswith("| `a` | string |  |\n| `b` | integer | may be missing |\n")
        assert "meaning" not in section


@pytest.mark.parametrize("name", make_docs_pictures.PICTURES)
def test_a_picture_shows_what_is_selected(name):
    drawn = (make_docs_pictures.IMAGES / name).read_text("utf-8")
    assert drawn == make_docs_pictures.PICTURES[name](), "run .venv/bin/python tools/make_docs_pictures.py"


def test_the_example_crawl_is_as_it_is_drawn():
    for name, content in make_docs_corpus.files().items():
        assert (make_docs_corpus.FOLDER / name).read_text("utf-8") == content


@pytest.mark.parametrize("name", make_screenshots.FLOWS)
def test_a_screenshot_can_be_taken_again(name, browser, tmp_path):
    taken = make_screenshots.take(browser, name, tmp_path).read_bytes()
    kept = (make_screenshots.IMAGES / name).read_bytes()
    for picture in (taken, kept):
        assert picture.startswith(b"\x89PNG")
        assert int.from_bytes(picture[16:20]) == make_screenshots.WIDTH
    assert 10_000 < len(kept) <= LARGEST
