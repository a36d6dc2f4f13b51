"""``whorl.fingerprint`` on texts, files, bytes and streams at hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.engine import fingerprints as engine
from whorl.engine.documents import excerpts
from whorl.formats import text as pieces_module
from whorl.formats.text import TextFrontend
from whorl.threads import Prefetch

TEXT = "A do run run run, a do run run. " * 40
SCHEME = whorl.Scheme(k=5, w=4)

# "ﬁ" and "ß" become two symbols.
LONGEST_EXPANSION = 1

words = st.lists(
    st.sampled_from(["alpha", "Beta", "ﬁn", "e\u0301t", "ß", "日本", "…", "—", "\u200b", "7"]), max_size=80
)


def test_a_string_is_a_text():
    fingerprints = whorl.fingerprint("A do run run run, a do run run", SCHEME)
    assert fingerprints.symbols == 21
    assert fingerprints.grams == 17
    assert len(fingerprints) == len(fingerprints.hashes) == len(fingerprints.positions) == len(fingerprints.spans)
    assert 0 < fingerprints.density <= 1


@given(words, st.sampled_from(["characters", "consonants", "words"]))
def test_spans_slice_the_text_of_each_gram(pieces, kind):
    """The stream of the slice holds the k-gram, whole, and nothing that a code point at its ends did not bring."""
    text = " ".join(pieces)
    scheme = whorl.Scheme(k=3, w=2, symbols=kind)
    frontend = TextFrontend(kind)
    symbols = frontend.stream(text).symbols
    fingerprints = whorl.fingerprint(text, scheme)
    for position, span in zip(fingerprints.positions.tolist(), fingerprints.spans, strict=True):
        inside = frontend.stream(text[span.start : span.end]).symbols.tolist()
        gram = symbols[position : position + scheme.k].tolist()
        assert gram in [inside[at : at + scheme.k] for at in range(len(inside))]
        assert len(inside) <= scheme.k + 2 * LONGEST_EXPANSION


def test_what_a_document_may_be(tmp_path):
    path = tmp_path / "song.txt"
    path.write_text(TEXT)
    expected = whorl.fingerprint(TEXT, SCHEME).hashes.tolist()
    for document in (path, TEXT.encode(), whorl.Document("song", TEXT), whorl.Document("song", path)):
        assert whorl.fingerprint(document, SCHEME).hashes.tolist() == expected


def test_a_preset_by_name():
    assert whorl.fingerprint(TEXT, "web").scheme == whorl.PRESETS["web"]
    with pytest.raises(whorl.UnknownNameError):
        whorl.fingerprint(TEXT, "prose")


@given(words, st.integers(1, 3), st.integers(1, 40))
@examples(200)
def test_neither_pieces_nor_threads_change_anything(pieces, threads, size):
    text = " ".join(pieces) * 3
    for kind in ("characters", "consonants", "words"):
        scheme = whorl.Scheme(k=4, w=5, symbols=kind)
        whole = whorl.fingerprint(text, scheme)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pieces_module, "PIECE", size)
            divided = whorl.fingerprint(text, scheme, threads=threads)
        assert divided.hashes.tolist() == whole.hashes.tolist()
        assert divided.positions.tolist() == whole.positions.tolist()
        assert list(divided.spans) == list(whole.spans)
        assert divided.symbols == whole.symbols


@given(words, st.integers(0, 30), st.sampled_from(sorted(whorl.PRESETS)), st.sampled_from([None, 1, 7, 1000]))
@examples(200)
def test_one_piece_has_the_fingerprints_of_pieces(pieces, repeated, preset, prolog):
    scheme = replace(whorl.PRESETS[preset], prolog=prolog)
    kind = (scheme.symbols if scheme.frontend == "text" else None) or "characters"
    stream = replace(TextFrontend(kind).stream(" ".join(pieces * (1 + repeated))), offset=40, note="a note")
    alone = engine.select_stream(stream, scheme, whorl.Key.PUBLIC)
    with Prefetch(1) as ahead:
        expected = engine.select_streams([stream], scheme, whorl.Key.PUBLIC, ahead)
    assert alone.hashes.tolist() == expected.hashes.tolist()
    assert alone.positions.tolist() == expected.positions.tolist()
    assert list(alone.spans) == list(expected.spans)
    assert (alone.symbols, alone.notes, alone.scheme) == (expected.symbols, expected.notes, expected.scheme)


def test_a_long_text_in_pieces_is_the_same_in_any_width():
    """Pieces differ in the width of their symbols; what is selected must not."""
    text = "".join(f"the {i} winter light of Sorrel Point " + ("ночь " if i % 97 == 0 else "") for i in range(60_000))
    assert len(text) > 3 * pieces_module.PIECE
    scheme = whorl.Scheme(k=20, w=20)
    one, two = (whorl.fingerprint(text, scheme, threads=threads) for threads in (1, 2))
    assert one.hashes.tolist() == two.hashes.tolist()
    direct = whorl.fingerprint(TextFrontend().stream(text).symbols, scheme)
    assert one.hashes.tolist() == direct.hashes.tolist()
    assert one.positions.tolist() == direct.positions.tolist()


def test_another_key_gives_other_fingerprints():
    key = whorl.Key.random()
    keyed = whorl.fingerprint(TEXT, SCHEME.with_key(key.id), key=key)
    assert not set(keyed.hashes.tolist()) & set(whorl.fingerprint(TEXT, SCHEME).hashes.tolist())


def test_the_key_must_be_the_schemes():
    with pytest.raises(whorl.KeyMismatchError, match="the scheme needs the key 'public'"):
        whorl.fingerprint(TEXT, SCHEME, key=whorl.Key.random())


@pytest.mark.parametrize("text", ["", "abc", "… — !"])
def test_fewer_than_k_symbols_give_nothing(text):
    fingerprints = whorl.fingerprint(text, SCHEME)
    assert len(fingerprints) == fingerprints.grams == fingerprints.density == 0


@pytest.mark.parametrize("document", [None, 3, ["text"], bytearray(b"text")])
def test_what_is_no_document(document):
    with pytest.raises(whorl.DocumentError, match="a document is a string, bytes or a path, not a"):
        whorl.fingerprint(document, SCHEME)


@pytest.mark.parametrize("select", [{"select": "safe-mod", "p": 1000, "w": 100}, {"select": "robust", "w": 100}])
def test_a_document_that_begins_with_nearly_nothing_is_not_short(select):
    """The first piece may hold fewer k-grams than a window though the document does not."""
    letters = np.random.default_rng(3).integers(97, 123, 3_000, dtype=np.uint8).tobytes().decode()
    scheme = whorl.Scheme(k=20, **select)
    parted = whorl.fingerprint(letters[:30] + "\n" * (3 * pieces_module.PIECE) + letters[30:], scheme)
    whole = whorl.fingerprint(letters, scheme)
    assert parted.hashes.tolist() == whole.hashes.tolist()
    assert parted.positions.tolist() == whole.positions.tolist()


@pytest.mark.parametrize("symbols", [np.zeros(9, np.int64), np.zeros(9), np.zeros((3, 3), np.uint8)])
def test_what_is_no_stream(symbols):
    with pytest.raises(whorl.InputError, match="give unsigned integers"):
        whorl.fingerprint(symbols, SCHEME)


def test_a_stream_may_lie_in_memory_as_it_likes():
    symbols = np.random.default_rng(9).integers(0, 26, 600).astype(np.uint32)
    expected = whorl.fingerprint(symbols, SCHEME).hashes.tolist()
    for other in (symbols.astype(">u4"), np.repeat(symbols, 2)[::2], np.frombuffer(symbols.tobytes(), np.uint32)):
        assert whorl.fingerprint(other, SCHEME).hashes.tolist() == expected


def test_threads_must_be_some():
    with pytest.raises(whorl.InputError, match="threads"):
        whorl.fingerprint(TEXT, SCHEME, threads=0)


def test_progress_is_reported(monkeypatch):
    monkeypatch.setattr(pieces_module, "PIECE", 100)
    done: list[int] = []
    fingerprints = whorl.fingerprint(TEXT, SCHEME, progress=done.append)
    assert len(done) > 5
    assert done == sorted(done)
    assert done[-1] >= fingerprints.spans[-1].end
    assert fingerprints.hashes.tolist() == whorl.fingerprint(TEXT, SCHEME).hashes.tolist()


def test_an_error_on_a_thread_is_raised(monkeypatch):
    def fail(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(TextFrontend, "read", fail)
    with pytest.raises(RuntimeError, match="broken"):
        whorl.fingerprint(TEXT, SCHEME, threads=2)


def test_offsets_widen_when_they_must(monkeypatch):
    monkeypatch.setattr(engine, "WIDE", 10)
    assert whorl.fingerprint(TEXT, SCHEME).positions.dtype == np.int64


def test_excerpts_are_the_text_of_the_spans(tmp_path, monkeypatch):
    text = "".join(f"{i}. café — “{'x' * (i % 50)}”\n" for i in range(4000))
    path = tmp_path / "long.txt"
    path.write_text(text, "utf-8")
    fingerprints = whorl.fingerprint(path, SCHEME)
    assert list(excerpts(whorl.Document(str(path), path), fingerprints)) == [
        text[start:end] for start, end in fingerprints.spans
    ]


@pytest.mark.usefixtures("each_kernel")
def test_both_kernels_serve():
    assert len(whorl.fingerprint("Ａ do run run run, a do run rún", SCHEME)) > 0
