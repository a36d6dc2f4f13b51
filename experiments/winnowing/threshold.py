"""Sections 2.1 and 5.2: the sharp threshold in k between coincidence and copying, in prose and in programs."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path, PurePath

import numpy as np

import whorl
from experiments.koala.derived import edited
from experiments.reproduction.record import Axis, Figure, Finding, Section, Series, Table
from experiments.reproduction.setting import Setting
from experiments.technical.reports import School
from whorl.model import Hashes

LETTERS = (6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 50, 60, 80)
TOKENS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30)

# Windows of the presets for prose and for programs.
TEXT_W, CODE_W = 20, 4

# Words of a document of prose, words that a copy takes of it, and the share of these that it changes.
WORDS, COPIED_WORDS, CHANGED = 1500, 150, 1 / 30

# "Significant numbers of false positives" are a fifth of all pairs that are no copies; one in twenty is few.
MANY, FEW = 0.2, 0.05

# The share of copies that must be found beyond the threshold; and how much longer "slightly" may be.
FOUND, SLIGHTLY = 0.9, 1.5

FEW_GRAMS = "At the smallest k there are few different k-grams of tokens: what is reported hangs on a few of them."

# The class that ships with Whorl, and who copied from whom in it: examples/STORY.md.
CLASS, TEMPLATE = (Path(__file__).parents[2] / "examples" / name for name in ("class", "template"))
COPIES: frozenset[tuple[str, ...]] = frozenset(
    {("amara", "bruno"), ("celine", "dario"), ("amara", "elif"), ("bruno", "elif"), ("farid", "gwen"),
     ("jomo", "kaia"), ("ivan", "kaia"), ("nils", "oona")}
)  # fmt: skip


@dataclass(frozen=True)
class Shares:
    """At one k: of pairs that are no copies, and of copies, those that are reported."""

    k: int
    coincidences: float
    copies: float


def prose(count: int, seed: int) -> Callable[[int], Shares]:
    """Reports of one school that copy nothing, and as many pairs of which one has a passage of the other."""
    school, draw = School(seed), random.Random(seed)
    texts = [" ".join(school.body(number, WORDS)) for number in range(count)]
    hosts = [" ".join(school.body(count + number, WORDS)) for number in range(count)]
    copies = [_with_passage(host, text, draw.random(), seed) for host, text in zip(hosts, texts, strict=True)]

    def shares(k: int) -> Shares:
        scheme = whorl.Scheme(k=k, w=TEXT_W)
        one, other = ([whorl.fingerprint(text, scheme).hashes for text in some] for some in (texts, copies))
        independent = [_share(left, right) for left, right in combinations(one, 2)]
        return Shares(k, _mean(independent), _mean(_share(*pair) for pair in zip(one, other, strict=True)))

    return shares


def _with_passage(host: str, text: str, where: float, seed: int) -> str:
    words, around = text.split(), host.split()
    start = int(where * (len(words) - COPIED_WORDS))
    taken = edited(" ".join(words[start : start + COPIED_WORDS]), CHANGED, random.Random(f"{seed} {where}"))
    half = len(around) // 2
    return " ".join([*around[:half], taken, *around[half:]])


def programs(k: int) -> Shares:
    """The pairs of the example class that a comparison reports, the template that all were given left out. By their
    tokens alone, as in the paper: whole statements of the normal form are the same for every k."""
    result = whorl.compare_all(CLASS, whorl.Scheme(frontend="code", k=k, w=CODE_W), base=TEMPLATE, normal_form=False)
    names = [PurePath(submission.name) for submission in result.submissions]
    reported = {tuple(sorted((names[pair.left].stem, names[pair.right].stem))) for pair in result.pairs}
    independent = _pairs_of_one_language(names) - COPIES
    return Shares(k, len(reported - COPIES) / len(independent), len(reported & COPIES) / len(COPIES))


def _pairs_of_one_language(names: Sequence[PurePath]) -> set[tuple[str, ...]]:
    """Return the pairs of submissions in one language. A folder is in Python."""
    kinds = {name.stem: name.suffix or ".py" for name in names}
    return {pair for pair in combinations(sorted(kinds), 2) if kinds[pair[0]] == kinds[pair[1]]}


def _share(left: Hashes, right: Hashes) -> bool:
    return bool(np.isin(left, right).any())


def _mean(values: Iterable[bool]) -> float:
    return float(np.mean(list(values)))


def bounds(found: Sequence[Shares]) -> tuple[Shares, Shares] | None:
    """Return what is true at the largest k with many coincidences, and at the least k after it with few."""
    many = [one for one in found if one.coincidences >= MANY]
    few = [one for one in found if one.coincidences <= FEW and many and one.k > many[-1].k]
    return (many[-1], few[0]) if few else None


def section(setting: Setting) -> Section:
    """Two kinds of documents."""
    count = setting.many(80, 24)
    text = list(map(prose(count, setting.seed), LETTERS))
    code = list(map(programs, TOKENS))
    return Section(
        "Section 5.2: the sharp threshold in k",
        "Whatever the type of data, there is a k for which matches are likely copying, and a slightly smaller k for "
        "which significant numbers of obvious false positives appear. The paper reports experience and no numbers.",
        f"Prose: {count} reports of the built-in school, with its turns of phrase, and as many copies of "
        f"{COPIED_WORDS} words of which one in thirty is changed. Programs: the example class of Whorl, fifteen "
        "submissions of which eight pairs share copied work. A pair of texts is reported if it has a fingerprint in "
        "common, a pair of programs if whorl compare --no-normal-form reports it.",
        [_table("Prose: pairs that are reported", "letters", text),
         _table("Programs: pairs that are reported", "tokens", code)],
        [_figure("Prose", "k, in letters", text), _figure("Programs", "k, in tokens", code, FEW_GRAMS)],
        [_finding("in prose", "letters", text), _finding("in programs", "tokens", code)],
    )  # fmt: skip


def _table(title: str, unit: str, found: Sequence[Shares]) -> Table:
    rows = [(str(one.k), f"{one.coincidences:.0%}", f"{one.copies:.0%}") for one in found]
    return Table(title, (f"k, {unit}", "no copies", "copies"), rows)


def _figure(title: str, across: str, found: Sequence[Shares], note: str = "") -> Figure:
    return Figure(
        f"{title}: pairs that are reported, by k", Axis(across), Axis("share of pairs", low=0, high=1.02),
        [Series("copies", [(one.k, one.copies) for one in found]),
         Series("no copies", [(one.k, one.coincidences) for one in found])],
        note,
    )  # fmt: skip


def _finding(where: str, unit: str, found: Sequence[Shares]) -> Finding:
    known = bounds(found)
    claim = f"there is a sharp threshold in k {where}"
    if known is None:
        return Finding(claim, "from experience", "coincidences do not fall from many to few", False)
    many, few = known
    ours = (
        f"of other pairs {many.coincidences:.0%} at {many.k} {unit}, {few.coincidences:.0%} at {few.k}; "
        f"of copies {few.copies:.0%}"
    )
    return Finding(claim, "from experience", ours, few.k <= SLIGHTLY * many.k and few.copies >= FOUND)
