"""Who had a text first, and where a lost page is now: the registry and the sweeps that a service may have."""

from pathlib import Path

from whorl.errors import DocumentError, InputError
from whorl.model import Document
from whorl.registry.search import THRESHOLD, Hits
from whorl.service.desk import Desk
from whorl.service.naming import checked_fact, checked_name
from whorl.service.principal import Principal
from whorl.service.problems import Problem
from whorl.service.tokens import Scope
from whorl.sweeps.result import Found

# Registered documents that are told: as many as of an index.
MOST_HITS = 100


def registry(
    desk: Desk, principal: Principal, content: bytes | str, *, name: str = "query", format: str | None = None,  # noqa: A002 - the API's own word
    threshold: float = THRESHOLD, limit: int = 10,
) -> Hits:  # fmt: skip
    """The registered documents that a text comes from, best first. A registry is for everybody to ask: it stores no
    texts, and its documents were registered to be found."""
    principal.require(Scope.SEARCH)
    document = Document(checked_name(name), content, format=format)
    with desk.registry() as opened:
        hits = opened.search(document, threshold=threshold, limit=max(1, min(limit, MOST_HITS)))
    desk.note(principal, "search registry", "", f"{len(hits.hits)} found")
    return hits


def lost_and_found(
    desk: Desk, principal: Principal, url: str, *, as_of: str | None = None, shown: str | None = None
) -> Found:
    """What a page last showed, and where that is now."""
    principal.require(Scope.SEARCH)
    checked_fact(url, "url")
    with desk.sweep() as opened:
        try:
            found = opened.find(url, as_of=as_of, shown=shown)
        except DocumentError as error:
            raise Problem(404, _without_path(error, opened.folder)) from error
        except InputError as error:
            raise Problem(422, _without_path(error, opened.folder)) from error
    desk.note(principal, "lost and found", url)
    return found


def _without_path(error: InputError, folder: Path) -> str:
    """A message for people elsewhere: where this machine keeps its files is none of theirs."""
    return str(error).replace(str(folder), "the sweeps")
