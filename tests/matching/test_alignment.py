"""What was given is known exactly, next to edits too; what only looks like it is a person's own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.matching.starting import STARTERS, handed_in, starter
from whorl.matching.alignment import LONG, Template, aligned, template_spans
from whorl.matching.line_diff import is_word, program_lines


def own_words(language, text, *bases):
    """The words of a program that are not the template's, and where they begin."""
    program = program_lines(text, language)
    is_template = aligned(program, Template([program_lines(base, language) for base in bases]))
    words = zip(program.keys, program.starts, is_template, strict=True)
    return [(key, start) for key, start, was_there in words if not was_there and is_word(key)]


def words_of(language, text):
    return [key for key in program_lines(text, language).keys if is_word(key)]


@pytest.mark.parametrize("language", STARTERS)
def test_exactly_a_persons_own_words_are_left_of_an_edited_starter_file(language):
    text, spans = handed_in(language)
    program = program_lines(text, language)
    expected = [
        (key, start)
        for key, start in zip(program.keys, program.starts, strict=True)
        if is_word(key) and any(first <= start < end for first, end in spans)
    ]
    assert len(expected) > 60
    assert own_words(language, text, starter(language)) == expected


@pytest.mark.parametrize("language", STARTERS)
def test_signs_go_with_their_words(language):
    """Of brackets that close one after the other, any may be the template's, so they are counted."""
    text, spans = handed_in(language)
    program = program_lines(text, language)
    is_template = aligned(program, Template([program_lines(starter(language), language)]))
    own = sum(any(first <= start < end for first, end in spans) for start in program.starts)
    assert is_template.count(False) == own


@pytest.mark.parametrize("language", STARTERS)
def test_the_template_itself_has_nothing_of_its_own(language):
    (span,) = template_spans(
        program_lines(starter(language), language), Template([program_lines(starter(language), language)])
    )
    assert starter(language)[span.start : span.end].strip() == starter(language).strip()


def reindented(text):
    return re.sub("(?m)^ +", lambda found: "\t" * (len(found[0]) // 4), text).replace("\n", "\r\n")


def braced(text):
    return re.sub(r"(?m)^( *)(.*\S) \{$", r"\1\2\n\1{", text)


def without_comments(text):
    return re.sub(r"//.*|(?s:/\*.*?\*/)", "", text)


def turned(text):
    """Two halves, exchanged: functions in another order."""
    lines = text.split("\n")
    cuts = [at for at, line in enumerate(lines) if not line]
    middle = cuts[len(cuts) // 2]
    return "\n".join([*lines[middle:], "", *lines[:middle]])


@pytest.mark.parametrize("change", [reindented, braced, without_comments, turned])
def test_a_template_that_was_laid_out_anew_is_the_template(change):
    text = change(starter("java"))
    assert text != starter("java")
    assert own_words("java", text, starter("java")) == []


@pytest.mark.parametrize("change", [reindented, braced, turned])
def test_own_work_stays_own_in_a_template_that_was_laid_out_anew(change):
    text, _ = handed_in("java")
    expected = [key for key, _ in own_words("java", text, starter("java"))]
    left = [key for key, _ in own_words("java", change(text), starter("java"))]
    # Next to an edit, a line that was broken up may not be known again.
    assert len(set(expected) - set(left)) == 0
    assert len(left) <= 1.1 * len(expected)


@pytest.mark.parametrize("language", STARTERS)
def test_names_that_were_renamed_throughout_are_the_template(language):
    names = {"java": ["items", "total", "item"], "python": ["days", "best", "day"], "c": ["cells", "m", "result"]}
    text = starter(language)
    for name in names[language]:
        text = re.sub(rf"\b{name}\b", f"my_{name}", text)
    left = own_words(language, text, starter(language))
    assert len(left) <= 0.05 * len(words_of(language, text))


def test_every_name_may_be_another_one():
    text, _ = handed_in("c")
    every = {name for name in words_of("c", starter("c")) if re.fullmatch("[a-z_]+", name)}
    kept = {"for", "int", "if", "return", "double", "void", "struct", "typedef", "static", "const", "char", "include"}
    for name in every - kept:
        text = re.sub(rf"\b{name}\b", f"{name}_x", text)
    left = {key.removesuffix("_x") for key, _ in own_words("c", text, starter("c"))}
    plain = {key for key, _ in own_words("c", handed_in("c")[0], starter("c"))}
    assert len(left - plain) <= 3
    assert {"swap_rows", "best", "fabs"} <= left


def test_several_templates_in_one_file_and_one_over_several():
    java, text = starter("java"), handed_in("java")[0]
    expected = own_words("java", text, java)
    cut = java.index("\n", len(java) // 2)
    assert own_words("java", text, java[:cut], java[cut:]) == expected
    assert own_words("java", text, "class Other { void other() { } }", java) == expected
    assert own_words("java", text, java[cut:] + starter("c") + java[:cut]) == expected
    assert own_words("java", text, java, java) == expected


def test_two_versions_of_a_template_explain_no_more_than_one():
    """What is the head of a loop in both versions may not explain two loops."""
    text, _ = handed_in("java")
    older = starter("java").replace("SHELF_SIZE = 25", "SHELF_SIZE = 20").replace('"Sold: "', '"Sold so far: "')
    assert own_words("java", text, starter("java"), older) == own_words("java", text, starter("java"))


def test_a_loop_of_the_same_shape_is_ones_own():
    base = starter("python")
    own = """
def heaviest(boxes):
    top = boxes[0]
    for box in boxes:
        if box.weight > top.weight:
            top = box
    return top
"""
    assert [key for key, _ in own_words("python", base + "\n" + own, base)] == words_of("python", own)


def test_a_comment_of_ones_own_parts_what_was_given():
    base = "int first = 1;\nint second = 2;\nint third = 3; // given\n"
    text = base.replace("int second", "// a remark of mine\nint second")
    spans = template_spans(program_lines(text, "c"), Template([program_lines(base, "c")]))
    assert [text[start:end] for start, end in spans] == ["int first = 1;", "int second = 2;\nint third = 3; // given"]


def test_remarks_in_notebooks_do_not_count():
    base = "first = read(path)\nsecond = clean(first, 'spaces')\nshow(second)\n"
    text = "".join(f"# step {at}\n{line}  # mine\n" for at, line in enumerate(base.splitlines()))
    assert own_words("notebook", text, base) == []


def test_hostile_programs():
    base = "\0\1 a \0\0 b\n" * 40 + "{" * 400 + "x\n" * 400
    for text in (base, "", "\0", "}" * 999, "x\n" * 2000, base[::-1], '"' + "y" * 5000):
        assert len(aligned(program_lines(text, "c"), Template([program_lines(base, "c")]))) == len(
            program_lines(text, "c").keys
        )
    assert all(aligned(program_lines(base, "c"), Template([program_lines(base, "c")])))
    assert not any(aligned(program_lines(base, "c"), Template([])))


TEMPLATE = [f"given_{at} = compute_{at}(value, {at})" for at in range(12)]
OWN = [f"mine_{at} = {at} + other[{at}] * factor" for at in range(9)]


@given(st.lists(st.tuples(st.integers(0, len(TEMPLATE)), st.sampled_from(OWN)), max_size=12))
def test_of_inserted_lines_exactly_those_are_left(insertions):
    lines = [(line, False) for line in TEMPLATE]
    for at, line in sorted(insertions, reverse=True):
        lines.insert(at, (line, True))
    text = "\n".join(line for line, _ in lines)
    left = [key for key, _ in own_words("python", text, "\n".join(TEMPLATE))]
    assert left == [key for line, is_own in lines if is_own for key in words_of("python", line)]


names = st.sampled_from("abcdefgh")
line = st.builds("{} = {}({}, {}) + {};".format, names, names, names, names, st.integers(0, 9))
program = st.lists(line, max_size=25).map("\n".join)


@given(program)
def test_what_equals_the_template_is_the_template(text):
    assert own_words("c", text, text) == []


@given(st.lists(line, min_size=3, max_size=25), program, st.integers(0, 25))
def test_the_template_explains_what_it_has_and_no_more(given_lines, own, at):
    """Own lines may equal the template's: then as many are left as there are more of them."""
    lines, base = own.split("\n"), "\n".join(given_lines)
    text = "\n".join([*lines[:at], base, *lines[at:]])
    left = [key for key, _ in own_words("c", text, base)]
    again = len("".join(own.split())) >= LONG  # long pieces may be the template's once more
    explained = len(words_of("c", text)) - len(left)
    assert explained >= len(words_of("c", base))
    assert explained == len(words_of("c", base)) or again


@given(st.lists(line, min_size=1, max_size=25), st.lists(line, min_size=1, max_size=25))
def test_who_shares_no_line_keeps_all(base, own):
    """The same shapes throughout, other names in each line: nothing of it was given."""
    other = [re.sub("([a-h])", rf"\1_{at}", each) for at, each in enumerate(own)]
    text = "\n".join(other)
    assert [key for key, _ in own_words("c", text, "\n".join(base))] == words_of("c", text)
