"""Who asks: a token's tenant and what it allows."""

from dataclasses import dataclass

from whorl.index.entry import Entry
from whorl.service.problems import Problem
from whorl.service.tokens import Scope


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks. ``tenant`` None is the house. ``csrf`` is what forms of a page's session must send back."""

    token_id: str
    tenant: str | None
    scopes: frozenset[Scope]
    csrf: str | None = None
    address: str = ""

    @property
    def is_admin(self) -> bool:
        """Whether everything is allowed, and everybody's documents are seen."""
        return Scope.ADMIN in self.scopes

    def allows(self, scope: Scope) -> bool:
        """Whether this scope is among the token's."""
        return self.is_admin or scope in self.scopes

    def require(self, scope: Scope) -> None:
        """A problem unless the token has this scope."""
        if not self.allows(scope):
            raise Problem(403, f"This needs a token with the scope '{scope}'. Ask whoever gave you yours for one.")

    def owns(self, entry: Entry) -> bool:
        """Whether a document's text may be shown. The house's documents are other people's to every tenant."""
        return self.is_admin or (self.tenant is not None and entry.owner == self.tenant)

    def sees(self, tenant: str | None) -> bool:
        """Whether jobs and collections of a tenant are this one's."""
        return self.is_admin or tenant == self.tenant
