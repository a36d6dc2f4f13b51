"""Sessions of the page: a cookie in the place of a token, until it lies idle or its token is no longer valid.

The database has the cookie's hash alone. What guards forms against other sites is made of the cookie's own secret, so
that nothing of it is stored at all.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from whorl.errors import InputError
from whorl.service.database import ServiceDatabase
from whorl.service.moments import Clock, now, read, stored
from whorl.service.tokens import LONGEST_SECRET, SECRET_BYTES, Token, digest_of, token_of

# A working day: who leaves a page open overnight signs in again.
IDLE = timedelta(hours=12)

# A use is written this seldom: a write with each click would wait for the disk.
USE_NOTED = timedelta(minutes=5)

# What the second secret is made for, so that it is of no use as anything else.
_PURPOSE = b"whorl csrf"

_TOKEN = "t.id, t.tenant, t.scopes, t.label, t.created, t.expires, t.last_used, t.revoked"


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in. ``csrf`` is what a form of theirs must send along."""

    token: Token
    csrf: str
    begun: datetime
    seen: datetime


class Sessions:
    """All sessions of a service."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def begin(self, token_id: str) -> tuple[str, str]:
        """Sign the owner of a token in: the secrets of the cookie and of the forms. Forgets sessions that are over."""
        cookie, moment = secrets.token_urlsafe(SECRET_BYTES), self._clock()
        with self._database.transaction():
            if not self._database.write("SELECT 1 FROM tokens WHERE id = ?", token_id):
                raise InputError(f"{token_id}: there is no such token")
            self._database.write("DELETE FROM sessions WHERE seen <= ?", stored(moment - IDLE))
            values = digest_of(cookie), token_id, stored(moment), stored(moment)
            self._database.write("INSERT INTO sessions VALUES (?, ?, ?, ?)", *values)
        return cookie, _csrf(cookie)

    def find(self, cookie: str) -> Session | None:
        """Whose cookie it is, unless the session is over. Notes that it was used."""
        if len(cookie) > LONGEST_SECRET:
            return None
        ask = (
            f"SELECT s.begun, s.seen, s.hash, {_TOKEN} FROM sessions s JOIN tokens t ON t.id = s.token WHERE s.hash = ?"
        )
        digest, moment = digest_of(cookie), self._clock()
        row = self._database.first(ask, digest)
        if row is None or not hmac.compare_digest(bytes(row[2]), digest):
            return None
        session = Session(token_of(row[3:]), _csrf(cookie), read(row[0]), read(row[1]))
        if moment - session.seen >= IDLE or not session.token.is_valid(moment):
            return None
        if moment - session.seen >= USE_NOTED:
            self._database.write("UPDATE sessions SET seen = ? WHERE hash = ?", stored(moment), digest, durable=False)
        return session

    def end(self, cookie: str) -> None:
        """Sign out."""
        self._database.write("DELETE FROM sessions WHERE hash = ?", digest_of(cookie))


def _csrf(cookie: str) -> str:
    return hmac.new(cookie.encode("utf-8", "surrogatepass"), _PURPOSE, hashlib.sha256).hexdigest()
