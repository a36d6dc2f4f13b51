"""Build what is compiled, on all cores: the modules of ``whorl.kernel`` by Cython, the normal form by mypyc."""

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from mypyc.build import mypycify
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

SETUP = Path("setup.py")
KERNEL = Path("src/whorl/kernel")
NORMAL_FORM_PACKAGE = "whorl.formats.code.normal"
NORMAL_FORM = Path("src", *NORMAL_FORM_PACKAGE.split("."))
# The C of the normal form. If it would be the same, it is not written again, and not compiled again.
NORMAL_FORM_C = Path("build", "normal_form")

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

# The code behind typed memoryviews, once for all modules: repeated in each, it was two thirds of what is compiled.
MEMORYVIEWS = "whorl.kernel.memoryviews"

# -O3 lets the compiler vectorise the plain loops. No -ffast-math, and no product and sum rounded as one: thresholds
# must be the same with every compiler.
# -g0, because the interpreter's own flags ask for debug symbols that make the modules five times as large.
FLAGS = ["-O3", "-g0", "-std=c11", "-ffp-contract=off", "-Wno-unused-function"]
# Memoryviews are made once a call, however long its loop is: -O1 halves what compiling them costs.
COLD = ["-O1", *FLAGS[1:]]
# So does this where Cython's own functions begin: more than half of a module, and none of them is in a loop.
ITS_OWN = "/* #### Code section: module_exttypes ### */"
COOLED = f'#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize ("O1")\n#endif\n{ITS_OWN}'


def headers(source: Path) -> set[Path]:
    """Return the C headers that a module includes, through its declarations and through other headers."""
    names = re.findall(r'(?:#include|extern from) "(\w+\.h)"', source.read_text(encoding="utf-8"))
    declarations = re.findall(r"cimports\.whorl\.kernel\.(\w+)", source.read_text(encoding="utf-8"))
    included = {KERNEL / name for name in names}
    return included.union(*map(headers, included | {KERNEL / f"{name}.pxd" for name in declarations}))


def extension(path: Path) -> Extension:
    """Describe one module of the kernel. It is compiled again if its source or a header of its own changed."""
    depends = sorted(map(str, [SETUP, *headers(path)]))
    return Extension(f"whorl.kernel.{path.stem}", [str(path)], depends=depends, extra_compile_args=FLAGS)


def normal_form() -> list[Extension]:
    """Describe the normal form: typed Python over small trees, which mypyc compiles as it is.

    Types of other packages do not matter to it, so they are not followed. -O1 compiles in half the time of -O2, and one
    file of C in two thirds of the time of many, which all begin with the same declarations.
    """
    sources = [str(path) for path in sorted(NORMAL_FORM.glob("*.py")) if path.stem != "__init__"]
    options = ["--config-file=", "--follow-imports=skip", "--ignore-missing-imports", f"--cache-dir={NORMAL_FORM_C}"]
    extensions: list[Extension] = mypycify(
        [*options, *sources], opt_level="1", debug_level="0", target_dir=str(NORMAL_FORM_C),
        group_name=f"{NORMAL_FORM_PACKAGE}.compiled",
    )  # fmt: skip
    for each in extensions:
        each.include_dirs.append(str(Path(NORMAL_FORM_C, *NORMAL_FORM_PACKAGE.split("."))))
    return extensions


class Build(build_ext):  # type: ignore[misc]
    """Build as setuptools does, but compile a module only if it changed: pip begins in an empty folder each time."""

    def finalize_options(self) -> None:
        """Compile on all cores, also where pip installs in place and forgets the options of ``setup``."""
        super().finalize_options()
        self.parallel: int = getattr(self, "parallel", None) or CORES

    def build_extension(self, ext: Extension) -> None:
        """Take what was built before from build/, by interpreter and system, unless a source is newer."""
        made = Path(self.get_ext_fullpath(ext.name))
        kept = Path("build", sysconfig.get_config_var("SOABI"), made.name)
        made.parent.mkdir(parents=True, exist_ok=True)
        if not newer_group([*ext.sources, *ext.depends], str(kept)):
            shutil.copy2(kept, made)
            return
        super().build_extension(ext)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, kept)


def translated() -> bool:
    """Return whether the C files were made by these settings."""
    return all(path.stat().st_mtime > SETUP.stat().st_mtime for path in KERNEL.glob("*.c"))


def kernel() -> list[Extension]:
    """Describe the kernel, and translate what changed into C."""
    extensions: list[Extension] = cythonize(
        [
            Extension(MEMORYVIEWS, [str(KERNEL / "memoryviews.c")], depends=[str(SETUP)], extra_compile_args=COLD),
            *map(extension, sorted(KERNEL.glob("native*.py"))),
        ],
        nthreads=CORES,
        force=not translated(),
        shared_utility_qualified_name=MEMORYVIEWS,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "freethreading_compatible": True,
            "emit_code_comments": False,  # the compiler need not read the source beside the C
        },
    )
    for each in KERNEL.glob("native*.c"):
        cool(each)
    return extensions


def cool(source: Path) -> None:
    """Let the compiler spend little time on what Cython adds to a module."""
    text = source.read_text(encoding="utf-8")
    if text.count(ITS_OWN) != 1:
        raise SystemExit(f"{source}: Cython arranges its C in another way than setup.py expects")
    if COOLED not in text:
        source.write_text(text.replace(ITS_OWN, COOLED), encoding="utf-8")


# Commands that compile nothing. pip runs one or two of them before the one that does.
DESCRIBING = {"dist_info", "egg_info", "sdist"}

if __name__ == "__main__":  # the processes that translate import this module again
    compiles = DESCRIBING.isdisjoint(sys.argv)
    setup(ext_modules=normal_form() + kernel() if compiles else [], cmdclass={"build_ext": Build})
