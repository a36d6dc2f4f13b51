"""Tokens, sessions of the page, and the principal who sends a request. Secrets are stored as hashes only."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Self

from whorl.errors import InputError
from whorl.index.store import Entry
from whorl.service.database import (
    Clock,
    ServiceDatabase,
    from_ticks,
    from_ticks_or_none,
    now,
    to_ticks,
    to_ticks_or_none,
)
from whorl.service.jobs import ServiceJob
from whorl.service.problems import Problem

# Begins every secret, so that scanners of repositories and logs can know one.
PREFIX = "whorl_"

# Bytes of chance in a secret. It cannot be guessed, so a plain hash of it is enough: no salt, no slow hash.
SECRET_BYTES = 32

# A secret is 49 characters long; what is much longer is none and is not hashed.
LONGEST_SECRET = 100

# Characters of a label: a line of a table.
LONGEST_LABEL = 200

# The last use is written this seldom: a write with each request would wait for the disk.
USE_NOTED = timedelta(minutes=5)

_COLUMNS = "id, tenant, scopes, label, created, expires, last_used, revoked"


class TokenScope(StrEnum):
    """A permission of a token."""

    SEARCH = "search"
    ADD = "add"
    COMPARE = "compare"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret. ``tenant`` is whose documents it reaches; None is the house."""

    id: str
    tenant: str | None
    scopes: frozenset[TokenScope]
    label: str
    created: datetime
    expires: datetime | None
    last_used: datetime | None
    revoked: datetime | None

    def allows(self, scope: TokenScope) -> bool:
        """Return whether the token has a scope; ``admin`` includes all."""
        return scope in self.scopes or TokenScope.ADMIN in self.scopes

    def is_valid(self, moment: datetime) -> bool:
        """Return whether the token is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or moment < self.expires)


class TokenStore:
    """The tokens of a service."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def create(
        self, tenant: str | None, scopes: frozenset[TokenScope], label: str, expires: datetime | None = None
    ) -> tuple[Token, str]:
        """Create a token. Return it with its secret, which cannot be read again."""
        with self._database.transaction():
            return self._create(tenant, scopes, label, expires)

    def find(self, secret: str) -> Token | None:
        """Return the valid token of a secret. Record its use."""
        if not secret.startswith(PREFIX) or len(secret) > LONGEST_SECRET:
            return None
        digest = digest_of(secret)
        row = self._database.first(f"SELECT {_COLUMNS}, hash FROM tokens WHERE hash = ?", digest)
        if row is None or not hmac.compare_digest(bytes(row[-1]), digest):
            return None
        token = token_of(row[:-1])
        return self._used(token) if token.is_valid(self._clock()) else None

    def get(self, id: str) -> Token | None:  # noqa: A002 - the API's own word
        """Return a token by id, valid or not."""
        row = self._database.first(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", id)
        return None if row is None else token_of(row)

    def listed(self) -> list[Token]:
        """Return all tokens, including revoked ones, oldest first."""
        return [token_of(row) for row in self._database.read(f"SELECT {_COLUMNS} FROM tokens ORDER BY created, id")]

    def revoke(self, id: str) -> bool:  # noqa: A002 - the API's own word
        """Revoke a token and end its sessions. Return False if there is no such token."""
        with self._database.transaction():
            self._database.write("DELETE FROM sessions WHERE token = ?", id)
            ask = "UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE id = ? RETURNING id"
            return bool(self._database.write(ask, to_ticks(self._clock()), id))

    def ensure_admin(self) -> str | None:
        """Create an admin token of the house and return its secret; None if there ever was one."""
        with self._database.transaction():
            ask = "SELECT 1 FROM tokens WHERE tenant IS NULL AND instr(scopes, ?) LIMIT 1"
            if self._database.write(ask, TokenScope.ADMIN.value):
                return None
            return self._create(None, frozenset({TokenScope.ADMIN}), "first start", None)[1]

    def _create(
        self, tenant: str | None, scopes: frozenset[TokenScope], label: str, expires: datetime | None
    ) -> tuple[Token, str]:
        if not scopes:
            raise InputError(f"scopes: give a token at least one of {', '.join(TokenScope)}")
        if tenant is not None and TokenScope.ADMIN in scopes:
            raise InputError("scopes: 'admin' is for tokens of the house; leave the tenant out, or the scope")
        if len(label) > LONGEST_LABEL:
            raise InputError(f"label: {len(label)} characters are too many; give {LONGEST_LABEL} at the most")
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        token = Token(secrets.token_hex(6), tenant, scopes, label, self._clock(), expires, None, None)
        self._database.write(
            "INSERT INTO tokens (id, hash, tenant, scopes, label, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
            token.id, digest_of(secret), tenant, " ".join(sorted(scopes)), label, to_ticks(token.created),
            to_ticks_or_none(expires),
        )  # fmt: skip
        return token, secret

    def _used(self, token: Token) -> Token:
        moment = self._clock()
        if token.last_used is None or moment - token.last_used >= USE_NOTED:
            ask = "UPDATE tokens SET last_used = ? WHERE id = ?"
            self._database.write(ask, to_ticks(moment), token.id, durable=False)
        return token


def digest_of(secret: str) -> bytes:
    """Hash a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def token_of(row: tuple[Any, ...]) -> Token:
    """Return the token of a database row."""
    id_, tenant, scopes, label, created, *moments = row
    expires, last_used, revoked = map(from_ticks_or_none, moments)
    allowed = frozenset(map(TokenScope, scopes.split()))
    return Token(id_, tenant, allowed, label, from_ticks(created), expires, last_used, revoked)


# A working day: who leaves a page open overnight signs in again.
IDLE_SESSION = timedelta(hours=12)

# However busy: who has a cookie for ever has the token for ever.
LONGEST_SESSION = timedelta(days=7)

# The purpose of the second secret, so that it is of no use for anything else.
_PURPOSE = b"whorl csrf"

_TOKEN = "t.id, t.tenant, t.scopes, t.label, t.created, t.expires, t.last_used, t.revoked"


@dataclass(frozen=True, slots=True)
class Session:
    """A session. ``csrf`` is the CSRF token of its forms."""

    token: Token
    csrf: str
    begun: datetime
    seen: datetime


class SessionStore:
    """The sessions of a service."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def begin(self, token_id: str) -> tuple[str, str]:
        """Start a session and return its cookie and CSRF token. Delete ended sessions."""
        cookie, moment = secrets.token_urlsafe(SECRET_BYTES), self._clock()
        with self._database.transaction():
            if not self._database.write("SELECT 1 FROM tokens WHERE id = ?", token_id):
                raise InputError(f"{token_id}: there is no such token")
            old = to_ticks(moment - IDLE_SESSION), to_ticks(moment - LONGEST_SESSION)
            self._database.write("DELETE FROM sessions WHERE seen <= ? OR begun <= ?", *old)
            values = digest_of(cookie), token_id, to_ticks(moment), to_ticks(moment)
            self._database.write("INSERT INTO sessions VALUES (?, ?, ?, ?)", *values)
        return cookie, _csrf(cookie)

    def find(self, cookie: str) -> Session | None:
        """Return the session of a cookie, unless it has ended. Record its use."""
        if len(cookie) > LONGEST_SECRET:
            return None
        ask = (
            f"SELECT s.begun, s.seen, s.hash, {_TOKEN} FROM sessions s JOIN tokens t ON t.id = s.token WHERE s.hash = ?"
        )
        digest, moment = digest_of(cookie), self._clock()
        row = self._database.first(ask, digest)
        if row is None or not hmac.compare_digest(bytes(row[2]), digest):
            return None
        session = Session(token_of(row[3:]), _csrf(cookie), from_ticks(row[0]), from_ticks(row[1]))
        is_over = moment - session.seen >= IDLE_SESSION or moment - session.begun >= LONGEST_SESSION
        if is_over or not session.token.is_valid(moment):
            return None
        if moment - session.seen >= USE_NOTED:
            self._database.write("UPDATE sessions SET seen = ? WHERE hash = ?", to_ticks(moment), digest, durable=False)
        return session

    def end(self, cookie: str) -> None:
        """End a session."""
        self._database.write("DELETE FROM sessions WHERE hash = ?", digest_of(cookie))


def _csrf(cookie: str) -> str:
    return hmac.new(cookie.encode("utf-8", "surrogatepass"), _PURPOSE, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sends a request. ``tenant`` None is the house. ``csrf`` is the CSRF token of a session."""

    token_id: str
    tenant: str | None
    scopes: frozenset[TokenScope]
    csrf: str | None = None
    address: str = ""

    @classmethod
    def of(cls, token: Token, csrf: str | None, address: str) -> Self:
        """Whoever has a token. The scope ``admin`` counts in tokens of the house alone: one that a tenant got before
        that was refused allows no more than its other scopes."""
        scopes = token.scopes if token.tenant is None else token.scopes - {TokenScope.ADMIN}
        return cls(token.id, token.tenant, scopes, csrf, address)

    @property
    def is_admin(self) -> bool:
        """Return whether the token has the scope ``admin``."""
        return TokenScope.ADMIN in self.scopes

    def allows(self, scope: TokenScope) -> bool:
        """Return whether the token has a scope."""
        return self.is_admin or scope in self.scopes

    def require(self, scope: TokenScope) -> None:
        """Raise 403 unless the token has a scope."""
        if not self.allows(scope):
            raise Problem(403, f"This needs a token with the scope '{scope}'. Ask the administrator for one.")

    def owns(self, entry: Entry) -> bool:
        """Return whether the principal may see a document. Without an owner, it belongs to the house."""
        return self.is_admin or entry.owner == self.tenant

    def sees(self, tenant: str | None) -> bool:
        """Return whether the principal may see receipts and collections of a tenant."""
        return self.is_admin or tenant == self.tenant

    @property
    def only_token(self) -> str | None:
        """The token whose jobs are this one's, if not all of its tenant are: in the house, nobody but an admin sees the
        jobs of others, which may be the admin's."""
        return self.token_id if self.tenant is None and not self.is_admin else None

    def sees_job(self, job: ServiceJob) -> bool:
        """Return whether the principal may see and cancel a job."""
        return self.sees(job.tenant) and self.only_token in (None, job.token_id)
