"""``strict``: no two documents that stay are a pair, and each of the others is like the one that stays for it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.clustering.output import KEEPS, kept_documents
from whorl.clustering.result import KINDS, keep_of_clusters, keep_without_pairs
from whorl.errors import InputError

SCHEME = whorl.Scheme(symbols="words", k=1, select="full")

# Neighbours are a pair at 0.4; the ends are not.
CHAIN = ["a b c d e f g h", "e f g h a b c d i j k l m", "i j k l m e f g n o p"]


def test_a_chain_loses_only_what_is_like_a_kept_document():
    found = whorl.cluster(CHAIN, SCHEME, threshold=0.4)
    pairs = set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    assert pairs == {(0, 1), (1, 2)}
    # The third is like the representative of its cluster, the second, but not like the first, which stays.
    assert kept_documents(found, "first").tolist() == [0]
    assert kept_documents(found, "first", strict=True).tolist() == [0, 2]


texts = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9).map(" ".join), max_size=12)


@given(texts, st.sampled_from(sorted(KEEPS)), st.sampled_from([0.3, 0.6]))
@examples(60)
def test_no_two_that_stay_are_a_pair(contents, keep, threshold):
    found = whorl.cluster(contents, SCHEME, threshold=threshold)
    kept = keep_without_pairs(found, KEEPS[keep](found))
    pairs = {frozenset(pair) for pair in zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True)}
    stays = set(kept.documents.tolist())
    original = found.original.tolist()
    assert not any(frozenset((original[one], original[two])) in pairs for one in stays for two in stays)
    for number, (instead, kind) in enumerate(zip(kept.instead.tolist(), kept.kinds.tolist(), strict=True)):
        assert instead in stays
        if number in stays:
            assert instead == number
        elif original[number] == original[instead]:
            assert KINDS[kind] in ("identical", "lexical", "shingle")
        else:
            assert KINDS[kind] == "near"
            assert frozenset((original[number], original[instead])) in pairs
    # The best of all documents stays.
    ranks = KEEPS[keep](found)
    assert not contents or ranks[sorted(stays)].min() == ranks.min()


@given(texts, st.sampled_from(sorted(KEEPS)))
@examples(30)
def test_of_clusters_one_document_stays(contents, keep):
    found = whorl.cluster(contents, SCHEME, threshold=0.4)
    kept = keep_of_clusters(found, KEEPS[keep](found))
    assert sorted(found.cluster[kept.documents].tolist()) == np.unique(found.cluster).tolist()
    assert (found.cluster[kept.instead] == found.cluster).all()


def test_strict_from_files(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"text": "{text}"}}\n' for text in CHAIN))
    settings: dict[str, Any] = {"scheme": SCHEME, "threshold": 0.4}
    assert whorl.dedup(path, tmp_path / "plain", **settings).report["kept"] == 1
    strict = whorl.dedup(path, tmp_path / "out", strict=True, **settings)
    assert (strict.report["kept"], strict.report["kinds"]) == (2, {"near": 1})
    # Nothing is left to find.
    assert whorl.dedup(tmp_path / "out" / "a.jsonl", tmp_path / "again", **settings).report["removed"] == 0
    summary = whorl.cluster_corpus(path, tmp_path / "clusters", keep="first", strict=True, **settings).summary
    assert (summary["kept"], summary["strict"]) == (2, True)
    refusals: list[dict[str, Any]] = [{"measure": "containment"}, {"super_shingles": True}]
    for refused in refusals:
        with pytest.raises(InputError, match="strict: needs the resemblance of all pairs"):
            whorl.dedup(path, tmp_path / "no", strict=True, **refused)
