"""Whorl on Spark: ``cluster`` clusters a DataFrame, ``compare_all`` compares a class, ``build`` fills an index. Needs
``whorl[spark]`` and Java 17.

The names are imported when they are first used: each Python process of each machine imports this package, for the tasks
of one of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl.spark.clustering import Clustered, cluster
    from whorl.spark.compare import compare_all
    from whorl.spark.index import build

__all__ = ["Clustered", "build", "cluster", "compare_all"]

# No module here has the name of a function: it would be found first.
_HOMES = {"Clustered": "clustering", "build": "index", "cluster": "clustering", "compare_all": "compare"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'whorl.spark' has no attribute {name!r}")
    return getattr(import_module(f"whorl.spark.{_HOMES[name]}"), name)
