"""The scheme: the frozen settings by which documents become fingerprints, and its presets.

Fingerprints of different schemes are never compared, so a scheme has a stable short id. It has the key's id, not the
secret key.
"""

import json
from collections.abc import Mapping
from dataclasses import InitVar, asdict, dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Self

from whorl.catalog import FRONTENDS, SELECTORS, Catalog, CatalogRow
from whorl.errors import SchemeError, UnknownNameError

# Raise it whenever the same scheme and key give other fingerprints than before: it is part of every id. A kind of
# symbol whose hashes alone changed has its own number, so that fingerprints of other kinds stay valid.
REVISION = 1
REVISIONS = {"tokens": 4, "words": 2}

# Documents are processed in blocks that overlap by a window of k-grams; past this size the overlap would dominate.
LARGEST_K = 65_536

# Order hashes have 32 bits, so a larger p would select nothing but 0.
LARGEST = {"w": 65_536, "p": 2**31, "n": 2**31, "r": LARGEST_K, "letters": LARGEST_K}

# Bounds of the settings that any selector accepts. Nearly all documents would share hashes below 16 bits.
COMMON_BOUNDS = {"prolog": (1, 2**31), "stored": (1, 2**31), "bits": (16, 64), "common": (2, 2**31), "cap": (1, 2**31)}

# The id of the public key, used unless a secret key is drawn: results then are the same everywhere.
PUBLIC_KEY = "public"

# r of the mod-minimizers: the shortest t-gram that they order. Four symbols keep ties within a window rare, in text
# (26 letters) as in DNA (4); a longer one costs density.
DEFAULT_R = 4

# The first letters of a substring that determine its rarity (Heintze 1996, section 6.1).
DEFAULT_LETTERS = 5

# Defaults of settings that some selectors need.
_DEFAULTS = {"r": DEFAULT_R, "letters": DEFAULT_LETTERS}


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """How documents become fingerprints. Checks itself, and reports all its faults at once.

    ``k`` is the noise threshold: nothing shorter is ever found. ``w`` is the window. Give ``t``, the guarantee
    threshold, instead of ``w``: every shared passage of at least t symbols is found, and w = t - k + 1.

    The last five are Koala's (Heintze 1996) and off by default. ``prolog`` is the number of characters ignored at the
    beginning of a document. The others are a registry's: ``stored`` is the number of fingerprints stored per document,
    ``bits`` the bits stored of each, ``common`` the number of documents from which on a fingerprint is ignored in a
    search, ``cap`` the most fingerprints to ignore.
    """

    frontend: str = "text"
    symbols: str | None = None
    k: int
    select: str = "robust"
    w: int | None = None
    p: int | None = None
    n: int | None = None
    r: int | None = None
    letters: int | None = None
    prolog: int | None = None
    stored: int | None = None
    bits: int | None = None
    common: int | None = None
    cap: int | None = None
    key: str = PUBLIC_KEY
    t: InitVar[int | None] = None

    def __post_init__(self, t: int | None) -> None:
        frontend, selector = _row(FRONTENDS, self.frontend), _row(SELECTORS, self.select)
        faults = _guarantee_faults(self, t, selector)
        if t is not None and not faults:
            object.__setattr__(self, "w", t - self.k + 1)
        for name, value in _DEFAULTS.items():
            if getattr(self, name) is None and selector is not None and name in selector.takes:
                object.__setattr__(self, name, value)
        if self.symbols is None and frontend is not None:
            object.__setattr__(self, "symbols", frontend.kinds[0])
        faults += [*_name_faults(self, frontend), *_number_faults(self, selector, t), *_common_faults(self)]
        if faults:
            raise SchemeError(faults)

    @property
    def guarantee(self) -> int | None:
        """t: every shared passage of at least this many symbols is found; None if the selector guarantees nothing."""
        window = SELECTORS.row(self.select).window if self.w is None else self.w
        return None if window is None else window + self.k - 1

    @property
    def revision(self) -> int:
        """Number that is raised whenever this scheme gives other fingerprints than before."""
        return REVISIONS.get(self.symbols or "", REVISION)

    @cached_property
    def id(self) -> str:
        """Stable short name: equal schemes have equal ids, on every machine and in every version of Whorl that makes
        the same fingerprints."""
        settings = json.dumps({"revision": self.revision, **self.as_dict()}, sort_keys=True, separators=(",", ":"))
        return blake2b(settings.encode(), digest_size=6, person=b"whorl scheme").hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return the settings that are set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def to_json(self) -> str:
        """Return one JSON object."""
        return json.dumps(self.as_dict())

    def to_toml(self) -> str:
        """Return one ``name = value`` a line: JSON strings and integers are valid TOML."""
        return "".join(f"{name} = {json.dumps(value)}\n" for name, value in self.as_dict().items())

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Make a scheme from its settings. Unknown names are faults too."""
        known = {field.name for field in fields(cls)} | {"t"}
        unknown = [
            f"{name}: no such setting; a scheme has {', '.join(sorted(known))}"
            for name in settings
            if name not in known
        ]
        if "k" not in settings:
            unknown.append("k: missing; give the length of a k-gram, such as k = 20")
        if unknown:
            raise SchemeError(unknown)
        return cls(**settings)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a scheme that ``to_json`` wrote."""
        try:
            settings = json.loads(text)
        except ValueError as error:
            raise SchemeError([f"not JSON: {error}"]) from error
        if not isinstance(settings, dict):
            raise SchemeError(["not a scheme: give a JSON object"])
        return cls.from_dict(settings)

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read a scheme that ``to_toml`` wrote."""
        import tomllib  # slow to import, and rarely needed

        try:
            return cls.from_dict(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise SchemeError([f"not TOML: {error}"]) from error

    def with_key(self, key_id: str) -> Self:
        """Return the same scheme under another key."""
        return replace(self, key=key_id)

    def selecting(self, select: str, **settings: int) -> Self:
        """Return the same scheme with another selector and its settings, without those of the old selector."""
        shared = {name: value for name, value in self.as_dict().items() if name not in LARGEST}
        return type(self).from_dict({**shared, "select": select, **settings})


def _row(catalog: Catalog, name: Any) -> CatalogRow | None:
    """Return the row of this name; None if there is none, which ``_name_faults`` reports."""
    try:
        return catalog.row(name) if isinstance(name, str) else None
    except UnknownNameError:
        return None


def _guarantee_faults(scheme: Scheme, t: int | None, selector: CatalogRow | None) -> list[str]:
    if t is None:
        return []
    if scheme.w is not None:
        return ["t: given together with w; give one of them (w = t - k + 1)"]
    if selector is not None and "w" not in selector.takes:
        return [f"t: the selector {scheme.select!r} takes no window, so t cannot set it; leave it out"]
    if not _whole(t):
        return [f"t: {t!r} is not a whole number"]
    if _whole(scheme.k) and t < scheme.k:
        remedy = "the guarantee cannot be shorter than the k-grams: raise t or lower k"
        return [f"t: {t} is less than k ({scheme.k}); {remedy}"]
    return []


def _name_faults(scheme: Scheme, frontend: CatalogRow | None) -> list[str]:
    faults = []
    for setting, catalog in (("frontend", FRONTENDS), ("select", SELECTORS)):
        name = getattr(scheme, setting)
        if _row(catalog, name) is None:
            faults.append(f"{setting}: {UnknownNameError(catalog.kind, name, catalog.names())}")
    if frontend is not None and scheme.symbols not in frontend.kinds:
        faults.append(f"symbols: {scheme.symbols!r} is unknown: choose one of {', '.join(frontend.kinds)}")
    if not isinstance(scheme.key, str) or not scheme.key:
        faults.append("key: give the id of a key, such as 'public'")
    return faults


def _number_faults(scheme: Scheme, selector: CatalogRow | None, t: int | None) -> list[str]:
    faults = _bounds_faults("k", scheme.k, LARGEST_K)
    for name, largest in LARGEST.items():
        value = getattr(scheme, name)
        needed = selector is not None and name in selector.takes
        if value is None and needed and not (name == "w" and t is not None):
            faults.append(f"{name}: missing; the selector {scheme.select!r} needs it")
        elif value is not None and selector is not None and not needed:
            faults.append(f"{name}: the selector {scheme.select!r} takes none; leave it out")
        elif value is not None:
            faults += _bounds_faults(name, value, largest)
    return faults


def _common_faults(scheme: Scheme) -> list[str]:
    faults = []
    for name, (least, greatest) in COMMON_BOUNDS.items():
        value = getattr(scheme, name)
        if value is not None:
            faults += _bounds_faults(name, value, greatest, least)
    if not faults and scheme.stored is not None and _whole(scheme.n) and scheme.stored > (scheme.n or 0):
        faults.append(
            f"stored: {scheme.stored} is more than n ({scheme.n}); stored fingerprints are a part of the selected ones"
        )
    if scheme.cap is not None and scheme.common is None:
        faults.append("cap: nothing is ignored without common; set common too, or leave cap out")
    return faults


def _bounds_faults(name: str, value: Any, largest: int, least: int = 1) -> list[str]:
    if not _whole(value):
        return [f"{name}: {value!r} is not a whole number"]
    if not least <= value <= largest:
        return [f"{name}: {value} is out of range; give a whole number from {least} to {largest}"]
    return []


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


PRESETS: Mapping[str, Scheme] = {
    # Programs: eight tokens are a statement or two. On labelled programs k from 6 to 12 is flat and 16 loses, and
    # w = 4 costs little against every k-gram.
    "code": Scheme(frontend="code", k=8, w=4),
    # Prose: 20 letters are four words or so; unrelated documents seldom share them, and 39 are always found.
    "text": Scheme(symbols="characters", k=20, w=20),
    # Broder et al. 1997, section 5: shingles of 10 words, 1 in 25 of them kept.
    "web": Scheme(symbols="words", k=10, select="mod", p=25),
    # Near-duplicate documents: four words, so that one word in eight may differ; experiments/planted.
    "pages": Scheme(symbols="words", k=4, select="mod", p=16),
    # Heintze 1996: sequences of 20 consonants (section 5), 1,000 searched for and 100 of them stored (3.3), rare by
    # their first five letters (6.1), in 28 bits (4); in 4 documents or more they are ignored, 10 at most (6.2), as is
    # the beginning of 1,000 characters (6.3).
    "koala": Scheme(
        symbols="consonants",
        k=20,
        select="rarity",
        n=1000,
        letters=DEFAULT_LETTERS,
        prolog=1000,
        stored=100,
        bits=28,
        common=4,
        cap=10,
    ),
}


def preset(name: str) -> Scheme:
    """Return the preset of this name."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return PRESETS[name]


def resolve(scheme: Scheme | str) -> Scheme:
    """Return a scheme itself, or the preset of this name."""
    return preset(scheme) if isinstance(scheme, str) else scheme
