"""What a terminal shows of a question about clusters."""

from whorl.clustering.query import ClusteredDocument, ClusterOf, QueryAnswer
from whorl.report.cluster_views import LISTED_MEMBERS, answer_text


def member(name: str, *, of: str = "song", similarity: float = 1.0, url: str | None = None, date: str | None = None):
    kind = "unique" if name == of else "near"
    return ClusteredDocument(name, 3, of, similarity, kind, url, date)


def answer(members: list[ClusteredDocument], name: str, *unknown: str) -> QueryAnswer:
    asked = tuple(each for each in members if name in (each.id, each.url))
    return QueryAnswer({name: asked}, (ClusterOf(3, members[0].representative, (name,), tuple(members)),), unknown)


def test_members_with_their_urls_and_dates():
    members = [
        member("song", url="http://a/song", date="2020-01-01"),
        member("loud", similarity=0.5),
        member("copy", similarity=0.754, url="http://b/"),
    ]
    assert answer_text(answer(members, "copy", "nobody")).splitlines() == [
        "copy: in a cluster of 3 documents, represented by song",
        "  *   75%  near                copy  http://b/",
        "     100%  unique  2020-01-01  song  http://a/song",
        "      50%  near                loud",
        "unknown: nobody: no document has this id or URL",
    ]


def test_a_document_that_is_alone():
    assert answer_text(answer([member("song")], "song")).splitlines() == [
        "song: no near-duplicate in the collection",
        "  *  100%  unique  song",
    ]


def test_a_large_cluster_is_cut_short_after_who_was_asked_for():
    members = [member("song"), *(member(f"copy {number}") for number in range(200))]
    lines = answer_text(answer(members, "copy 199")).splitlines()
    assert len(lines) == LISTED_MEMBERS + 2
    assert lines[1].startswith("  *")
    assert lines[-1] == f"  and {201 - LISTED_MEMBERS} more: --format json has them all"


def test_names_cannot_play_with_the_terminal():
    hostile = "a\x1b[31m\u202eb\n"
    text = answer_text(answer([member(hostile, of=hostile)], hostile, hostile))
    assert "\x1b" not in text
    assert "a⟨ESC⟩[31m⟨RLO⟩b⟨LF⟩" in text
    assert len(text.splitlines()) == 3
