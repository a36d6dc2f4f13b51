import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.index.store import Entry
from whorl.service.naming import SLUG, QualifiedName, checked_fact, checked_name, checked_slug, qualified_name_of
from whorl.service.problems import Problem

slugs = st.from_regex(SLUG, fullmatch=True)
names = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=40).filter(str.strip)


def entry(name: str, owner: str | None) -> Entry:
    return Entry(1, name, b"", "text", 1, 1, False, None, None, None, owner, (), "2026-01-01T00:00:00+00:00")


@given(st.none() | slugs, slugs, names)
def test_a_place_is_found_again_in_the_index_name(tenant, collection, name) -> None:
    place = QualifiedName(tenant, collection, checked_name(name))
    assert qualified_name_of(entry(place.index_name, tenant)) == place


@given(slugs, slugs, slugs, slugs, names, names)
def test_places_of_two_tenants_never_have_one_name(one, other, here, there, name, another) -> None:
    if one != other:
        assert QualifiedName(one, here, name).index_name != QualifiedName(other, there, another).index_name
    assert QualifiedName(None, here, name).index_name != QualifiedName(one, there, another).index_name


@pytest.mark.parametrize(
    ("name", "owner"),
    [("papers/a.txt", None), ("acme/main/x", None), ("acme/main/x", "bolt"), ("acme/x", "acme"), ("x", "acme")],
)
def test_what_came_by_the_command_line_has_no_collection(name, owner) -> None:
    assert qualified_name_of(entry(name, owner)) == QualifiedName(owner, None, name)


@pytest.mark.parametrize("text", ["", "A", "-a", ".a", "a/b", "a b", "é", "a" * 65, "a\n", "..", "a\0"])
def test_these_are_no_slugs(text) -> None:
    with pytest.raises(Problem):
        checked_slug(text, "tenant")


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\u00a0 ", "a" * 501])
def test_these_are_no_names(text) -> None:
    with pytest.raises(Problem, match="white space"):
        checked_name(text)


@pytest.mark.parametrize("text", ["a\nb", "a\0", "\x7f", "\x85", "\u2028", "\ud800"])
def test_what_forges_lines_is_in_no_name_and_no_fact(text) -> None:
    for check in (checked_name, lambda value: checked_fact(value, "url")):
        with pytest.raises(Problem) as refused:
            check(text)
        assert refused.value.status == 422
