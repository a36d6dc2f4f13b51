"""Collections: a tenant's own, with how long documents are kept."""

import pytest

from whorl.errors import InputError
from whorl.service.database import ServiceDatabase
from whorl.service.retention import LONGEST_DAYS, CollectionStore


@pytest.fixture
def collections(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        yield CollectionStore(database)


def test_a_collection_is_put_and_changed(collections):
    made = collections.put("history", "essays", 30)
    assert (made.tenant, made.name, made.retention_days) == ("history", "essays", 30)
    changed = collections.put("history", "essays", None)
    assert (changed.retention_days, changed.created) == (None, made.created)
    assert collections.get("history", "essays") == changed
    assert collections.get("history", "other") is None


def test_tenants_and_the_house_do_not_see_each_other(collections):
    for tenant in ("a", "b", None):
        collections.put(tenant, "main", 7 if tenant else None)
    assert [each.tenant for each in collections.listed("a")] == ["a"]
    assert [each.tenant for each in collections.listed(None)] == [None]
    assert [each.tenant for each in collections.listed(None, everyone=True)] == [None, "a", "b"]
    assert [each.tenant for each in collections.limited()] == ["a", "b"]
    assert collections.delete("a", "main")
    assert not collections.delete("a", "main")
    assert collections.get("b", "main") is not None


@pytest.mark.parametrize("days", [0, -1, LONGEST_DAYS + 1])
def test_a_retention_that_is_no_time_is_refused(collections, days):
    with pytest.raises(InputError, match="retention_days"):
        collections.put("a", "main", days)
