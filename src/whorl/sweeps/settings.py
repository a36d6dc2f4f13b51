"""What is fixed when a sweep store is made: the settings of its clusters. They are those of ``whorl cluster``."""

import json
from collections.abc import Mapping
from typing import Any

from whorl.clustering.settings import ClusterSettings
from whorl.errors import InputError
from whorl.scheme import Scheme

# What decides which documents are alike. The rest of a clustering's settings is about what a run may cost.
FIXED = ("threshold", "measure", "common", "closure", "modulus", "least")


def made(given: Mapping[str, Any]) -> ClusterSettings:
    """The settings of a new store, checked."""
    unknown = sorted(set(given) - set(FIXED))
    if unknown:
        raise InputError(f"{', '.join(unknown)}: no setting of sweeps; there are {', '.join(FIXED)}")
    return ClusterSettings(**given)


def to_json(settings: ClusterSettings) -> str:
    """The fixed settings, as the store keeps them."""
    return json.dumps({name: getattr(settings, name) for name in FIXED}, sort_keys=True)


def from_json(text: str) -> ClusterSettings:
    """The settings of a store."""
    return ClusterSettings(**json.loads(text))


def check_same(settings: ClusterSettings, given: Mapping[str, Any]) -> None:
    """Refuses settings that are not those of a store that is there: its pairs were found with its own."""
    for name, value in given.items():
        if getattr(settings, name) != value:
            _refuse(name, value, getattr(settings, name))


def check_scheme(own: Scheme, asked: Scheme) -> None:
    """Refuses a scheme that is not the one of a store that is there."""
    if own.id != asked.id:
        _refuse("scheme", asked.id, own.id)


def _refuse(name: str, asked: object, own: object) -> None:
    raise InputError(
        f"--{name}: {asked} was asked for, and these sweeps were made with {own}, which is fixed when they are made: "
        "leave the option out, or make another store"
    )
