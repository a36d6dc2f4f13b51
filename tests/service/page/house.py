"""A service with something in it: documents of two owners, a registry, two sweeps, and a class that handed in."""

import io
import zipfile
from pathlib import Path

from tests.service.harness import Running
from whorl import Document
from whorl.registry.registry import Registry
from whorl.service import documents
from whorl.service.authentication import Principal
from whorl.service.documents import AddedDocument, NewDocument
from whorl.sweep.sweep import Sweep

TIDES = (
    "The tide at the old harbour is measured twice a day by a float in a well beside the quay. "
    "A pencil fixed to the float draws the height of the water on a drum of paper, and the drum is turned once in "
    "a day by a clock. Whoever changes the paper on Monday writes the date and the weather in its corner.\n\n"
    "In the winter of the great storm the float stuck at its highest mark. For three days the pencil drew a straight "
    "line, and the keeper, who trusted the instrument more than his eyes, reported a calm and very high sea. "
    "Only when the baker came by boat to the second floor of his house was the well opened and cleaned.\n\n"
    "Since then a second gauge of painted iron stands at the mole. It has no clock and no paper. Children read it "
    "aloud on their way to school, and the keeper enters what they call into his book next to the line of the drum. "
    "The two have differed by more than a hand only on days on which the children were on holiday.\n"
)
BEES = (
    "A hive in a glass wall shows what a keeper of bees otherwise has to guess. The comb grows downwards from a bar "
    "of wood, and every cell leans a little upwards so that the honey does not run out. Young bees clean, older ones "
    "build, the oldest fly. When the builders are taken away the cleaners become builders within a night, which no "
    "book had promised.\n\n"
    "The dance that tells where the limes are in flower is danced in the dark and read by touch. Through the glass, "
    "and with a red lamp that the bees do not see, it can be copied onto paper with a ruler and a watch: the angle "
    "against the plumb line is the angle against the sun, and the length of the straight run is the distance.\n"
)
REPORT = TIDES.replace("twice a day", "two times a day").partition("Since then")[0] + BEES.partition("\n\n")[2]
ARABIC = "هذا نص عربي طويل عن الميناء القديم. " * 12

TEMPLATE = '''"""Exercise 3: count words."""

import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(arguments):
    text = read(arguments[1])
    print(solve(text))


if __name__ == "__main__":
    main(sys.argv)
'''
SOLUTION = """

def solve(text):
    counts = {}
    for line in text.splitlines():
        for word in line.lower().split():
            word = word.strip(".,;:!?")
            if not word:
                continue
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    result = []
    for word, number in ranked[:10]:
        result.append(f"{word}: {number}")
    return "\\n".join(result)
"""
OTHER = """

from collections import Counter
import re

WORD = re.compile(r"[a-z']+")


class Tally:
    def __init__(self, text):
        self.counter = Counter(match.group() for match in WORD.finditer(text.lower()))

    def best(self, size):
        while size > 0:
            yield from self.counter.most_common(size)
            return

def solve(text):
    return "\\n".join("%s: %d" % pair for pair in Tally(text).best(10))
"""


def class_zip() -> bytes:
    """A class of four: two copied, one did not, and the template lies among them."""
    files = {
        "exercise3/anna/words.py": TEMPLATE + SOLUTION,
        "exercise3/bert/words.py": TEMPLATE + SOLUTION.replace("counts", "tally").replace("word", "w"),
        "exercise3/carla/words.py": TEMPLATE + OTHER,
        "exercise3/template/words.py": TEMPLATE,
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def principal_of(running: Running, secret: str) -> Principal:
    return running.context.authenticate(secret, "127.0.0.1")[1]


def put(running: Running, secret: str, name: str, content: str, **facts: object) -> AddedDocument:
    """Add a document in a token's name."""
    new = NewDocument(name=name, content=content, **facts)  # type: ignore[arg-type]
    return documents.add_document(running.context, principal_of(running, secret), new)


def furnish(running: Running) -> None:
    """The documents of acme and of bolt."""
    put(
        running, running.acme, "essays/tides.txt", TIDES, url="https://harbour.example/tides.html", date="2024-11-05",
        contact="keeper@harbour.example", labels=("harbour", "winter term"),
    )  # fmt: skip
    put(running, running.acme, "essays/report.txt", REPORT, date="2025-02-01", labels=("winter term",))
    put(running, running.acme, "bees.txt", BEES, collection="nature")
    put(running, running.acme, "الميناء.txt", ARABIC)
    put(running, running.bolt, "bolt's own tides.txt", TIDES + BEES, contact="library@bolt.example")


def registry_in(folder: Path) -> Path:
    """A registry that knows the essay on tides."""
    with Registry.create(folder / "registry") as made:
        made.add(Document("tides", TIDES, url="https://harbour.example/tides.html", contact="keeper@harbour.example"))
        made.add(Document("bees", BEES * 2))
    return folder / "registry"


def sweep_in(folder: Path) -> Path:
    """Two sweeps: the page on tides moved."""
    old, new = "http://harbour.example/old.html", "http://harbour.example/tides/new.html"
    with Sweep.create(folder / "sweep") as made:
        made.add(
            [Document(old, TIDES, url=old), Document("http://a.example/", BEES, url="http://a.example/")], "2025-01-01"
        )
        made.add([Document(new, TIDES + "More.", url=new, contact="keeper@harbour.example")], "2026-01-01")
    return folder / "sweep"
