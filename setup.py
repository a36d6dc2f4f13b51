"""Builds the compiled kernel: every module of ``whorl.kernel`` that is written for Cython."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNEL = Path("src/whorl/kernel")

# -O3 lets the compiler vectorise the plain loops. No -ffast-math: thresholds must be the same with every compiler.
# -g0, because the interpreter's own flags ask for debug symbols that make the modules five times as large.
FLAGS = ["-O3", "-g0", "-std=c11", "-Wno-unused-function"]

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"whorl.kernel.{path.stem}",
                [str(path)],
                depends=[str(h) for h in KERNEL.glob("*.h")],
                extra_compile_args=FLAGS,
            )
            for path in sorted(KERNEL.glob("native*.py"))
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "freethreading_compatible": True,
        },
    )
)
