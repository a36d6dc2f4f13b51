"""The six relationships of section 2, and the noise of section 5, on prose: how a version of a document is found."""

import random

import pytest
from experiments.koala.derived import CLASSES, NOISE, included

from tests.registry.corpus import prose
from whorl import Document
from whorl.registry.registry import Registry

ORIGINALS = {f"{seed}": prose(seed, 2500) for seed in range(12)}
OTHERS = [prose(seed, 2500) for seed in range(100, 106)]


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    with Registry.create(tmp_path_factory.mktemp("classes") / "registry") as made:
        list(made.add_all(Document(name, text) for name, text in ORIGINALS.items()))
        yield made


# The least match ratio of each class: what a version shares with its original, less what chance takes from 100.
LEAST = {
    "1 identical": 1.0,
    "2 small edits": 0.4,
    "3 reorganised": 0.6,
    "4 revised": 0.2,
    "5 condensed": 0.1,
    "5 expanded": 0.1,
}


@pytest.mark.parametrize("name", LEAST)
def test_classes_one_to_five_are_found_every_time(registry, name):
    draw = random.Random(name)
    for original, text in ORIGINALS.items():
        hits = registry.search(CLASSES[name](text, OTHERS, draw))
        assert hits[0].document.name == original
        assert hits[0].ratio >= LEAST[name]


def test_a_portion_is_found_nearly_always(registry):
    """Class 6: 400 of 2,500 words are 16 of 100 substrings; with small luck some are lost."""
    draw = random.Random(6)
    found = 0
    for original, text in ORIGINALS.items():
        hits = registry.search(included(text, OTHERS, draw))
        found += any(hit.document.name == original for hit in hits)
    assert found >= len(ORIGINALS) - 1


# What a converter spoils of 20 consonants: nothing, but for where the prolog ends; or as much as letters are misread.
NOISY = {"ligatures": 0.97, "hyphenation": 0.95, "lost punctuation": 0.95, "broken words": 0.95, "misread letters": 0.4}


@pytest.mark.parametrize("name", NOISE)
def test_noise_does_not_hide_a_document(registry, name):
    draw = random.Random(name)
    for original, text in ORIGINALS.items():
        hits = registry.search(NOISE[name](text, draw))
        assert hits[0].document.name == original
        assert hits[0].ratio >= NOISY[name]


def test_all_noise_at_once(registry):
    draw = random.Random("all")
    for original, text in ORIGINALS.items():
        for spoil in NOISE.values():
            text = spoil(text, draw)
        assert registry.search(text)[0].document.name == original
