"""Small classes of programs, all different, into which evidence can be planted."""

from whorl.comparison.evidence.finding import SubmissionTexts, Text

PROGRAM = """import sys


def {name}_of(values, limit):
    # keep what is below {number}
    kept = []
    for value in values:
        separate = value * {factor}
        if separate < limit:
            kept.append(separate + {factor})
    return kept


def show_{name}(receive):
    for position, each in enumerate(receive):
        print("{name}", position, each)
    return len(receive)


show_{name}({name}_of([1, 2, {number}], {number}))
"""

NAMES = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper")


def programs():
    """A class of ten, by name."""
    return {name: PROGRAM.format(name=name, number=30 + 7 * at, factor=2 + at) for at, name in enumerate(NAMES)}


def written(texts, language="python", unseen=None):
    """The class as the evidence is given it."""
    return [
        SubmissionTexts(name, (Text(f"{name}.txt", language, text, (unseen or {}).get(name, ())),))
        for name, text in texts.items()
    ]


def planted(change, *names):
    """The class after some of its programs were changed."""
    texts = programs()
    for name in names:
        texts[name] = change(texts[name])
    return texts
