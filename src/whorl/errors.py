"""Every exception that Whorl raises on purpose. Library code raises; only the edges print.

WhorlError
├── InputError          what the user gave cannot be used
│   ├── FaultsError     settings that check themselves have faults: all of them, in ``faults``
│   │   └── SchemeError   those of a scheme
│   ├── KeyMismatchError  a key is not the one that the scheme names
│   ├── DocumentError   a file is missing, unreadable or not a file
│   └── UnknownNameError  a front-end, selector, preset or kernel that nobody declared
└── KernelError         the compiled kernel is not built

``whorl.frontends.sandbox.faults`` adds what can go wrong in a sandbox, under the same root. Other settings that
check themselves have errors of their own beside them, under FaultsError.
"""

from collections.abc import Iterable, Sequence


class WhorlError(Exception):
    """The root: catch this to catch all that Whorl raises on purpose."""


class InputError(WhorlError):
    """What the user gave cannot be used."""


class FaultsError(InputError):
    """Settings have faults. ``faults`` lists every one of them, not only the first."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


class SchemeError(FaultsError):
    """A scheme has faults."""


class KeyMismatchError(InputError):
    """A key is not the one that the scheme names."""


class DocumentError(InputError):
    """A document cannot be read: missing, unreadable, or not a file."""


class UnknownNameError(InputError):
    """Nobody declared an implementation of this name."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        super().__init__(f"unknown {kind} {name!r}: choose one of {', '.join(self.known)}")


class KernelError(WhorlError):
    """The compiled kernel is not built, or the name in WHORL_KERNEL is unknown."""
