"""The compiled kernel: buffers in, buffers out, no I/O on documents and no knowledge of formats.

Callers import the ``native`` module that they need; its ``.pyi`` file has the types and says what each function does.
``tests/kernel/specification`` defines every function in plain Python, and the tests compare both. The sources of the
``native`` modules are Python that only Cython runs: if one is not compiled, importing this package fails.
"""

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from whorl.errors import KernelError


def uncompiled(folder: Path) -> list[str]:
    """Return the names of the kernel's modules in ``folder`` that are not compiled for this interpreter."""
    files = {path.name for path in folder.iterdir()}
    modules = {name.removesuffix(".py") for name in files if name.startswith("native") and name.endswith(".py")}
    return sorted(
        name for name in {"memoryviews", *modules} if files.isdisjoint(name + suffix for suffix in EXTENSION_SUFFIXES)
    )


if _missing := uncompiled(Path(__file__).parent):
    raise KernelError(
        f"the compiled kernel is missing: run `make venv` or reinstall Whorl; not compiled: {', '.join(_missing)}"
    )
