"""Sweeps against the definitions: clusters of all contents at once, answers from a list of all that was seen."""

import datetime
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from itertools import groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from tests.sweep.world import FAST, SCHEME, Seen, World, alike, digest
from whorl import Document, InputError
from whorl.clustering import THRESHOLDS
from whorl.sweep import days
from whorl.sweep.result import ContentHolder
from whorl.sweep.sweep import Sweep

URLS = [f"http://{host}/{name}" for host in ("a", "b") for name in "xyz"]
DATES = ["2026-01-01", "2026-01-05", "2026-02-01", "2026-03-01"]
TEXTS = ["A b c", "a b c", "a, b. c", "a b a b", "a b a b a", ""]
texts = st.lists(st.sampled_from("abcd"), max_size=10).map(" ".join) | st.sampled_from(TEXTS)
seen = st.builds(Seen, st.sampled_from(URLS), st.sampled_from(DATES), texts)
histories = st.lists(seen, min_size=1, max_size=14)
thresholds = st.sampled_from([0.1, 0.34, 0.5, 0.75, 1.0])
measures = st.sampled_from(["resemblance", "containment"])


def filled(folder: str, history: list[Seen], cuts: Iterable[int] = (), memory: int = 1 << 20, **fixed) -> Sweep:
    """A store with all that was seen, in several adds: a new one where the date is another, and at the cuts."""
    sweep = Sweep.create(Path(folder) / "sweeps", SCHEME, modulus=1, **fixed)
    for (date, _), piece in groupby(
        enumerate(history), lambda item: (item[1].date, sum(cut <= item[0] for cut in cuts))
    ):
        sweep.add([each.document for _, each in piece], date, memory=memory)
    return sweep


@given(histories, st.sets(st.integers(0, 14)), thresholds, measures, st.booleans(), st.sampled_from([64, 500, 1 << 20]))
@examples(40)
def test_clusters_are_those_of_all_contents_at_once(history, cuts, threshold, measure, closure, memory):
    fixed = {"threshold": threshold, "measure": measure, "closure": closure}
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history, cuts, memory, **fixed) as sweep:
        assert set(map(frozenset, sweep.clusters())) == World(history).clustered(modulus=1, **fixed)
        sweep.verify()


@given(histories, st.sets(st.integers(0, 14)), st.integers(2, 5), st.sampled_from([0.1, 0.5]), st.randoms())
@examples(40)
def test_what_becomes_common_later_is_as_if_it_always_was(history, cuts, common, threshold, chance):
    chance.shuffle(history)
    fixed = {"common": common, "threshold": threshold}
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history, cuts, 64, **fixed) as sweep:
        assert set(map(frozenset, sweep.clusters())) == World(history).clustered(modulus=1, **fixed)


def test_only_documents_are_added(tmp_path):
    with Sweep.create(tmp_path / "sweeps", SCHEME) as sweep:
        for documents in ([{"text": "a b c"}], ["a b c"]):
            with pytest.raises(
                InputError, match=r"number 0 is .*, not a Document; add_new takes texts, paths and rows"
            ):
                sweep.add(documents, "2026-01-01")  # type: ignore[arg-type]
        for one in ("a b c", Document("a", "a b c")):
            with pytest.raises(InputError, match="is not a list of documents; give a list; add_new takes texts"):
                sweep.add(one, "2026-01-01")  # type: ignore[arg-type]
        assert sweep.sweeps() == []


def test_a_closed_one_says_so(tmp_path):
    with Sweep.create(tmp_path / "sweeps", SCHEME) as sweep:
        sweep.add([Document("http://a", "a b c")], "2026-01-01")
    for use in (
        lambda: sweep.add([Document("http://a", "a b c")], "2026-01-02"),
        lambda: list(sweep.screen(["a b c"])),
        lambda: sweep.find("http://a"),
        sweep.stats,
        sweep.verify,
    ):
        with pytest.raises(InputError, match="sweeps: the sweep is closed; open it again"):
            use()


def test_facts_of_other_classes_damage_nothing(tmp_path):
    with Sweep.create(tmp_path / "sweeps", SCHEME) as sweep:
        sweep.add([Document(np.str_("http://a"), "a b c", contact=np.str_("ann"))], datetime.date(2026, 1, 31))
        sweep.verify()
        assert sweep.sweeps() == ["2026-01-31"]
        assert sweep.find("http://a", as_of=datetime.date(2026, 2, 1)).url == "http://a"


def test_a_shingle_that_becomes_common_takes_its_pairs_along(tmp_path):
    documents = [
        Document(f"{number}", f"all rights reserved by nobody at all {chr(97 + number) * 3} {number}")
        for number in range(6)
    ]
    with Sweep.create(tmp_path / "s", SCHEME, modulus=1, common=5, threshold=0.2) as sweep:
        assert sweep.add(documents[:5], DATES[0]).pairs == 10
        assert len(sweep.clusters()) == 1
        assert sweep.add(documents[5:], DATES[1]).pairs == 0
        assert len(sweep.clusters()) == 6


@given(histories)
@examples(40)
def test_find(history):
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history) as sweep:
        world = World(history, sweep.clusters())
        for url in world.urls():
            for until in (DATES[0], DATES[2], DATES[3]):
                if world.of(url)[0].date > until:
                    with pytest.raises(InputError, match=r"first seen on|no sweep until"):
                        sweep.find(url, as_of=until)
                    continue
                found = sweep.find(url, as_of=until)
                text = world.last(url, until)
                newest = max(date for date in world.dates if date <= until)
                assert found.content == digest(text)
                assert found.shown == max(each.date for each in world.of(url) if each.date <= until)
                assert (found.newest, found.alive) == (newest, url in world.shown(newest))
                assert (found.gone is None) == found.alive
                assert found.documents == sum(world.cluster[each] == world.cluster[text] for each in world.texts)
                assert list(map(plain, found.places)) == world.places(text, until)
            assert sweep.find(url).gone == sweep.history(url).gone


@given(histories)
@examples(40)
def test_what_was_shown_on_a_date_is_found_in_all_sweeps(history):
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history) as sweep:
        world = World(history, sweep.clusters())
        url = world.seen[0].url
        on = world.of(url)[0].date
        found = sweep.find(url, shown=on)
        text = world.last(url, on)
        assert found.content == digest(text)
        assert list(map(plain, found.places)) == world.places(text)


@given(histories)
@examples(40)
def test_history(history):
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history) as sweep:
        world = World(history, sweep.clusters())
        for url in world.urls():
            result = sweep.history(url)
            assert [
                (version.content, version.first, version.last, version.missed, version.likeness)
                for version in result.versions
            ] == [(digest(text), *rest) for text, *rest in world.versions(url)]
            assert result.gone == world.gone(url)


@given(histories)
@examples(40)
def test_stats(history):
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history) as sweep:
        world = World(history, sweep.clusters())
        result = sweep.stats()
    assert [asdict(change) for change in result.sweeps] == [world.change(date) for date in world.dates]
    assert (result.pages, result.contents) == (len(world.urls()), len(world.texts))
    assert result.clusters == len(set(world.cluster.values()))
    lives = [days(first, last) for url in world.urls() for _, first, last, *_ in world.versions(url)]
    assert result.versions == len(lives)
    assert result.mean_version_days == pytest.approx(sum(lives) / len(lives))
    pages = [days(world.of(url)[0].date, world.of(url)[-1].date) for url in world.urls()]
    assert result.mean_page_days == pytest.approx(sum(pages) / len(pages))


@given(histories)
@examples(40)
def test_changes_list_the_pages_that_stats_count(history):
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history) as sweep:
        world = World(history, sweep.clusters())
        for before, counts in pairwise(sweep.stats().sweeps):
            changes = sweep.changes(counts.date)
            assert (changes.before, changes.date) == (before.date, counts.date)
            states = Counter(page.state for page in changes.pages)
            assert (states["new"], states["returned"], states["changed"]) == (
                counts.new, counts.returned, counts.changed
            )  # fmt: skip
            assert states["gone"] + states["moved"] == counts.gone
            moved = [page for page in changes.pages if page.state == "moved"]
            assert len(moved) == counts.moved_within + counts.moved_between
            for page in moved:
                text = world.last(page.url, before.date)
                assert {world.cluster[world.last(url, counts.date)] for url in page.moved_to} == {world.cluster[text]}
            urls = [page.url for page in changes.pages]
            assert urls == sorted(set(urls))
        with pytest.raises(InputError, match="is the first sweep"):
            sweep.changes(world.dates[0])


@given(histories, texts)
@examples(40)
def test_contacts(history, text):
    history = [replace(each, contact=f"{each.url[-1]}@{each.date}") for each in history]
    with TemporaryDirectory(dir=FAST) as folder, filled(folder, history) as sweep:
        world = World(history, sweep.clusters())
        for url in world.urls():
            result = sweep.contacts(url)
            assert result.stored
            assert list(map(plain, result.holders)) == world.places(world.last(url))
            assert [holder.contact for holder in result.holders] == [
                f"{holder.url[-1]}@{holder.last}" for holder in result.holders
            ]
        result = sweep.contacts(Document("q", text))
        if result.stored:
            equal = [each for each in world.texts if alike(each, text).resemblance == 1 and bool(each) == bool(text)]
            assert {holder.url for holder in result.holders} >= {each.url for each in history if each.text in equal}
        else:
            near = [each for each in world.texts if alike(text, each).resemblance >= THRESHOLDS["resemblance"]]
            assert {holder.url for holder in result.holders} == {each.url for each in history if each.text in near}


def plain(holder: ContentHolder) -> tuple[object, ...]:
    return holder.url, holder.first, holder.last, holder.current, holder.likeness


@given(histories, st.sets(st.integers(0, 14)), st.randoms())
@examples(25)
def test_neither_order_nor_division_changes_an_answer(history, cuts, chance):
    """Of sweeps that saw each page once: what a page showed twice in one sweep is told in the order of adding."""
    history = list({(each.url, each.date): each for each in history}.values())
    with TemporaryDirectory(dir=FAST) as one, TemporaryDirectory(dir=FAST) as two:
        shuffled = list(history)
        chance.shuffle(shuffled)
        with filled(one, history) as first, filled(two, shuffled, cuts) as second:
            assert first.stats() == second.stats()
            for url in {each.url for each in history}:
                assert first.history(url) == second.history(url)
                assert first.find(url).places == second.find(url).places


def test_real_sketches_find_what_a_clustering_finds(tmp_path):
    """With the defaults, where a sketch is a sample: long texts, edited, in three portions."""
    base = [[f"w{draw.randrange(5000)}" for _ in range(600)] for draw in map(random.Random, range(25))]
    every = [" ".join(words) for words in base]
    for number, words in enumerate(base):
        every.append(" ".join("edited" if at % (40 + 7 * number) == 5 else word for at, word in enumerate(words)))
    documents = [Document(f"{number}", text) for number, text in enumerate(every)]
    with Sweep.create(tmp_path / "sweeps") as sweep:
        for part, date in zip((documents[:20], documents[20:35], documents[35:]), DATES, strict=False):
            sweep.add(part, date)
        found = set(map(frozenset, sweep.clusters()))
    groups: dict[int, set[str]] = {}
    for text, member in zip(every, whorl.cluster(documents, "web").members, strict=True):
        groups.setdefault(member.cluster, set()).add(digest(text))
    assert found == set(map(frozenset, groups.values()))
    assert sum(len(group) == 2 for group in found) > 15
