"""Run the experiments of a paper, one section after the other."""

from collections.abc import Callable
from importlib import import_module

from experiments.reproduction.record import Reproduction, Section
from experiments.reproduction.setting import Setting, paper

# The modules of each paper, in its order. Each has ``section``.
PAPERS: dict[str, tuple[str, ...]] = {
    "winnowing": (
        "figure2",
        "random_text",
        "guarantee",
        "safe",
        "figure3",
        "robust",
        "figure4",
        "threshold",
        "minimizers",
    ),
    "koala": ("table1", "table2", "table3", "table4", "table5", "table6", "table7"),
    "clustering": ("clusters", "sizes", "common", "estimator", "supers", "cost"),
}

Progress = Callable[[str], object]


def run(name: str, setting: Setting, progress: Progress | None = None) -> Reproduction:
    """Everything of one paper. ``progress`` is told the name of what comes next."""
    sections = []
    for module in PAPERS[name]:
        if progress is not None:
            progress(module)
        made: Section = import_module(f"experiments.{name}.{module}").section(setting)
        sections.append(made)
    result = paper(name)["paper"]
    return Reproduction(name, result["title"], result["citation"], command(name, setting), _corpus(setting), sections)


def command(name: str, setting: Setting) -> str:
    """Return what repeats this run."""
    options = [f"--seed {setting.seed}", *(["--quick"] if setting.quick else [])]
    if setting.corpus is not None:
        options.append(f"--corpus {setting.corpus.name}")
    return f"whorl reproduce {name} {' '.join(options)}"


def _corpus(setting: Setting) -> str:
    if setting.corpus is None:
        return "Documents are drawn by the built-in generator: the same seed gives the same documents and figures."
    return "Documents are those of a corpus on disk; all else is drawn, and the same seed gives the same figures."
