"""What stands round every page: the name of the service, who is signed in, and the sections that they may use."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from whorl.service.desk import Desk
from whorl.service.principal import Principal
from whorl.service.tokens import Scope

# What the address of a page may ask to be said at its top: fixed sentences, so that no link puts words into our mouth.
NOTICES = {
    "deleted": "The document is deleted. Its receipt is listed until and after it is purged.",
    "revoked": "The token is revoked.",
    "cancelled": "The job is cancelled.",
    "kept": "The rule is set.",
    "signed-out": "You are signed out.",
}


class Section(NamedTuple):
    """An entry of the main menu."""

    key: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What the template of every page needs."""

    house: str
    csrf: str = ""
    who: str = ""
    sections: tuple[Section, ...] = ()
    current: str = ""
    notice: str = ""
    signed_in: bool = False
    is_admin: bool = False
    may_search: bool = False
    may_add: bool = False
    may_compare: bool = False

    def saying(self, code: str) -> "Frame":
        """With a notice at the top."""
        return replace(self, notice=NOTICES.get(code, ""))


def frame_of(desk: Desk, principal: Principal, current: str) -> Frame:
    """The frame of a signed-in person's page."""
    return Frame(
        desk.settings.title, principal.csrf or "", principal.tenant or "the house", _sections(desk, principal), current,
        signed_in=True, is_admin=principal.is_admin, may_search=principal.allows(Scope.SEARCH),
        may_add=principal.allows(Scope.ADD), may_compare=principal.allows(Scope.COMPARE),
    )  # fmt: skip


def frame_outside(desk: Desk, csrf: str = "") -> Frame:
    """The frame for somebody who is not signed in."""
    return Frame(desk.settings.title, csrf)


def _sections(desk: Desk, principal: Principal) -> tuple[Section, ...]:
    may_search, may_add = principal.allows(Scope.SEARCH), principal.allows(Scope.ADD)
    wanted = (
        (may_search, Section("search", "Search", "/")),
        (may_search or may_add, Section("documents", "Documents", "/documents" if may_search else "/documents/add")),
        (principal.allows(Scope.COMPARE), Section("compare", "Compare", "/compare")),
        (principal.allows(Scope.COMPARE), Section("jobs", "Jobs", "/jobs")),
        (may_search and desk.has_registry, Section("registry", "Registry", "/registry")),
        (may_search and desk.has_sweep, Section("lost", "Lost and found", "/lost-and-found")),
        (principal.is_admin, Section("admin", "Admin", "/admin/tokens")),
    )
    return tuple(section for is_wanted, section in wanted if is_wanted)
