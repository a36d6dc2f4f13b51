"""The submissions of a comparison as the evidence is given them: their texts, without what is sanctioned."""

from collections.abc import Callable, Iterator, Sequence

from whorl.comparison.evidence.finding import Text, Written
from whorl.comparison.result import Submission
from whorl.model import Span


def written(
    submissions: Sequence[Submission],
    text: Callable[[int, int], str],
    unseen: Callable[[int, int], tuple[str, ...]] = lambda _submission, _file: (),
) -> Iterator[Written]:
    """Each submission, read when it is asked for. ``text`` and ``unseen`` are asked by the numbers of a submission and
    a file of it."""
    for number, submission in enumerate(submissions):
        files = [
            Text(file.name, file.format, blanked(text(number, at), given), unseen(number, at), given)
            for at, file in enumerate(submission.files)
            for given in [tuple(sorted(file.sanctioned))]
        ]
        yield Written(submission.name, tuple(files))


def blanked(text: str, spans: Sequence[Span]) -> str:
    """A text with blanks in these spans, its lines as they were."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            hidden = text[max(at, start) : end]
            parts += (text[at:start], "".join("\n" if letter == "\n" else " " for letter in hidden))
            at = end
    return "".join((*parts, text[at:]))
