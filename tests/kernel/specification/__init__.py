"""The specification of the compiled kernel, in plain Python and NumPy: written to be read, hundreds of times slower.

Every function of ``whorl.kernel.native_text`` is defined in ``text``, and so on; ``core`` defines ``native``. The
compiled functions must equal these on every input.
"""

from importlib import import_module
from pathlib import Path

import pytest

NAMES = sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - {"__init__"})


def native_name(name: str) -> str:
    """Return the compiled module that a module of the specification defines."""
    return "whorl.kernel.native" + ("" if name == "core" else f"_{name}")


def replace_native(patch: pytest.MonkeyPatch) -> None:
    """Let all callers of the compiled kernel call the specification instead, until the patch is undone."""
    for name in NAMES:
        native, specified = import_module(native_name(name)), import_module(f"{__name__}.{name}")
        for function in vars(native).keys() & vars(specified).keys():
            if callable(getattr(specified, function)) and not function.startswith("_"):
                patch.setattr(native, function, getattr(specified, function))
