"""What a registry promises: documents come and go, are found by what they store, and are drawn again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.registry.corpus import paragraphs, prose
from whorl import Document, DocumentError, InputError, Scheme, Skipped
from whorl.registry import registry as module
from whorl.registry.reading import read
from whorl.registry.registry import Registry, rotation
from whorl.scheme import PRESETS
from whorl.storage import store

KOALA = PRESETS["koala"]


@pytest.fixture
def registry(tmp_path):
    with Registry.create(tmp_path / "registry") as made:
        yield made


def stored_of(registry: Registry, name: str) -> set[int]:
    """The stored fingerprint of a document as it is on the disk, without the posting of its name."""
    entry = registry.entry(name)
    assert entry is not None
    with registry.reading():
        parts = [part for segment in registry._snapshot.segments() for part in segment.scan()]
        parts.append(registry._snapshot.fresh.row())
    found = {hashed for part in parts for hashed in part.hashes[part.documents == entry.number].tolist()}
    return found - set(registry._names.hashes([name]).tolist())


def test_a_document_matches_itself_wholly(registry):
    text = prose(1)
    document = Document("a", text, url="https://example.org/a", date="1996-11-18", contact="a@example.org")
    assert registry.add(document).state == "added"
    registry.add(Document("b", prose(2)))
    hits = registry.search(text)
    assert [(hit.document.name, hit.ratio, hit.warning) for hit in hits] == [("a", 1.0, "")]
    entry = hits[0].document
    assert (entry.url, entry.date, entry.contact) == (document.url, document.date, document.contact)
    assert (entry.stored, entry.searched) == (100, 1000)
    assert len(registry.search(prose(3))) == 0


def test_what_is_stored_is_a_part_of_what_is_searched_before_and_after_rotation(registry):
    texts = {f"{seed}": prose(seed, 300 + 150 * seed) for seed in range(8)}
    list(registry.add_all(Document(name, text) for name, text in texts.items()))
    before: dict[str, set[int]] = {}
    for turn in range(4):
        if turn == 2:
            registry.flush()
        for name, text in texts.items():
            entry = registry.entry(name)
            assert entry is not None
            searched = set(read(Document(name, text), registry.scheme, registry._key).hashes.tolist())
            stored = stored_of(registry, name)
            assert stored < searched
            assert len(stored) == entry.stored == 100
            assert stored != before.get(name)
            assert registry.search(text)[0].ratio == 1.0
            before[name] = stored
        rotated = list(registry.rotate(Document(name, text) for name, text in texts.items()))
        assert {change.state for change in rotated} == {"rotated"}
    registry.verify()


@given(count=st.integers(25, 700), seed=st.integers(0, 10**6), stored=st.integers(1, 60))
@examples(25)
def test_any_document_matches_itself_before_and_after_any_rotation(tmp_path_factory, count, seed, stored):
    scheme = replace(KOALA, n=200, stored=stored)
    with Registry.create(tmp_path_factory.mktemp("r") / "registry", scheme) as registry:
        document = Document("it", prose(seed, count))
        registry.add(document)
        for _ in range(3):
            hit = registry.search(document)[0]
            assert (hit.document.name, hit.ratio) == ("it", 1.0)
            list(registry.rotate([document]))


def test_two_draws_share_no_more_than_chance(registry):
    """100 of 1,000, twice: 10 in common on average, and 25 or more three times in 10^6 draws."""
    document = Document("a", prose(5, 3000))
    registry.add(document)
    before = stored_of(registry, "a")
    for _ in range(5):
        list(registry.rotate([document]))
        now = stored_of(registry, "a")
        assert len(now & before) < 25
        before = now


def test_the_draw_of_another_registry_is_another(tmp_path):
    kept = []
    for name in ("one", "two"):
        with Registry.create(tmp_path / name) as registry:
            registry.add(Document("a", prose(1)))
            kept.append(stored_of(registry, "a"))
    assert len(kept[0] & kept[1]) < 25


def test_documents_are_replaced_updated_and_removed(registry):
    document = Document("a", prose(1), url="x")
    assert [registry.add(document).state for _ in range(2)] == ["added", "unchanged"]
    assert registry.add(replace(document, url="y")).state == "updated"
    assert registry.entry("a").url == "y"
    assert registry.add(Document("a", prose(2), url="y")).state == "replaced"
    assert len(registry.search(prose(1))) == 0
    assert registry.search(prose(2))[0].ratio == 1.0
    assert len(registry) == 1
    assert registry.remove("a", "b", "a") == ["a"]
    assert len(registry) == len(registry.search(prose(2))) == 0
    assert registry.entry("a") is None
    registry.verify()


def test_one_id_twice_in_a_batch_is_the_last(registry):
    states = [change.state for change in registry.add_all(Document("a", prose(seed)) for seed in (1, 2, 1, 1))]
    assert states == ["added", "replaced", "replaced", "unchanged"]
    assert len(registry) == 1
    assert registry.search(prose(1))[0].ratio == 1.0
    assert len(registry.search(prose(2))) == 0
    registry.verify()


def test_many_segments_and_many_tombstones(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FLUSH_DOCUMENTS", 3)
    monkeypatch.setattr(store, "FAN", 3)
    monkeypatch.setattr(module, "BATCH", 2)
    monkeypatch.setattr(store, "FEW_TOMBSTONES", 4)
    texts = {f"{seed}": prose(seed, 400) for seed in range(20)}
    with Registry.create(tmp_path / "registry") as registry:
        list(registry.add_all(Document(name, text) for name, text in texts.items()))
        registry.remove("3", "4")
        list(registry.rotate(Document(name, texts[name]) for name in ("5", "6", "7", "8", "9", "10")))
        assert registry.stats().buried < 4
        for name, text in texts.items():
            found = [hit.document.name for hit in registry.search(text) if hit.ratio == 1.0]
            assert found == ([] if name in ("3", "4") else [name])
        registry.verify()
        registry.compact()
        assert registry.stats().segments == 1
        registry.verify()


def test_another_process_sees_what_is_committed(registry):
    with Registry.open(registry.folder) as other:
        assert len(other) == 0
        registry.add(Document("a", prose(1)))
        assert other.search(prose(1))[0].ratio == 1.0
        list(registry.rotate([Document("a", prose(1))]))
        assert other.search(prose(1))[0].document.draws == 1


def test_a_search_goes_on_with_its_state_while_another_rotates(registry):
    registry.add(Document("a", prose(1)))
    with Registry.open(registry.folder) as other, other.reading():
        assert other.search(prose(1), count=False)[0].document.draws == 0
        list(registry.rotate([Document("a", prose(1))]))
        assert other.search(prose(1), count=False)[0].document.draws == 0


def test_rotation_tells_what_it_cannot_do(registry):
    short = prose(9, 24)
    registry.add(Document("short", short))
    registry.add(Document("a", prose(1)))
    documents = [Document("short", short), Document("a", prose(2)), Document("none", prose(3)), Document("b", "no")]
    assert [
        change.state if not isinstance(change, Skipped) else "skipped" for change in registry.rotate(documents)
    ] == [
        "whole",
        "changed",
        "unknown",
        "skipped",
    ]
    assert registry.search(prose(1))[0].document.draws == 0


def test_a_text_that_is_too_short_is_reported(registry):
    with pytest.raises(DocumentError, match="too short"):
        registry.add(Document("a", "A few words."))
    assert len(registry.search("")) == 0
    assert len(registry.search("A few words.")) == 0


def test_names_that_are_not_unicode_are_refused(registry):
    with pytest.raises(DocumentError, match="not Unicode"):
        registry.add(Document("\udcff", prose(1)))


def test_only_documents_are_registered(registry):
    for documents in ("a text", Document("a", prose(1)), [prose(1)], [{"text": prose(1)}]):
        with pytest.raises(InputError, match="documents: "):
            list(registry.add_all(documents))
    with pytest.raises(InputError, match="document: bytes is neither a Document nor a path"):
        registry.add(b"text")
    registry.add(Document(np.str_("a"), prose(1), contact=np.str_("ann")))
    assert registry.entry("a").contact == "ann"


def test_a_closed_one_says_so(registry):
    registry.close()
    for use in (lambda: registry.search(prose(1)), lambda: registry.add(Document("a", prose(1))), registry.stats):
        with pytest.raises(InputError, match="registry: the registry is closed; open it again"):
            use()


def test_names_are_texts(registry):
    registry.add(Document("a", prose(1)))
    for ask in (registry.entry, registry.remove):
        with pytest.raises(InputError, match=r"name: \['a'\] is no text, but list; give a string"):
            ask(["a"])
    assert registry.entry("\udc80") is None
    assert registry.remove("\udc80", "a") == ["a"]


def test_thresholds_are_checked(registry):
    with pytest.raises(InputError, match="threshold"):
        registry.search(prose(1), threshold=0)


@pytest.mark.parametrize("limit", [0, -1, None, "5", 1.5])
def test_limits_are_checked(registry, limit):
    registry.add(Document("a", prose(1)))
    with pytest.raises(InputError, match=r"limit: .* is out of range; give 1 or more"):
        registry.search(prose(1), limit=limit)
    if limit is not None:
        with pytest.raises(InputError, match=r"limit: .* is out of range; give 1 or more"):
            rotation(registry, registry.entries(), limit)


def test_searches_are_counted_and_suspicion_is_reported(registry):
    text = prose(1, 4000)
    registry.add(Document("a", text))
    registry.add(Document("b", prose(2, 4000)))
    pieces = paragraphs(text, 60)
    for piece in pieces * 10:
        registry.search(piece + prose(77, 10), threshold=0.01)
    registry.search(prose(2, 4000))
    active = {entry.name: registry.activity().get(entry.number) for entry in registry.entries()}
    assert active["a"].pieces >= 20
    assert (active["b"].searches, active["b"].pieces) == (1, 0)
    assert active["a"].is_suspicious
    assert not active["b"].is_suspicious
    assert registry.stats().suspicious == 1
    list(registry.rotate([Document("a", text)]))
    assert registry.stats().suspicious == 0
    assert registry.stats().searched == 1
    registry.verify()


def test_counts_outlive_the_process_and_can_be_left_out(tmp_path):
    with Registry.create(tmp_path / "registry") as registry:
        registry.add(Document("a", prose(1)))
        registry.search(prose(1))
        registry.search(prose(1), count=False)
    with Registry.open(tmp_path / "registry") as registry:
        assert [found.searches for found in registry.activity().values()] == [1]


def test_counts_of_a_document_that_went_meanwhile_are_dropped(registry):
    registry.add(Document("a", prose(1)))
    registry.search(prose(1))
    with Registry.open(registry.folder) as other:
        other.remove("a")
    assert registry.activity() == {}
    registry.verify()


def test_any_scheme_can_be_registered(tmp_path):
    """What Koala adds to a scheme is optional: without it all is stored, whole, and nothing is ignored."""
    schemes = [
        Scheme(k=20, w=20),
        Scheme(symbols="words", k=5, select="minima", n=50),
        replace(KOALA, prolog=None, common=None, cap=None, bits=64),
        KOALA.selecting("minima", n=300),
        KOALA.selecting("random", n=300),
    ]
    for number, scheme in enumerate(schemes):
        with Registry.create(tmp_path / f"{number}", scheme) as registry:
            registry.add(Document("a", prose(1)))
            registry.add(Document("b", prose(2)))
            assert [(hit.document.name, hit.ratio) for hit in registry.search(prose(1))] == [("a", 1.0)]
            registry.flush()
            assert [(hit.document.name, hit.ratio) for hit in registry.search(prose(2))] == [("b", 1.0)]
            registry.verify()


def test_folders_that_are_no_registry(tmp_path):
    with pytest.raises(DocumentError, match="whorl registry create"):
        Registry.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="already"):
        Registry.create(tmp_path)


def test_the_secret_is_in_one_file_for_its_owner_alone(registry):
    registry.add(Document("a", prose(1)))
    registry.flush()
    secret = registry._key.secret
    holding = [
        path.name
        for path in registry.folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in (secret, secret.hex().encode()))
    ]
    assert holding == ["secret.key"]
    assert (registry.folder / "secret.key").stat().st_mode & 0o777 == 0o600
    assert secret.hex() not in repr(registry.search(prose(1))) + repr(registry.stats()) + registry.scheme.to_json()


def test_pages_are_as_they_were_packed():
    from whorl.registry.store import RegistryEntry, pack_page, unpack_page

    draw = np.random.default_rng(1)
    entries = []
    for number in range(40):
        sizes = draw.integers(0, 2**32, 3).tolist()
        url = None if number % 2 else "http://x"
        facts = (3 * number, number, f"Ω {number}\n\x00", url, "1996", None)
        entries.append(RegistryEntry(*facts, sizes[0], sizes[1], sizes[2], draw.bytes(8), 2, 20_000))
    assert unpack_page(pack_page(entries)) == entries
    assert unpack_page(pack_page([])) == []
