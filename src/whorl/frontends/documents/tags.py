"""Which elements of HTML mean what for the text of a page, and where an element ends. The walk is the kernel's."""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from whorl.kernel.twin_html import BESIDE, BREAKS, HIDES, MAIN, RAW, UNSEEN, VOID, key

# Elements that stand on lines of their own, or in cells: by the standard's style sheet (section 15.3), and ``br``.
_BLOCKS = """
    address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link listing
    main menu meta nav ol optgroup option p plaintext pre search section select summary table tbody td template
    textarea tfoot th thead title tr ul xmp
"""
_ROLES = (
    (BREAKS, _BLOCKS),
    (RAW, "title textarea xmp"),
    # Not shown if scripts run.
    (RAW | UNSEEN, "script style noscript iframe noembed noframes"),
    (HIDES, "template"),
    (VOID, "area base br col embed hr img input link meta param source track wbr"),
    (BESIDE, "aside dialog footer form header menu nav search"),
    (MAIN, "main"),
)


@cache
def elements() -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The keys of all elements that have a role, and their roles."""
    roles: dict[int, int] = {}
    for role, names in _ROLES:
        for name in names.encode().split():
            roles[key(name)] = roles.get(key(name), 0) | role
    return np.array([*roles], np.uint64), np.array([*roles.values()], np.uint8)


def closings(tags: Iterable[tuple[int, bytes, bool]]) -> dict[int, int]:
    """Where elements end: the number of each start tag to that of the end tag.

    A tag is its number, its name in small letters, and whether it is an end tag. An end tag ends the last start tag of
    its name that is still open. What is never closed has no place here.
    """
    places: dict[int, int] = {}
    opened: dict[bytes, list[int]] = {}
    for number, name, ends in tags:
        if not ends:
            opened.setdefault(name, []).append(number)
        elif starts := opened.get(name):
            places[starts.pop()] = number
    return places
