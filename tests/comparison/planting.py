"""Classes with planted copies, made from the programs and essays in ``samples/``: who copied from whom is known.

The samples of a language are independent of each other. They keep to one rule: blank lines part the functions (the
paragraphs of a text), and stand nowhere else. So they can be cut and put together again without knowing the language.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

SAMPLES = Path(__file__).parent / "samples"
LANGUAGES = ("c", "go", "java", "javascript", "python", "rust")

# What must stand at the top of a program: it is never moved.
TOP = re.compile(r'(package|import|from|use|#|"use|(abstract )?class) ?')
# Words that are not names, of all the languages together, names that a grammar treats as such, and names of libraries
# that nobody can rename.
RESERVED = frozenset(
    """
    abstract and any append as assert async auto await bool boolean break byte bytearray bytes case catch chan char
    class const continue def default defer del delete derive do double dyn elif else enum except export extends
    extern false final finally float float64 fn for from func function go goto if impl implements import in
    instanceof int int32 int64 interface is lambda len let long loop make map match mod module move mut new nil not
    null of or package pass private public raise range record ref return self set short signed size_t sizeof static
    strictfp string struct super switch this throw throws trait true try type typedef typeof uint32_t uint64_t uint8
    undefined unsigned use usize i64 u8 u32 u64 f64 str var void where while with yield include define g gi
    abs ceil cos exp floor length log max min pow print printf println putchar puts round sin size sorted sqrt sum tan
    console process stdout write sys out err format equals charAt substring indexOf isEmpty parseInt parseDouble
    parseFloat toString valueOf toFixed parse __name__ big bufio error errors fmt io os panic rune sort strconv strings
    unicode
    """.split()  # noqa: SIM905  (a page of quotation marks would be harder to read)
)
# Strings, comments, lines of the preprocessor, and then names: only the last are renamed.
LEXEME = re.compile(
    r'[bf]?"[^"\n]*"|b?\'(?:\\.|[^\'\n\\])\'|`[^`]*`|//[^\n]*|^#[^\n]*|^(?:import|use)\b[^\n]*|\b[a-z_]\w*',
    re.MULTILINE,
)


@dataclass(frozen=True)
class Sample:
    """A program: what must be first, functions in any order, and what must be last. A text has paragraphs only."""

    name: str
    suffix: str
    head: tuple[str, ...]
    functions: tuple[str, ...]
    foot: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n\n".join((*self.head, *self.functions, *self.foot)) + "\n"

    @property
    def middle(self) -> int:
        """The number of the function before which the two halves are most alike in length."""
        sizes = [len(function) for function in self.functions]
        return min(range(1, len(sizes)), key=lambda at: abs(sum(sizes[:at]) - sum(sizes[at:])))


@dataclass(frozen=True)
class Class:
    """Files by their paths, and the pairs of submissions that share copied work."""

    files: Mapping[str, str]
    planted: frozenset[frozenset[str]]

    def write(self, folder: Path) -> Path:
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return folder


def samples(kind: str) -> list[Sample]:
    """The independent samples of a language, or the essays."""
    return [_sample(path) for path in sorted((SAMPLES / kind).iterdir()) if path.is_file()]


def _sample(path: Path) -> Sample:
    blocks = re.split(r"\n\n+", path.read_text("utf-8").rstrip("\n"))
    if path.suffix == ".txt":
        return Sample(path.stem, path.suffix, (), tuple(blocks), ())
    top = 0
    while TOP.match(blocks[top]):
        top += 1
    top = max(1, top)
    return Sample(path.stem, path.suffix, tuple(blocks[:top]), tuple(blocks[top:-1]), tuple(blocks[-1:]))


def copies(kind: str, disguise: Callable[[Sample], str]) -> Class:
    """Every sample, and a disguised copy of each."""
    files, planted = _originals(kind), set()
    for sample in samples(kind):
        files[f"copy-of-{sample.name}{sample.suffix}"] = disguise(sample)
        planted.add(_pair(sample, f"copy-of-{sample.name}{sample.suffix}"))
    return Class(files, frozenset(planted))


def halves(kind: str) -> Class:
    """Every sample, and a copy of each in a folder, split over two files."""
    files, planted = _originals(kind), set()
    for sample in samples(kind):
        before, after = sample.functions[: sample.middle], sample.functions[sample.middle :]
        parts = replace(sample, functions=before), replace(sample, functions=after)
        for number, part in enumerate(parts):
            files[f"copy-of-{sample.name}/part{number}{sample.suffix}"] = part.text
        planted.add(_pair(sample, f"copy-of-{sample.name}"))
    return Class(files, frozenset(planted))


def borrowed(kind: str) -> Class:
    """Every sample, and each again with the longest function of the one before it put in."""
    files, planted, all_samples = _originals(kind), set(), samples(kind)
    for number, sample in enumerate(all_samples):
        host, before = all_samples[(number + 1) % len(all_samples)], all_samples[number - 1]
        together = replace(host, functions=(max(sample.functions, key=len), *host.functions))
        name = f"with-{sample.name}{sample.suffix}"
        files[name] = together.text
        planted |= {_pair(sample, name), _pair(host, name)}
        planted.add(frozenset({name, f"with-{before.name}{before.suffix}"}))
    return Class(files, frozenset(planted))


def merged(kind: str) -> Class:
    """Every sample, and for each one that has its first half and the second half of the next."""
    files, planted, all_samples = _originals(kind), set(), samples(kind)
    for first, second in zip(all_samples, all_samples[1:] + all_samples[:1], strict=True):
        functions = first.functions[: first.middle] + second.functions[second.middle :]
        name = f"{first.name}-and-{second.name}{first.suffix}"
        files[name] = Sample("", "", first.head, functions, second.foot).text
        planted |= {_pair(first, name), _pair(second, name)}
    return Class(files, frozenset(planted))


def templated(kind: str) -> tuple[Class, str]:
    """All samples but the first, each with the first in it, edited; a copy of the second; and the first, the template
    that all were given."""
    template, *rest = samples(kind)
    files, given = {}, replace(template, functions=tuple(recommented(renamed_block(f)) for f in template.functions))
    for sample in rest:
        both = replace(sample, functions=sample.functions + given.functions)
        files[f"{sample.name}{sample.suffix}"] = both.text
    name = f"copy-of-{rest[0].name}{rest[0].suffix}"
    both = replace(rest[0], functions=given.functions + rest[0].functions)
    files[name] = renamed(both)
    return Class(files, frozenset({_pair(rest[0], name)})), template.text


def _originals(kind: str) -> dict[str, str]:
    return {f"{sample.name}{sample.suffix}": sample.text for sample in samples(kind)}


def _pair(sample: Sample, name: str) -> frozenset[str]:
    return frozenset({f"{sample.name}{sample.suffix}", name})


def verbatim(sample: Sample) -> str:
    return sample.text


def renamed(sample: Sample) -> str:
    """Every name that begins with a small letter is another one."""
    return renamed_block(sample.text)


def renamed_block(text: str) -> str:
    return LEXEME.sub(lambda found: _other(found[0]), text)


def _other(word: str) -> str:
    is_name = re.fullmatch(r"[a-z_]\w*", word) and word != "_" and word not in RESERVED
    return f"my_{word[::-1]}" if is_name else word


def reformatted(sample: Sample) -> str:
    """Other indents, empty lines everywhere, and more space where there was some."""
    lines = [re.sub(r"^[ \t]+", lambda indent: indent[0] * 3, line) for line in sample.text.splitlines()]
    return "\n\n".join(re.sub(r" (=|==|\+|<) ", r"   \1  ", line) for line in lines if line) + "\n"


def recommented(sample: Sample | str) -> str:
    """A comment before every second line that ends a statement."""
    text = sample if isinstance(sample, str) else sample.text
    mark = "#" if isinstance(sample, Sample) and sample.suffix == ".py" else _mark(text)
    lines: list[str] = []
    for number, line in enumerate(text.splitlines()):
        indent = line[: len(line) - len(line.lstrip())]
        if number % 2 and line.strip() and not lines[-1].endswith("\\"):
            lines.append(f"{indent}{mark} here is what I thought about line {number}: it is needed")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _mark(text: str) -> str:
    return "#" if re.search(r"^(def|class) .*:$", text, re.MULTILINE) else "//"


def reordered(sample: Sample) -> str:
    """The functions, or the paragraphs, in another order."""
    functions = list(sample.functions)
    random.Random(sample.name).shuffle(functions)
    return replace(sample, functions=tuple(functions[1:] + functions[:1])).text


def disguised(sample: Sample) -> str:
    """All of it at once."""
    program = replace(sample, functions=tuple(reversed(sample.functions)))
    return reformatted(_again(program, recommented(renamed_block(program.text))))


def _again(sample: Sample, text: str) -> Sample:
    return Sample(sample.name, sample.suffix, (), (text,), ())


def recased(sample: Sample) -> str:
    """Capitals, and other punctuation."""
    return re.sub(r"[,.;:]", " --", sample.text).upper()


def edited(sample: Sample, every: int = 12) -> str:
    """Every twelfth word is another one."""
    words: Sequence[str] = sample.text.split(" ")
    return " ".join("something" if number % every == every - 1 else word for number, word in enumerate(words))
