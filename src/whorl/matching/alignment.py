"""Align a program with the starter code (the template): find the tokens that come from it.

Compare texts, not shapes: a student's loop with the shape of a template loop stays the student's. Align lines first, as
``diff`` does. Each template line explains one line of the document, so an unchanged line is found however short it is,
next to an edit too. Then align the tokens of edited lines.

1. Runs of equal lines, longest first, anywhere: functions may have moved. Then long runs of lines that are equal up to
   a consistent renaming (Baker's parameterized matches).
2. Equal lines between these runs, in order (patience diff).
3. Edited lines between these runs: unchanged tokens, and consistently renamed names.
4. Runs of equal tokens, anywhere: reformatted code.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from heapq import heapify, heappop, heappush

from whorl.matching.line_diff import (
    CROSSED,
    PLACES,
    SEPARATOR,
    EqualRun,
    ProgramLines,
    common_runs,
    equal_runs,
    is_bracket,
    is_name,
    is_word,
    line_name,
)
from whorl.model import Span

# Minimum length, in characters without blanks, of a piece found outside the order of the template's lines: about 11
# tokens, the guarantee for programs.
FREE = 40

# Minimum length, in characters, of a piece whose place in the template is already aligned, or with renamed words.
# Anybody writes loop headers of 20 to 30 characters; this is several lines.
LONG = 120

# Length, in tokens, of the seeds that find pieces shorter than a line.
SEED = 6

# Minimum length, in characters, of equal lines that touch no other aligned line.
BETWEEN = 20

# Minimum similarity of an edited line and a template line, from 0 to 1 (Dice's coefficient): anywhere, and exactly
# between two unchanged lines.
EDITED, IN_PLACE = 0.6, 0.4

# Weights of a word, a sign and a possibly renamed word in that similarity. Lines that share only signs are not alike.
WORD, SIGN, RENAMED = 2.0, 1.0, 0.5

# Placeholders for a name that the other side does not have: possibly renamed, or certainly not.
UNKNOWN, GONE = SEPARATOR, 2 * SEPARATOR


class Template:
    """All documents of the starter code, concatenated, with the positions of their lines and token seeds."""

    def __init__(self, documents: Iterable[ProgramLines]) -> None:
        self.keys: list[str] = []
        self.lines: list[tuple[int, int]] = []
        self.names: list[str] = []
        self.files: list[int] = []
        self.seeds: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self.places: dict[str, list[int]] = defaultdict(list)
        self.ends: list[int] = []
        different = {tuple(each.keys): each for each in documents}
        for number, each in enumerate(different.values()):
            self._add(number, each)
        self.words = frozenset(self.keys)
        self.comments = frozenset(text for each in different.values() for text, _ in each.comments)

    def _add(self, number: int, document: ProgramLines) -> None:
        before = len(self.keys)
        self.keys += [*document.keys, ""]  # the empty token stops runs at the end of the document
        for first, end in document.lines:
            self.lines.append((before + first, before + end))
        for name in document.names:
            if len(self.places[name]) < PLACES:
                self.places[name].append(len(self.names))
            self.names.append(name)
            self.files.append(number)
        self.ends += [len(self.names)] * len(document.names)
        for at in range(len(document.keys) - SEED + 1):
            places = self.seeds[tuple(document.keys[at : at + SEED])]
            if len(places) < PLACES:
                places.append(before + at)


def template_spans(document: ProgramLines, template: Template) -> list[Span]:
    """Return the spans of a document that come from the template, sorted and disjoint. A comment that is not in the
    template separates spans."""
    pieces = [*zip(document.starts, document.ends, aligned(document, template), strict=True)]
    pieces += [(start, end, text in template.comments) for text, (start, end) in document.comments]
    spans: list[Span] = []
    is_open = False
    for start, end, is_template in sorted(pieces):
        if is_template:
            spans.append(Span(spans.pop().start if is_open else start, end))
        is_open = is_template
    return spans


def aligned(document: ProgramLines, template: Template) -> list[bool]:
    """Return for each token of a document whether it comes from the template."""
    alignment = _Alignment(document, template)
    alignment.move()
    alignment.fill()
    alignment.edit()
    alignment.scatter()
    alignment.close()
    return [place >= 0 for place in alignment.tokens]


class _Alignment:
    """The alignment while it grows. ``lines`` and ``tokens`` map each line and token of the document to its position in
    the template, or -1."""

    def __init__(self, document: ProgramLines, template: Template) -> None:
        self._document, self._template = document, template
        self.lines = [-1] * len(document.lines)
        self.tokens = [-1] * len(document.keys)
        self._used_lines = bytearray(len(template.lines))
        self._used = bytearray(len(template.keys))
        self._renamed: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def move(self) -> None:
        """Stage 1: align runs of equal lines, longest first, then runs of consistently renamed lines."""
        self._tile(
            equal_runs(self._document.names, self._template.names, self._template.ends, self._template.places), FREE
        )
        here, there = self._rest()
        if min(sum(self._document.weights[at] for at in here), sum(map(self._size, there))) >= LONG:
            # Words that only one side has may have been renamed. The empty name excludes aligned lines.
            names = [line_name(self._read(at)) if self.lines[at] < 0 else "" for at in range(len(self.lines))]
            others = [""] * len(self._template.names)
            places = defaultdict[str, list[int]](list)
            for at in there:
                others[at] = line_name(self._read_template(at))
                if len(places[others[at]]) < PLACES:
                    places[others[at]].append(at)
            self._tile(equal_runs(names, others, self._template.ends, places), LONG)

    def _rest(self) -> tuple[list[int], list[int]]:
        """Return the unaligned lines of the document and of the template."""
        there = [at for at, is_used in enumerate(self._used_lines) if not is_used]
        return [at for at, place in enumerate(self.lines) if place < 0], there

    def _size(self, there: int) -> int:
        """Return the length of a template line in characters."""
        first, end = self._template.lines[there]
        return sum(map(len, self._template.keys[first:end]))

    def _tile(self, runs: Iterable[EqualRun], least: int) -> None:
        """Align runs of lines of at least ``least`` characters, longest first."""
        heap = [(-self._weight(run), run) for run in runs if self._weight(run) >= least]
        heapify(heap)
        while heap:
            _, run = heappop(heap)
            pieces = list(self._free(run))
            if pieces == [run]:
                self._align(run)
            else:
                for piece in pieces:
                    if (weight := self._weight(piece)) >= least:
                        heappush(heap, (-weight, piece))

    def _free(self, run: EqualRun) -> Iterator[EqualRun]:
        """Yield the unaligned pieces of a run whose names agree with the renamings so far. A line explained by another
        version of the template counts as aligned in this version too."""
        size = 0
        renamed, names = dict(self._renamed), dict(self._names)
        for at in range(run.size + 1):
            here, there = run.here + at, run.there + at
            is_free = at < run.size and self.lines[here] < 0 and not self._used_lines[there]
            if is_free and self._agrees(here, there, renamed, names):
                size += 1
                continue
            if size:
                yield EqualRun(here - size, there - size, size)
            size = 0
            if at < run.size and self.lines[here] >= 0:
                files = self._template.files
                if files[self.lines[here]] != files[there]:
                    self._use_line(there)

    def _agrees(self, here: int, there: int, renamed: dict[str, str], names: dict[str, str]) -> bool:
        """Return whether two lines are equal under the renamings, and record the renamings they need."""
        mine, theirs = self._document.names[here], self._template.names[there]
        return mine == theirs or all(
            renamed.setdefault(other, name) == name and names.setdefault(name, other) == other
            for name, other in zip(mine.split(SEPARATOR), theirs.split(SEPARATOR), strict=True)
            if name != other
        )

    def _weight(self, run: EqualRun) -> int:
        return sum(self._document.weights[run.here : run.here + run.size])

    def _align(self, run: EqualRun) -> None:
        for at in range(run.size):
            here, there = run.here + at, run.there + at
            self._agrees(here, there, self._renamed, self._names)
            self.lines[here] = there
            self._use_line(there)
            first, end = self._document.lines[here]
            # The document may have brackets on other lines than the template: line names leave them out.
            keys, (place, stop) = self._template.keys, self._template.lines[there]
            others = iter([at for at in range(place, stop) if not is_bracket(keys[at])])
            for token in range(first, end):
                key = self._document.keys[token]
                if not is_bracket(key):
                    place = next(others)
                elif keys[place + 1] == key:
                    place += 1
                self.tokens[token] = place
                self._used[place] = 1

    def _use_line(self, there: int) -> None:
        self._used_lines[there] = 1
        first, end = self._template.lines[there]
        self._used[first:end] = b"\1" * (end - first)

    def fill(self) -> None:
        """Stage 2: align equal lines in the gaps between aligned lines, in order."""
        for from_left in (True, False):
            for gap in list(self._gaps(from_left)):
                self._fill(*gap)

    def _gaps(self, from_left: bool) -> Iterator[tuple[range, range]]:
        """Yield each gap between two aligned lines with the template's unaligned lines after the first of the two, or
        before the second. Without any aligned line, yield the template document that shares most lines."""
        if not any(place >= 0 for place in self.lines):
            yield from self._likeliest()
            return
        size, here = len(self.lines), 0
        while here < size:
            if self.lines[here] >= 0:
                here += 1
                continue
            end = next((at for at in range(here, size) if self.lines[at] >= 0), size)
            there = self._after(here - 1) if from_left else self._before(end)
            if there:
                yield range(here, end), there
            here = end

    def _likeliest(self) -> Iterator[tuple[range, range]]:
        template = self._template
        weights: Counter[int] = Counter()
        for name, weight in zip(self._document.names, self._document.weights, strict=True):
            for file in {template.files[place] for place in template.places.get(name, ())}:
                weights[file] += weight
        if weights:
            file = max(weights, key=lambda each: (weights[each], -each))
            lines = [at for at, number in enumerate(template.files) if number == file]
            yield range(len(self.lines)), range(lines[0], lines[-1] + 1)

    def _after(self, here: int) -> range:
        """Return the template's unaligned lines after the counterpart of this line."""
        first = self.lines[here] + 1 if here >= 0 else 0
        if here < 0 or first >= self._template.ends[first - 1]:
            return range(0)
        end = next((at for at in range(first, self._template.ends[first - 1]) if self._used_lines[at]), None)
        return range(first, self._template.ends[first - 1] if end is None else end)

    def _before(self, here: int) -> range:
        """Return the template's unaligned lines before the counterpart of this line."""
        if here == len(self.lines):
            return range(0)
        end = self.lines[here]
        first = end
        while (
            first > 0
            and not self._used_lines[first - 1]
            and self._template.files[first - 1] == self._template.files[end]
        ):
            first -= 1
        return range(first, end)

    def _fill(self, here: range, there: range) -> None:
        runs = list(common_runs(self._document.names, self._template.names, here, there))
        for _ in range(2):  # from the left, then from the right: an aligned run supports its neighbours
            for run in runs:
                if self.lines[run.here] < 0 and (self._weight(run) >= BETWEEN or self._touches(run)):
                    self._align(run)
            runs.reverse()

    def _touches(self, run: EqualRun) -> bool:
        """Return whether a run touches an aligned line on either side, or begins or ends both sides."""
        files, lines = self._template.files, self.lines
        for here, there in ((run.here - 1, run.there - 1), (run.here + run.size, run.there + run.size)):
            is_edge = not 0 <= there < len(files) or files[there] != files[run.there]
            is_first = not 0 <= here < len(lines)
            is_known = (not is_edge and self._used_lines[there]) or (not is_first and lines[here] >= 0)
            if is_known or (is_edge and is_first):
                return True
        return False

    def edit(self) -> None:
        """Stage 3: align edited lines in the gaps, if there is any unchanged line."""
        if any(place >= 0 for place in self.lines):
            for from_left in (True, False):
                for here, there in list(self._gaps(from_left)):
                    is_between = self._is_between(here, there)
                    if is_between and len(here) == len(there):
                        for pair in zip(here, there, strict=True):
                            self._compare(*pair, IN_PLACE, is_between)
                    elif len(here) * len(there) <= CROSSED:
                        self._pair(here, there, is_between)

    def _is_between(self, here: range, there: range) -> bool:
        """Return whether the lines around a gap are also the neighbours of its template lines. Only such a gap may have
        new names: elsewhere, other lines of the same shape are near."""
        is_inner = here.start > 0 and here.stop < len(self.lines)
        return is_inner and (self.lines[here.start - 1], self.lines[here.stop]) == (there.start - 1, there.stop)

    def _pair(self, here: range, there: range, is_between: bool) -> None:
        """Align each line with the most similar template line, in order."""
        first = there.start
        bags = {at: Counter(self._read_template(at, is_between)) for at in there}
        for at in here:
            if not is_between and self._document.weights[at] < BETWEEN:
                continue
            bag = Counter(self._read(at))
            alike = {other: _alike(bag & bags[other], bag, bags[other]) for other in range(first, there.stop)}
            best = max(alike, key=lambda other: (alike[other], -other), default=None)
            if best is not None and alike[best] >= EDITED and self._compare(at, best, EDITED, is_between):
                first = best + 1

    def _read(self, line: int) -> list[str]:
        """Return the tokens of a document line. A renamed word becomes the template's word, any other word that the
        template does not have becomes ``UNKNOWN``."""
        words, names = self._template.words, self._names
        keys = self._document.keys[slice(*self._document.lines[line])]
        return [key if key in words or not is_name(key) else names.get(key, UNKNOWN) for key in keys]

    def _read_template(self, line: int, may_be_new: bool = True) -> list[str]:
        """Return the tokens of a template line. A name that the document does not have becomes ``UNKNOWN``, or ``GONE``
        if it cannot have been renamed here."""
        words, renamed = self._document.words, self._renamed
        keys = self._template.keys[slice(*self._template.lines[line])]
        unknown = UNKNOWN if may_be_new else GONE
        return [key if key in words or key in renamed or not is_name(key) else unknown for key in keys]

    def _compare(self, here: int, there: int, least: float, may_be_new: bool) -> bool:
        """Align the unchanged tokens of two lines if the lines are similar enough; return whether they are."""
        mine, theirs = self._read(here), self._read_template(there, may_be_new)
        runs = [EqualRun(*block) for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()]
        unchanged = Counter(mine[run.here + at] for run in runs for at in range(run.size))
        if _alike(unchanged, Counter(mine), Counter(theirs)) < least:
            return False
        before, base = self._document.lines[here][0], self._template.lines[there][0]
        for token, place in ((before + run.here + at, base + run.there + at) for run in runs for at in range(run.size)):
            self._keep(token, place)
        self.lines[here] = there
        self._use_line(there)
        return True

    def _keep(self, token: int, place: int) -> None:
        mine, theirs = self._document.keys[token], self._template.keys[place]
        if mine != theirs and self._renamed.setdefault(theirs, mine) != mine:
            return  # another renaming of this name is known
        if mine != theirs and self._names.setdefault(mine, theirs) != theirs:
            return
        self.tokens[token] = place

    def scatter(self) -> None:
        """Stage 4: align long runs of equal tokens, in document order."""
        keys, words, seeds = self._document.keys, self._template.words, self._template.seeds
        at = 0
        while (last := at + SEED - 1) < len(keys):
            if keys[last] not in words or self.tokens[last] >= 0:
                at = last + 1
                continue
            places = seeds.get(tuple(keys[at : last + 1]), ())
            if places and max(self.tokens[at:last]) < 0:
                run = max((self._extended(at, place) for place in places), key=lambda each: each.size)
                for offset in range(run.size):
                    self.tokens[run.here + offset] = run.there + offset
                    self._used[run.there + offset] = 1
                at = max(at, run.here + run.size - 1)
            at += 1

    def _extended(self, here: int, there: int) -> EqualRun:
        """Return the longest run of equal tokens through two positions, empty if it is too short."""
        mine, theirs, size = self._document.keys, self._template.keys, SEED
        while here > 0 and there > 0 and self.tokens[here - 1] < 0 and mine[here - 1] == theirs[there - 1]:
            here, there, size = here - 1, there - 1, size + 1
        while here + size < len(mine) and self.tokens[here + size] < 0 and mine[here + size] == theirs[there + size]:
            size += 1
        weight = sum(self._document.ends[here : here + size]) - sum(self._document.starts[here : here + size])
        is_used = any(self._used[there : there + size])
        return EqualRun(here, there, size if weight >= (LONG if is_used else FREE) else 0)

    def close(self) -> None:
        """Align signs next to aligned tokens on both sides: closing brackets on lines of their own."""
        forwards, backwards = range(len(self.tokens) - 1), range(len(self.tokens) - 1, 0, -1)
        for order, step in ((forwards, 1), (backwards, -1)):
            for at in order:
                place = self.tokens[at] + step
                if self.tokens[at] >= 0 > self.tokens[at + step] and self._is_sign(at + step, place):
                    self.tokens[at + step] = place
                    self._used[place] = 1

    def _is_sign(self, token: int, place: int) -> bool:
        """Return whether these tokens are the same sign, and the template's is unaligned."""
        key = self._document.keys[token]
        return place >= 0 and not is_word(key) and self._template.keys[place] == key and not self._used[place]


def _alike(both: Counter[str], mine: Counter[str], theirs: Counter[str]) -> float:
    """Return the weighted Dice coefficient of two lines by their tokens and the tokens in both."""
    shared = sum((RENAMED if key == UNKNOWN else _weight_of(key)) * count for key, count in both.items())
    return 2 * shared / sum(_weight_of(key) * count for each in (mine, theirs) for key, count in each.items())


def _weight_of(key: str) -> float:
    return WORD if key in (UNKNOWN, GONE) or is_word(key) else SIGN
