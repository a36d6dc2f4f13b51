"""Tokens: who may ask for what. A token's secret is shown once; the database has its hash alone."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from whorl.errors import InputError
from whorl.service.database import ServiceDatabase
from whorl.service.moments import Clock, now, read, read_or_none, stored, stored_or_none

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


class Scope(StrEnum):
    """What a token allows."""

    SEARCH = "search"
    ADD = "add"
    COMPARE = "compare"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret. ``tenant`` is whose documents it reaches; None is the house."""

    id: str
    tenant: str | None
    scopes: frozenset[Scope]
    label: str
    created: datetime
    expires: datetime | None
    last_used: datetime | None
    revoked: datetime | None

    def allows(self, scope: Scope) -> bool:
        """Whether it has a scope; who has ``admin`` has all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def is_valid(self, moment: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or moment < self.expires)


class Tokens:
    """All tokens of a service."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def create(
        self, tenant: str | None, scopes: frozenset[Scope], label: str, expires: datetime | None = None
    ) -> tuple[Token, str]:
        """A new token and its secret, which nobody can ask for again."""
        with self._database.transaction():
            return self._create(tenant, scopes, label, expires)

    def find(self, secret: str) -> Token | None:
        """The token of a secret, if it is valid. Notes that it was used."""
        if not secret.startswith(PREFIX) or len(secret) > LONGEST_SECRET:
            return None
        digest = digest_of(secret)
        row = self._database.first(f"SELECT {_COLUMNS}, hash FROM tokens WHERE hash = ?", digest)
        if row is None or not hmac.compare_digest(bytes(row[-1]), digest):
            return None
        token = token_of(row[:-1])
        return self._used(token) if token.is_valid(self._clock()) else None

    def get(self, id: str) -> Token | None:  # noqa: A002 - the API's own word
        """The token of an id, valid or not."""
        row = self._database.first(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", id)
        return None if row is None else token_of(row)

    def listed(self) -> list[Token]:
        """All tokens, the oldest first; those that are revoked, too."""
        return [token_of(row) for row in self._database.read(f"SELECT {_COLUMNS} FROM tokens ORDER BY created, id")]

    def revoke(self, id: str) -> bool:  # noqa: A002 - the API's own word
        """From now on it allows nothing, and its sessions are over. False if there is no such token."""
        with self._database.transaction():
            self._database.write("DELETE FROM sessions WHERE token = ?", id)
            ask = "UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE id = ? RETURNING id"
            return bool(self._database.write(ask, stored(self._clock()), id))

    def ensure_admin(self) -> str | None:
        """At the first start, the secret of a new admin token of the house; None if there ever was an admin token."""
        with self._database.transaction():
            if self._database.write("SELECT 1 FROM tokens WHERE instr(scopes, ?) LIMIT 1", Scope.ADMIN.value):
                return None
            return self._create(None, frozenset({Scope.ADMIN}), "first start", None)[1]

    def _create(
        self, tenant: str | None, scopes: frozenset[Scope], label: str, expires: datetime | None
    ) -> tuple[Token, str]:
        if not scopes:
            raise InputError(f"scopes: give a token at least one of {', '.join(Scope)}")
        if len(label) > LONGEST_LABEL:
            raise InputError(f"label: {len(label)} characters are too many; give {LONGEST_LABEL} at the most")
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        token = Token(secrets.token_hex(6), tenant, scopes, label, self._clock(), expires, None, None)
        self._database.write(
            "INSERT INTO tokens (id, hash, tenant, scopes, label, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
            token.id, digest_of(secret), tenant, " ".join(sorted(scopes)), label, stored(token.created),
            stored_or_none(expires),
        )  # fmt: skip
        return token, secret

    def _used(self, token: Token) -> Token:
        moment = self._clock()
        if token.last_used is None or moment - token.last_used >= USE_NOTED:
            ask = "UPDATE tokens SET last_used = ? WHERE id = ?"
            self._database.write(ask, stored(moment), token.id, durable=False)
        return token


def digest_of(secret: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def token_of(row: tuple[Any, ...]) -> Token:
    """A token out of its row."""
    id_, tenant, scopes, label, created, *moments = row
    expires, last_used, revoked = map(read_or_none, moments)
    allowed = frozenset(map(Scope, scopes.split()))
    return Token(id_, tenant, allowed, label, read(created), expires, last_used, revoked)
