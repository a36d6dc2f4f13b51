"""Signing in and out: the cookie, where one comes to then, and what is refused."""

import httpx
import pytest
from starlette.requests import Request

from tests.service.harness import PATIENCE, Running, running, settings_in
from tests.service.page.door import guard, signed_in, text_of
from whorl.service.authentication import TokenScope
from whorl.service.page.visits import check_origin, inside
from whorl.service.problems import Problem

ELSEWHERE = (
    "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "http:evil",
    "javascript:alert(1)", "data:text/html,x", "", " /x", "/\t/evil.example", "/\n/evil.example", "evil.example",
    "/x\r\nSet-Cookie: a=b", "/ö", "/a\\..\\b", "/%0d%0aX: y\r\n",
)  # fmt: skip


def attempt(site: Running, secret: str, next_: str = "/", **headers: str) -> httpx.Response:
    with httpx.Client(base_url=site.address, timeout=PATIENCE) as client:
        asked = client.get("/sign-in")
        fields = {"token": secret, "csrf": guard(asked.text), "next": next_}
        return client.post("/sign-in", data=fields, headers=headers)


def test_who_is_not_signed_in_comes_to_the_form_and_back(site):
    answer = httpx.get(f"{site.address}/documents?collection=main", timeout=PATIENCE)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2Fdocuments%3Fcollection%3Dmain"
    form = httpx.get(site.address + answer.headers["location"], timeout=PATIENCE)
    assert 'value="/documents?collection=main"' in form.text
    assert attempt(site, site.acme, "/documents?collection=main").headers["location"] == "/documents?collection=main"


def test_a_script_is_told_to_leave_the_page(site):
    answer = httpx.get(f"{site.address}/documents", headers={"HX-Request": "true"}, timeout=PATIENCE)
    assert (answer.status_code, answer.headers["hx-redirect"]) == (204, "/sign-in?next=%2Fdocuments&said=ended")


@pytest.mark.parametrize(
    ("method", "sent"),
    [("POST", {}), ("GET", {"HX-Request": "true"}), ("GET", {"Cookie": "whorl_session=of-yesterday"})],
    ids=["form", "script", "old cookie"],
)
def test_whose_session_has_ended_is_told_so(site, method, sent):
    with httpx.Client(base_url=site.address, timeout=PATIENCE) as client:
        answer = client.request(method, "/search", headers=sent)
        address = answer.headers.get("hx-redirect") or answer.headers["location"]
        assert "Your session has ended" in text_of(client.get(address).text)
        assert "Your session has ended" not in text_of(client.get(client.get("/jobs").headers["location"]).text)


def test_the_cookie_is_read_by_no_script_and_sent_by_no_other_site(site):
    cookie = attempt(site, site.acme).headers["set-cookie"]
    assert cookie.startswith("whorl_session=")
    for flag in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert flag in cookie
    assert "Max-Age" not in cookie.partition("whorl_visitor")[0]
    assert site.acme not in cookie


def test_over_tls_the_cookie_is_bound_to_this_host(tmp_path):
    with running(settings_in(tmp_path, https=True)) as site:
        with httpx.Client(base_url=site.address, timeout=PATIENCE) as client:
            asked = client.get("/sign-in")
            visitor = asked.headers["set-cookie"]
            assert "Secure" in visitor
            fields = {"token": site.acme, "csrf": guard(asked.text)}
            sent = {"Cookie": visitor.partition(";")[0]}
            cookie = client.post("/sign-in", data=fields, headers=sent).headers["set-cookie"]
        assert cookie.startswith("__Host-whorl_session=")
        assert "Secure" in cookie
        assert "Domain" not in cookie


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_nobody_is_sent_elsewhere(site, wanted):
    assert inside(wanted) == "/"
    answer = attempt(site, site.acme, wanted)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert 'value="/"' in httpx.get(f"{site.address}/sign-in", params={"next": wanted}, timeout=PATIENCE).text


@pytest.mark.parametrize("wanted", ["/", "/documents", "/documents?begins=a%2Fb&after=x", "/jobs/Ab_-1#x"])
def test_a_page_of_ours_is_where_one_wanted_to_go(wanted):
    assert inside(wanted) == wanted


def test_a_wrong_token_is_told_what_to_do(site):
    answer = attempt(site, "whorl_wrong")
    assert answer.status_code == 401
    assert "Unknown token" in text_of(answer.text)
    assert "whorl_session" not in answer.headers.get("set-cookie", "")


def test_many_wrong_tokens_are_too_many(tmp_path):
    with running(settings_in(tmp_path, failures=3, failures_minute=0.01)) as site:
        statuses = [attempt(site, "whorl_wrong").status_code for _ in range(5)]
    assert statuses[:3] == [401, 401, 401]
    assert statuses[3:] == [429, 429]


def test_signing_out_ends_the_session_everywhere(site):
    with signed_in(site, site.acme) as client:
        kept = {"Cookie": f"whorl_session={client.cookies['whorl_session']}"}
        answer = client.post("/sign-out", data={"csrf": guard(client.get("/").text)})
    assert answer.headers["location"] == "/sign-in?said=signed-out"
    assert httpx.get(f"{site.address}/", headers=kept, timeout=PATIENCE).status_code == 303


def test_a_revoked_token_ends_its_sessions(site):
    secret = site.token(TokenScope.SEARCH)
    token = site.context.tokens.find(secret)
    assert token is not None
    with signed_in(site, secret) as client:
        assert client.get("/").status_code == 200
        site.context.tokens.revoke(token.id)
        assert client.get("/").status_code == 303


def test_a_cookie_of_somebodys_making_is_nobodys(site):
    for value in ("", "x", "x" * 5000, "../../etc/passwd", '"quoted"'):
        assert (
            httpx.get(f"{site.address}/", headers={"Cookie": f"whorl_session={value}"}, timeout=PATIENCE).status_code
            == 303
        )


def request_with(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in {"host": "ours", **headers}.items()]
    return Request({"type": "http", "method": "POST", "headers": raw})


@pytest.mark.parametrize(
    "headers",
    [{}, {"origin": "http://ours"}, {"origin": "https://OURS"}, {"sec_fetch_site": "same-origin", "origin": "null"}],
)
def test_our_own_forms_are_taken(headers):
    check_origin(request_with(**headers))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil"}, {"origin": "null"}, {"origin": "http://ours:81"}, {"origin": "http://ours.evil"},
        {"origin": "http://["}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site", "origin": "http://ours"},
        {"sec_fetch_site": "cross-site", "origin": "http://ours"},
    ],
)  # fmt: skip
def test_forms_of_other_sites_are_refused(headers):
    with pytest.raises(Problem, match="Another site"):
        check_origin(request_with(**headers))
