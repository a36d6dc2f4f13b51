from collections import Counter

STOP = {"the", "and", "of", "a", "to"}


def tokens(text):
    word = ""
    for letter in text.lower() + " ":
        if letter.isalpha() or letter == "'":
            word += letter
        elif word:
            yield word
            word = ""


def common(text, many):
    counter = Counter(token for token in tokens(text) if token not in STOP)
    return counter.most_common(many)


def wrapped(text, width):
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line


def bars(pairs, width):
    most = max((number for _, number in pairs), default=1)
    return [f"{word:>12} {'*' * (number * width // most)}" for word, number in pairs]


def main(text):
    print(*wrapped(text, 60), sep="\n")
    print(*bars(common(text, 10), 40), sep="\n")
