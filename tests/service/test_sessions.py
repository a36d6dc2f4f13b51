"""Sessions: begun with a token, over when idle, signed out, or when the token is no longer valid."""

from datetime import timedelta

import pytest

from tests.service.stage import Clock
from whorl.errors import InputError
from whorl.service.authentication import IDLE_SESSION, LONGEST_SESSION, SessionStore, TokenScope, TokenStore
from whorl.service.database import ServiceDatabase

SEARCH = frozenset({TokenScope.SEARCH})


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def database(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        yield database


@pytest.fixture
def sessions(database, clock):
    return SessionStore(database, clock)


@pytest.fixture
def tokens(database, clock):
    return TokenStore(database, clock)


def test_a_cookie_finds_its_session(sessions, tokens):
    token, _ = tokens.create("history", SEARCH, "")
    cookie, csrf = sessions.begin(token.id)
    other, other_csrf = sessions.begin(token.id)
    found = sessions.find(cookie)
    assert (found.token, found.csrf) == (token, csrf)
    assert len({cookie, csrf, other, other_csrf}) == 4
    for wrong in ("", "x", csrf, cookie[:-1], "\ud800", "x" * 1000):
        assert sessions.find(wrong) is None


def test_signing_out_ends_one_session(sessions, tokens):
    token, _ = tokens.create("history", SEARCH, "")
    cookie, other = sessions.begin(token.id)[0], sessions.begin(token.id)[0]
    sessions.end(cookie)
    sessions.end(cookie)
    assert sessions.find(cookie) is None
    assert sessions.find(other) is not None


def test_an_idle_session_is_over(sessions, tokens, clock):
    cookie = sessions.begin(tokens.create("a", SEARCH, "")[0].id)[0]
    for _ in range(3):
        clock.time += IDLE_SESSION - timedelta(minutes=1)
        assert sessions.find(cookie) is not None
    clock.time += IDLE_SESSION
    assert sessions.find(cookie) is None


def test_sessions_that_are_over_are_forgotten(sessions, tokens, clock, database):
    token = tokens.create("a", SEARCH, "")[0]
    sessions.begin(token.id)
    clock.time += IDLE_SESSION
    sessions.begin(token.id)
    assert len(database.read("SELECT 1 FROM sessions")) == 1


def test_a_revoked_or_expired_token_ends_its_sessions(sessions, tokens, clock):
    revoked = tokens.create("a", SEARCH, "")[0]
    expiring = tokens.create("a", SEARCH, "", clock.time + timedelta(hours=1))[0]
    one, two = sessions.begin(revoked.id)[0], sessions.begin(expiring.id)[0]
    tokens.revoke(revoked.id)
    assert sessions.find(one) is None
    assert sessions.find(two) is not None
    clock.forward(hours=1)
    assert sessions.find(two) is None


def test_a_session_needs_a_token(sessions):
    with pytest.raises(InputError, match="no such token"):
        sessions.begin("nobody")


def test_secrets_are_not_in_the_file(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        token, _ = TokenStore(database).create("a", SEARCH, "a label")
        secrets = [secret for _ in range(10) for secret in SessionStore(database).begin(token.id)]
        while_open = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    stored = (tmp_path / "db").read_bytes()
    assert b"a label" in stored
    for secret in secrets:
        for part in (secret.encode(), secret[-12:].encode()):
            assert part not in stored
            assert part not in while_open


def test_a_session_ends_however_busy_it_is(sessions, tokens, clock):
    token, _ = tokens.create("history", SEARCH, "")
    cookie, _ = sessions.begin(token.id)
    for _ in range(int(LONGEST_SESSION / timedelta(hours=6)) - 1):
        clock.forward(hours=6)
        assert sessions.find(cookie) is not None
    clock.forward(hours=6)
    assert sessions.find(cookie) is None
