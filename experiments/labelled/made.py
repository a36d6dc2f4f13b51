"""Made classes: who copied is known because the copies are planted.

    .venv/bin/python -m experiments.labelled.made

A class of 270 programs has 200 real ones, each a piece of another module of the standard library; 50 files of 8 to 30
tokens, real functions and one exercise in many hands; and 20 copies of as many of the 200, from verbatim to embedded in
something larger. What is asked is how many copies are among the first 25 pairs.

A hundred classes of three essays each have one paragraph of 60 words in two of the essays, word for word. The essays
have 3,000 words, paragraphs of the docstrings of the standard library. What is asked is how often the pair is listed
with all settings at their defaults.
"""

import ast
import io
import random
import tempfile
import textwrap
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from benchmarks.submissions import programs, sources

import whorl
from experiments.attacks import catalogue
from experiments.attacks.program import Program
from experiments.labelled.measures import copies_first
from experiments.labelled.tasks import Pair, Task, all_pairs, ranking_of
from experiments.labelled.tools import TOOLS, WHORL, PeerError, Tool
from whorl.matching.passage import Side

SEED = 20
PROGRAMS, FIRST = 200, 25

# Other draws of the class: one may be lucky.
DRAWS = range(1, 11)

# Characters of a piece that passes for a program; the functions and tokens that it has at least.
SMALLEST, LARGEST, FUNCTIONS, TOKENS = 1800, 8000, 3, 150

# Tokens of a tiny file; how many are short functions, and how many are one exercise.
TINY_TOKENS = range(8, 31)
SHORT_FUNCTIONS, EXERCISES = 35, 15
EXERCISE = 'def main():\n    {name} = input("{question}?")\n    print("{greeting},", {name})\n\n\nmain()\n'
NAMES = ("name", "answer", "user", "who", "n")
QUESTIONS = ("Your name", "Who are you", "What is your name")
GREETINGS = ("Hello", "Hi", "Welcome", "Good morning")

# Folders of the standard library whose modules are alike by nature: tests, and tables of character sets.
ALIKE = frozenset({"test", "tests", "idle_test", "encodings"})

# Bytes of a module that is a table, or nearly so.
TABLE = 100_000

# Cases of prose; essays in each, and words of an essay and of the paragraph that two of them share.
CASES, ESSAYS, ESSAY, PARAGRAPH = 100, 3, 3000, 60

# Words of a paragraph at least, and modules whose docstrings are read: they have 45,000 words.
SENTENCE, MODULES = 10, 150

# The share of its words that have letters in a paragraph of prose: tables and sessions of a shell have fewer.
PROSE = 0.9

# A passage shows the paragraph if it holds this share of its letters.
SHOWN = 0.9

# Makes a copy of a program; a host, the texts of three others, and chance may be used. An empty copy: it cannot.
Disguise = Callable[[str, Sequence[str], random.Random], str]

# A half has at least this share of a program's tokens; it is as large as the smallest program, too.
HALF = 0.4


def _attack(*names: str) -> Disguise:
    """Return what some attacks of the catalogue do, one after the other."""

    def disguise(text: str, _host: Sequence[str], chance: random.Random) -> str:
        program = Program("made", "copy", "python", (("copy.py", text),))
        for name in names:
            program = catalogue.PROGRAMS[name](program, chance)
        return "" if program.text == text else program.text

    return disguise


def _verbatim(text: str, _host: Sequence[str], _chance: random.Random) -> str:
    return text


def _half(text: str, host: Sequence[str], _chance: random.Random) -> str:
    """Return the first half of a program, followed by another program."""
    before, after = _halves(text)
    sizes = count_tokens(before), count_tokens(after)
    return before + host[0] if min(sizes) >= HALF * sum(sizes) and sizes[0] >= TOKENS else ""


def _embedded(text: str, host: Sequence[str], _chance: random.Random) -> str:
    """Return a program three times as large with this one in its middle."""
    before, after = _halves("".join(host))
    return before + text + after


def _renamed(disguise: Disguise) -> Disguise:
    rename = _attack("renaming")
    return lambda text, host, chance: disguise(rename(text, host, chance), host, chance)


def _halves(text: str) -> tuple[str, str]:
    """Cut a program before the statement of the module, most often a definition, that is nearest to its middle."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[: _line(statement)])) for statement in ast.parse(text).body]
    cut = min(starts, key=lambda start: abs(start - len(text) // 2), default=0)
    return text[:cut], text[cut:]


def _line(statement: ast.stmt) -> int:
    """Return the number of a statement's first line, counted from 0; decorators belong to it."""
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(each.lineno for each in decorators)]) - 1


KINDS: tuple[tuple[str, Disguise], ...] = (
    ("verbatim", _verbatim),
    ("renamed", _attack("renaming")),
    ("renamed, with comments", _attack("renaming", "comments")),
    ("reformatted", _attack("reformatting")),
    ("reformatted, with comments", _attack("reformatting", "comments")),
    ("functions reordered", _attack("functions reordered")),
    ("functions reordered, renamed", _attack("functions reordered", "renaming")),
    ("statements reordered", _attack("statements reordered")),
    ("loops rewritten", _attack("loops rewritten")),
    ("conditions rewritten", _attack("conditions rewritten")),
    ("methods outlined", _attack("methods outlined")),
    ("mixed with another", _attack("mixed with another")),
    ("statements inserted from a pool", _attack("insertion, pool")),
    ("statements inserted, its own", _attack("insertion, own")),
    ("statements inserted, another's", _attack("insertion, foreign")),
    ("several of these", _attack("several of these")),
    ("half copied", _half),
    ("half copied, renamed", _renamed(_half)),
    ("embedded", _embedded),
    ("embedded, renamed", _renamed(_embedded)),
)


def made_class(folder: Path, seed: int = SEED) -> tuple[Task, dict[Pair, str]]:
    """Write the class of programs; return it as a task, and the kind of each planted copy."""
    chance = random.Random(seed)
    modules = _modules(chance)
    pieces = (_piece(module, chance) for module in modules)
    real = (piece for piece in pieces if piece)
    texts = list(islice(real, PROGRAMS))
    copies = [_copy(texts, at, disguise, list(islice(real, 3)), chance) for at, (_, disguise) in enumerate(KINDS)]
    files = [*texts, *copies, *_tiny_files(modules, chance)]
    # The order of the names says nothing of what is in the files.
    names = [f"{number:03}.py" for number in chance.sample(range(len(files)), len(files))]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(names, files, strict=True):
        (folder / name).write_text(text, "utf-8")
    planted = {frozenset({names[at], names[len(texts) + at]}): kind for at, (kind, _) in enumerate(KINDS)}
    return Task("made", folder, (ranking_of(all_pairs(names), planted),)), planted


def _modules(chance: random.Random) -> list[Path]:
    """Return the modules of the standard library that people wrote, not tables, in any order."""
    modules = [path for path in sources(None) if not ALIKE & set(path.parts) and path.stat().st_size < TABLE]
    chance.shuffle(modules)
    return modules


def _copy(texts: list[str], at: int, disguise: Disguise, host: Sequence[str], chance: random.Random) -> str:
    """Return a copy of the program that stands at this place, after exchanging it for a later one if the disguise does
    not apply to it: not every program has a loop, or two functions beside each other."""
    for other in range(at, len(texts)):
        copy = disguise(texts[other], host, chance)
        if _count_functions(copy) >= FUNCTIONS:
            texts[at], texts[other] = texts[other], texts[at]
            return copy
    raise ValueError("no program of the class can be disguised so")


def _piece(module: Path, chance: random.Random) -> str | None:
    """Return a piece of a module that passes for a program, if it has one."""
    pieces = [piece for piece in programs([module], SMALLEST) if len(piece) <= LARGEST]
    chance.shuffle(pieces)
    return next((piece for piece in pieces if _is_program(piece)), None)


def _is_program(text: str) -> bool:
    return _count_functions(text) >= FUNCTIONS and count_tokens(text) >= TOKENS


def _count_functions(text: str) -> int:
    """Return how many functions a program has; none if it is not one."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return 0
    return sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))


def _tiny_files(modules: Sequence[Path], chance: random.Random) -> Iterator[str]:
    yield from islice(_short_functions(reversed(modules)), SHORT_FUNCTIONS)
    for _ in range(EXERCISES):
        words = chance.choice(NAMES), chance.choice(QUESTIONS), chance.choice(GREETINGS)
        yield EXERCISE.format(name=words[0], question=words[1], greeting=words[2])


def _short_functions(modules: Iterator[Path]) -> Iterator[str]:
    """Yield one short function of each module that has one."""
    for module in modules:
        text = module.read_text("utf-8", "replace")
        lines = text.splitlines(keepends=True)
        functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
        segments = (textwrap.dedent("".join(lines[node.lineno - 1 : node.end_lineno])) for node in functions)
        yield from islice((each for each in segments if count_tokens(each) in TINY_TOKENS), 1)


def count_tokens(text: str) -> int:
    """Return how many tokens a program has: line ends, indents and comments are none."""
    layout = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}
    return sum(token.type not in layout for token in tokenize.generate_tokens(io.StringIO(text).readline))


def ranked_by_whorl(task: Task) -> tuple[list[Pair], list[Pair]]:
    """Return what ``whorl compare`` lists with its defaults, in its order: the rows of its table, in which pairs of
    identical submissions are one, and all pairs."""
    comparison = whorl.compare_all(task.folder)
    names = [submission.name for submission in comparison.submissions]
    pairs = [frozenset({names[pair.left], names[pair.right]}) for pair in comparison.pairs]
    return [pairs[number] for number in comparison.rows], pairs


def places(planted: Mapping[Pair, str], ranked: Sequence[Pair]) -> dict[str, int | None]:
    """Return the place of each kind's copy in a list of pairs, counted from 1; None if it is not listed."""
    place = {pair: number for number, pair in enumerate(ranked, 1)}
    return {kind: place.get(pair) for pair, kind in planted.items()}


@cache
def _paragraphs() -> tuple[str, ...]:
    """Return the paragraphs of docstrings of the standard library that have a sentence's words at least, each once."""
    paragraphs: dict[str, None] = {}
    for module in _modules(random.Random(SEED))[:MODULES]:
        for node in ast.walk(ast.parse(module.read_bytes())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                blocks = (ast.get_docstring(node) or "").split("\n\n")
                paragraphs |= dict.fromkeys(
                    " ".join(block.split()) for block in blocks if len(block.split()) > SENTENCE
                )
    return tuple(paragraphs)


def essays(seed: int) -> tuple[list[str], str]:
    """Return three essays, and the paragraph that was planted in the first two."""
    chance = random.Random(seed)
    paragraphs = iter(chance.sample(_paragraphs(), len(_paragraphs())))
    beginnings = (each.split()[:PARAGRAPH] for each in paragraphs)
    shared = next(" ".join(words) for words in beginnings if len(words) == PARAGRAPH and _is_prose(words))
    return [_essay(paragraphs, shared if number < 2 else None, chance) for number in range(ESSAYS)], shared


def _is_prose(words: Sequence[str]) -> bool:
    return sum(_letters(word) > 0 for word in words) >= PROSE * len(words)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _essay(paragraphs: Iterator[str], shared: str | None, chance: random.Random) -> str:
    parts: list[str] = []
    while sum(len(part.split()) for part in parts) < ESSAY:
        parts.append(next(paragraphs))
    if shared is not None:
        parts.insert(chance.randrange(len(parts) + 1), shared)
    return "\n\n".join(parts) + "\n"


def listed_essays(seed: int, folder: Path) -> tuple[bool, int]:
    """Return whether the two essays with a common paragraph are listed, and a passage shows it, and how many of the
    other two pairs are listed."""
    texts, shared = essays(seed)
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, "utf-8")
    pairs = {frozenset({pair.left, pair.right}): pair for pair in whorl.compare_all(folder).pairs}
    copied = pairs.pop(frozenset({0, 1}), None)
    shown = copied is not None and any(_shows(passage.left, texts[0], shared) for passage in copied.passages)
    return shown, len(pairs)


def _shows(side: Side, text: str, shared: str) -> bool:
    """Whether a passage holds nearly all of the paragraph; a word at either end may be another word in the texts."""
    start = text.index(shared)
    common = text[max(side.start, start) : min(side.end, start + len(shared))]
    return _letters(common) >= SHOWN * _letters(shared)


def report_class(tools: Sequence[Tool]) -> list[str]:
    """Return what is to be said of the class of programs: the copies among the first pairs of each tool, and the place
    of each copy in Whorl's list."""
    with tempfile.TemporaryDirectory() as home:
        task, planted = made_class(Path(home) / "class")
        rows, pairs = ranked_by_whorl(task)
        peers = [f"| {tool.name} | {_first(tool, task)} |" for tool in tools if tool.name != WHORL]
    kinds = [f"| {kind} | {place or 'not listed'} |" for kind, place in places(planted, rows).items()]
    return [
        f"| tool | copies among the first {FIRST} |",
        "|---|---|",
        f"| {WHORL}, rows of its table | {count_first(planted, rows)} of {len(KINDS)} |",
        f"| {WHORL}, pairs | {count_first(planted, pairs)} of {len(KINDS)} |",
        *peers,
        "",
        _report_draws(),
        "",
        "| copy | row in Whorl's table |",
        "|---|---|",
        *kinds,
    ]


def count_first(planted: Mapping[Pair, str], ranked: Sequence[Pair]) -> int:
    """Return how many planted copies are among the first of a list."""
    return sum(pair in planted for pair in ranked[:FIRST])


def _report_draws() -> str:
    by_rows, by_pairs = [], []
    for seed in DRAWS:
        with tempfile.TemporaryDirectory() as home:
            task, planted = made_class(Path(home) / "class", seed)
            rows, pairs = ranked_by_whorl(task)
        by_rows.append(count_first(planted, rows))
        by_pairs.append(count_first(planted, pairs))
    copies = len(DRAWS) * len(KINDS)
    return (
        f"In {len(DRAWS)} more draws of the class Whorl has {sum(by_rows)} of {copies} copies among the first {FIRST} "
        f"rows (at least {min(by_rows)} of {len(KINDS)} in each draw), and {sum(by_pairs)} among the first {FIRST} "
        f"pairs (at least {min(by_pairs)})."
    )


def _first(tool: Tool, task: Task) -> str:
    (ranking,) = task.rankings
    try:
        count = copies_first(*ranking.judged(tool.scores(task)), FIRST)
    except PeerError as error:
        return f"none: {error}"
    return f"{count:.1f}".removesuffix(".0") + f" of {len(KINDS)}"


def report_essays(cases: int = CASES) -> str:
    """Return what is to be said of the essays."""
    with tempfile.TemporaryDirectory() as home:
        results = [listed_essays(seed, Path(home)) for seed in range(cases)]
    copied, others = sum(shown for shown, _ in results), sum(count for _, count in results)
    return f"Copied paragraph listed: {copied} of {cases}. Independent pairs listed: {others} of {2 * cases}."


def main() -> None:
    """Print both reports, of Whorl alone."""
    print(*report_class([TOOLS[WHORL]]), "", report_essays(), sep="\n")


if __name__ == "__main__":
    main()
