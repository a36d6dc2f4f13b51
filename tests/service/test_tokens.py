"""Tokens: who has which secret, until when; and nothing in the file that tells a secret."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.service.stage import Clock
from whorl.errors import InputError
from whorl.service.authentication import PREFIX, USE_NOTED, TokenScope, TokenStore
from whorl.service.database import ServiceDatabase

SEARCH = frozenset({TokenScope.SEARCH})


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tokens(tmp_path, clock):
    with ServiceDatabase(tmp_path / "db") as database:
        yield TokenStore(database, clock)


def test_a_secret_finds_its_token(tokens):
    token, secret = tokens.create("history", frozenset({TokenScope.SEARCH, TokenScope.ADD}), "course system")
    other, _ = tokens.create(None, SEARCH, "")
    assert secret.startswith(PREFIX)
    assert len(secret) == 49
    assert (token.tenant, token.scopes, token.label) == ("history", {"search", "add"}, "course system")
    assert tokens.find(secret) == token
    assert tokens.get(other.id) == other
    assert tokens.get("nobody") is None
    assert [each.id for each in tokens.listed()] == sorted([token.id, other.id])


def test_admin_allows_all_and_others_what_they_name(tokens):
    admin, _ = tokens.create(None, frozenset({TokenScope.ADMIN}), "")
    some, _ = tokens.create("a", SEARCH, "")
    assert [admin.allows(scope) for scope in TokenScope] == [True] * 4
    assert [some.allows(scope) for scope in TokenScope] == [True, False, False, False]


@given(st.text())
@examples(25)  # each makes a database
def test_no_other_text_is_a_secret(tmp_path_factory, text):
    with ServiceDatabase(tmp_path_factory.mktemp("tokens") / "db") as database:
        tokens = TokenStore(database)
        _, secret = tokens.create("a", SEARCH, "")
        for wrong in (text, PREFIX + text, secret + text, secret[:-1], secret.upper(), secret + "\ud800"):
            assert tokens.find(wrong) is None or wrong == secret
        assert tokens.find(secret) is not None


def test_an_expired_token_is_refused(tokens, clock):
    _, secret = tokens.create("a", SEARCH, "", clock.time + timedelta(hours=1))
    clock.forward(minutes=59)
    assert tokens.find(secret) is not None
    clock.forward(minutes=1)
    assert tokens.find(secret) is None


def test_a_revoked_token_is_refused(tokens, clock):
    token, secret = tokens.create("a", SEARCH, "")
    assert tokens.revoke(token.id)
    first = clock.time
    clock.forward(days=1)
    assert tokens.revoke(token.id)
    assert not tokens.revoke("nobody")
    assert tokens.find(secret) is None
    assert tokens.listed()[0].revoked == first


def test_the_last_use_is_noted_now_and_then(tokens, clock):
    token, secret = tokens.create("a", SEARCH, "")
    assert token.last_used is None
    tokens.find(secret)
    first = clock.time
    assert tokens.get(token.id).last_used == first
    clock.time += USE_NOTED / 2
    tokens.find(secret)
    assert tokens.get(token.id).last_used == first
    clock.time += USE_NOTED / 2
    tokens.find(secret)
    assert tokens.get(token.id).last_used == clock.time


def test_the_first_start_makes_one_admin_token(tokens):
    tokens.create("a", SEARCH, "admin")
    secret = tokens.ensure_admin()
    assert tokens.find(secret).scopes == {TokenScope.ADMIN}
    assert tokens.find(secret).tenant is None
    assert tokens.ensure_admin() is None
    tokens.revoke(tokens.find(secret).id)
    assert tokens.ensure_admin() is None  # or revoking it would open the door to whoever restarts the service


def test_secrets_are_not_in_the_file(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        tokens = TokenStore(database)
        secrets = [tokens.ensure_admin() or "", *(tokens.create("a", SEARCH, f"n{number}")[1] for number in range(20))]
        while_open = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    stored = (tmp_path / "db").read_bytes()
    assert b"first start" in stored
    for secret in secrets:
        for part in (secret, secret.removeprefix(PREFIX), secret[-12:]):
            assert part.encode() not in stored
            assert part.encode() not in while_open


def test_what_cannot_be_a_token_is_refused(tokens):
    with pytest.raises(InputError, match="scopes"):
        tokens.create("a", frozenset(), "")
    with pytest.raises(InputError, match="label"):
        tokens.create("a", SEARCH, "x" * 201)
    assert tokens.listed() == []
