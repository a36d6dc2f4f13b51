"""The fuzzer for a few seconds: a hundred documents a front-end, the same in every run. ``make fuzz`` runs on."""

import pytest
from fuzz.__main__ import SEED
from fuzz.campaign import Campaign

from fuzz import targets
from tests.examples import count

# Executions a front-end. Whorl's own readers and the document formats make a thousand a second; a language a fifth.
DOCUMENTS = count(500)
PROGRAMS = count(60)

pytestmark = pytest.mark.properties


def assert_nothing_is_found(names, executions):
    with Campaign(jobs=1) as campaign:
        reports = dict(campaign.run(names, SEED, executions))
    assert list(reports) == names
    for name, report in reports.items():
        found = {f"{finding.signature}: --seed {SEED} --only {finding.number}" for finding in report.findings}
        assert not found, name
        assert report.executions == executions
        assert sum(report.kinds.values()) == executions
        assert sum(count for kind, count in report.kinds.items() if kind != "refused") > executions / 20, name


def test_texts_documents_and_archives():
    assert_nothing_is_found([name for name in targets.names() if not name.startswith("code-")], DOCUMENTS)


@pytest.mark.parametrize("half", [0, 1])
def test_programming_languages(half):
    assert_nothing_is_found([name for name in targets.names() if name.startswith("code-")][half::2], PROGRAMS)
