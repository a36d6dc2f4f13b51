"""An attacker who knows the code but not the key (section 3.3): the scripts of ``experiments.koala.attacks``, small."""

import pytest
from experiments.koala.attacks import attacked

from tests.registry.corpus import prose
from whorl.registry.registry import Registry


@pytest.fixture(scope="module")
def attempts(tmp_path_factory):
    with Registry.create(tmp_path_factory.mktemp("attacks") / "registry") as registry:
        made, noticed = attacked(registry, "it", prose(1, 2500))
        return {attempt.name: attempt for attempt in made}, noticed


@pytest.mark.parametrize("name", ["guess", "greed"])
def test_a_hundred_edits_by_the_public_algorithm_leave_most_of_the_match(attempts, name):
    attempt = attempts[0][name]
    assert attempt.edits == 100
    assert attempt.ratio >= 0.5


def test_who_chops_learns_what_is_stored_and_loses_it_by_rotation(attempts):
    made, noticed = attempts
    assert made["chop"].ratio <= 0.02
    assert made["chop, rotated"].ratio >= 0.5
    assert noticed is not None
