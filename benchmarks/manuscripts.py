"""Manuscripts with copied, quoted and referenced parts: is each part marked, left out, and counted as it should be?

    python -m benchmarks.manuscripts [--manuscripts 200] [--show 0] [--edited]

The texts are paragraphs of the language reference of Python, without their own quotation marks, with apostrophes. Half
of them make the documents of an index. A manuscript has paragraphs of the other half that share no six words in a row
with the index, passages of 40 to 150 words copied from the index, quotations of 15 to 60 words from the index in eight
kinds of marks, and a list of references in one of five languages. ``--show`` prints the worst of what went wrong.

``--edited`` plants passages of 60 to 150 words with changed words instead, and checks each manuscript with and without
a deep pass: some words are replaced by others of the corpus, or clauses of 5 to 12 words change places, and one word in
ten is replaced. Every fourth manuscript has none: whatever is marked there is wrong.
"""

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pydoc_data.topics import topics
from statistics import median

import whorl
from whorl.index.places import Reason
from whorl.matching.passage import subtract, union
from whorl.model import Document, Span

QUOTED = ("“{}”", "„{}“", "«{}»", "« {} »", "»{}«", '"{}"', "‘{}’", "‹{}›")
HEADINGS = ("References", "Literaturverzeichnis", "Références", "Bibliografía", "Список литературы")
NAMES = ("Miller", "Okafor", "García", "Schröder", "Tanaka", "Novák", "Dubois", "Rossi", "Kowalska", "Andersson")


@dataclass
class Manuscript:
    """A text, and the spans of its planted parts."""

    text: str = ""
    copied: list[Span] = field(default_factory=list)
    quoted: list[Span] = field(default_factory=list)
    listed: list[Span] = field(default_factory=list)

    def add(self, text: str, spans: list[Span] | None = None) -> None:
        """Add a part; note its span."""
        if spans is not None:
            spans.append(Span(len(self.text), len(self.text) + len(text)))
        self.text += text


def paragraphs() -> list[str]:
    """Return paragraphs of English prose, each once, without quotation marks."""
    blocks = {
        re.sub(r"[*`\"“”‘>]|(?<!\w)['’]|['’](?!\w)", "", re.sub(r"\s+", " ", block)).strip()
        for name in sorted(topics)
        for block in re.split(r"\n\s*\n", topics[name])
    }
    return sorted(block for block in blocks if len(block.split()) >= 40 and _is_prose(block))


def _is_prose(text: str) -> bool:
    return sum(character.isalpha() or character.isspace() for character in text) > 0.92 * len(text)


def apart(texts: list[str], others: list[str]) -> list[str]:
    """Return the texts that share no six words in a row with others."""
    known = {run for text in others for run in _runs(text)}
    return [text for text in texts if known.isdisjoint(_runs(text))]


def _runs(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[start : start + 6]) for start in range(len(words) - 5)}


def piece(chance: random.Random, text: str, least: int, most: int) -> str:
    """Return some consecutive words of a text."""
    words = text.split()
    size = min(len(words), chance.randint(least, most))
    start = chance.randrange(len(words) - size + 1)
    return " ".join(words[start : start + size])


def reference(chance: random.Random, number: int) -> str:
    """Return an entry of a list of references."""
    title = " ".join(chance.choice(NAMES).lower() for _ in range(5)).capitalize()
    return f"[{number}] {chance.choice(NAMES)}, {chance.choice('ABCDE')}. {title}. Press, {chance.randint(1950, 2024)}."


def made(chance: random.Random, own: list[str], documents: list[str]) -> Manuscript:
    """Return a manuscript."""
    manuscript = Manuscript()
    kinds = chance.choices(("own", "copied", "quoted"), (6, 2, 2), k=chance.randint(15, 40))
    for kind, text in zip(kinds, chance.sample(own, len(kinds)), strict=True):
        if kind == "copied":
            manuscript.add(piece(chance, chance.choice(documents), 40, 150), manuscript.copied)
        elif kind == "quoted":
            manuscript.add(f"{' '.join(text.split()[:12])}: ")
            quotation = piece(chance, chance.choice(documents), 15, 60)
            manuscript.add(chance.choice(QUOTED).format(quotation), manuscript.quoted)
        else:
            manuscript.add(text)
        manuscript.add("\n\n")
    entries = "\n".join(reference(chance, number) for number in range(1, chance.randint(5, 30)))
    manuscript.add(f"{chance.choice(HEADINGS)}\n\n{entries}\n", manuscript.listed)
    return manuscript


EDITS = {"10% of words replaced": 0.1, "20%": 0.2, "30%": 0.3, "clauses moved": 0.1}


def edited(chance: random.Random, text: str, kind: str, vocabulary: Sequence[str]) -> str:
    """Return a text with changed words."""
    words = [chance.choice(vocabulary) if chance.random() < EDITS[kind] else word for word in text.split()]
    if kind != "clauses moved":
        return " ".join(words)
    clauses = list[list[str]]()
    while words:
        size = chance.randint(5, 12)
        clauses.append(words[:size])
        words = words[size:]
    for place in range(0, len(clauses) - 1, 2):
        clauses[place], clauses[place + 1] = clauses[place + 1], clauses[place]
    return " ".join(word for clause in clauses for word in clause)


@dataclass
class EditTally:
    """The edited passages that were planted, and how many have at least half of their letters marked, by their source;
    and the letters that are marked outside of them."""

    planted: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    sourced: Counter[str] = field(default_factory=Counter)
    rest: int = 0
    wrong: int = 0
    negative: int = 0
    false: int = 0
    seconds: float = 0.0

    def add(self, text: str, passages: Sequence[tuple[Span, str, str]], check: whorl.ManuscriptCheck) -> None:
        """Add a manuscript, whose passages have a span, a kind and the name of a source."""
        everything = union(span for share in check.counted.shares for span in share.spans)
        for span, kind, name in passages:
            best = [each for each in check.counted.shares if check.sources[each.source].document.name == name]
            half, right = letters(text, [span]) / 2, [span for share in best for span in share.spans]
            self.planted[kind] += 1
            self.marked[kind] += letters(text, both([span], everything)) >= half
            self.sourced[kind] += letters(text, both([span], right)) >= half
        rest = subtract([Span(0, len(text))], [span for span, _, _ in passages])
        size, wrong = letters(text, rest), letters(text, both(rest, everything))
        self.rest, self.wrong = self.rest + size, self.wrong + wrong
        if not passages:
            self.negative, self.false = self.negative + size, self.false + wrong

    def show(self, name: str, count: int) -> None:
        """Print the figures."""
        print(f"{name}: {self.seconds / count:.2f} s CPU for a manuscript")
        print(f"  marked outside of planted passages: {self.wrong / self.rest:.4f} of the letters")
        print(f"  marked in manuscripts without any: {self.false / self.negative:.4f} of the letters")
        for kind, planted in self.planted.items():
            marked, sourced = self.marked[kind] / planted, self.sourced[kind] / planted
            print(f"  {kind}: {marked:.3f} of {planted} passages marked, {sourced:.3f} by their source")


def measure_edited(
    index: whorl.MemoryIndex, chance: random.Random, own: list[str], documents: list[str], count: int
) -> None:
    """Check manuscripts with edited passages, with and without a deep pass."""
    tallies = {"plain": EditTally(), "deep": EditTally()}
    vocabulary = " ".join(documents).split()
    for number in range(count):
        manuscript, passages = Manuscript(), list[tuple[Span, str, str]]()
        for text in chance.sample(own, 20):
            manuscript.add(f"{text}\n\n")
            if number % 4 and chance.random() < 0.3:
                source, kind, spans = chance.randrange(len(documents)), chance.choice(list(EDITS)), list[Span]()
                manuscript.add(edited(chance, piece(chance, documents[source], 60, 150), kind, vocabulary), spans)
                manuscript.add("\n\n")
                passages.append((spans[0], kind, f"document-{source}"))
        document = Document(f"{number}.txt", manuscript.text)
        for name, tally in tallies.items():
            start = time.process_time()
            check = whorl.check_manuscript(index, document, deep_seconds=60 if name == "deep" else None)
            tally.seconds += time.process_time() - start
            tally.add(manuscript.text, passages, check)
    for name, tally in tallies.items():
        tally.show(name, count)


def letters(text: str, spans: Iterable[Span]) -> int:
    """Return the letters of a text in disjoint spans."""
    return sum(character.isalnum() for start, end in spans for character in text[start:end])


def both(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """Return what is in both of two sets of spans."""
    return subtract(some, subtract(some, union(others)))


def main() -> None:
    """Fill the index, check the manuscripts, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manuscripts", type=int, default=200)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--edited", action="store_true")
    options = parser.parse_args()
    chance, texts = random.Random(1), paragraphs()
    chance.shuffle(texts)
    archive = texts[len(texts) // 2 :]
    own = apart(texts[: len(texts) // 2], archive)
    documents = [" ".join(archive[start : start + 4]) for start in range(0, len(archive), 4)]
    with whorl.MemoryIndex.create("text") as index:
        for number, text in enumerate(documents):
            index.add(Document(f"document-{number}", text))
        print(f"{len(documents)} documents, {len(own)} paragraphs of one's own, {options.manuscripts} manuscripts")
        if options.edited:
            measure_edited(index, chance, own, documents, options.manuscripts)
            return
        tally = Tally()
        for number in range(options.manuscripts):
            manuscript = made(chance, own, documents)
            tally.add(manuscript, whorl.check_manuscript(index, Document(f"{number}.txt", manuscript.text)))
    tally.show(options.show)


class Tally:
    """The figures of all manuscripts."""

    def __init__(self) -> None:
        self.planted = self.excluded = self.rest = self.rest_excluded = 0
        self.passages = self.marked = 0
        self.errors: list[int] = []
        self.differences: list[float] = []
        self.wrong: list[str] = []

    def add(self, manuscript: Manuscript, check: whorl.ManuscriptCheck) -> None:
        """Add a manuscript."""
        text, whole = manuscript.text, [Span(0, len(manuscript.text))]
        excluded = union(span for reason in (Reason.QUOTATION, Reason.BIBLIOGRAPHY) for span in check.places[reason])
        planted = union((*manuscript.quoted, *manuscript.listed))
        rest = subtract(whole, planted)
        self.planted += letters(text, planted)
        self.excluded += letters(text, both(planted, excluded))
        self.rest += letters(text, rest)
        self.rest_excluded += letters(text, both(rest, excluded))
        self.wrong += [f"left out: {text[slice(*span)]!r}" for span in both(rest, excluded)]
        self.wrong += [
            f"counts: {text[slice(*span)]!r}" for span in subtract(planted, excluded) if span.end - span.start > 3
        ]
        marked = union(span for share in check.counted.shares for span in share.spans)
        for span in manuscript.copied:
            self._add_copied(text, span, both([span], marked), marked)
        truth = letters(text, manuscript.copied) / max(1, letters(text, whole))
        self.differences.append(abs(check.counted.similarity - truth))

    def _add_copied(self, text: str, span: Span, inside: list[Span], marked: list[Span]) -> None:
        """Count a copied passage as marked if half of its letters are; measure its bounds in words."""
        self.passages += 1
        if letters(text, inside) * 2 < letters(text, [span]):
            self.wrong.append(f"not marked: {text[slice(*span)]!r}")
            return
        self.marked += 1
        start = min((each.start for each in marked if each.end > span.start), default=span.start)
        end = max((each.end for each in marked if each.start < span.end), default=span.end)
        for one, other in ((start, span.start), (end, span.end)):
            self.errors.append(len(text[min(one, other) : max(one, other)].split()))

    def show(self, count: int) -> None:
        """Print the figures."""
        print(f"quoted and referenced text left out: {self.excluded / self.planted:.4f}")
        print(f"other text left out: {self.rest_excluded / self.rest:.4f}")
        print(f"copied passages marked: {self.marked / self.passages:.4f} of {self.passages:,}")
        print(f"error of their bounds: {median(self.errors)} words at the median")
        mean = 100 * sum(self.differences) / len(self.differences)
        within = sum(each <= 0.01 for each in self.differences) / len(self.differences)
        print(f"share within 1 point of the truth: {within:.3f} of them")
        print(f"difference from the truth: {mean:.2f} points on average, at most {100 * max(self.differences):.2f}")
        for line in sorted(self.wrong, key=len, reverse=True)[:count]:
            print(line[:400])


if __name__ == "__main__":
    main()
