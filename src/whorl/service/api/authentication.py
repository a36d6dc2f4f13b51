"""Authenticate API requests by bearer token and check the scope that an endpoint needs."""

from typing import Annotated

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.middleware import CONNECTION
from whorl.service.problems import Problem

TOKEN = HTTPBearer(scheme_name="token", description="A token of the service: whorl_…", auto_error=False)


def context_of(request: Request) -> Context:
    """Return the context of the application."""
    context: Context = request.app.state.context
    return context


def address_of(request: Request) -> str:
    """Return the address of the client."""
    return request.client.host if request.client else ""


def vouch(request: Request, principal: Principal) -> None:
    """Mark the connection as authenticated, so that it is kept when connections run out. Raise 429 if the tenant has
    its share of them."""
    connection = getattr(request.state, CONNECTION, None)
    if connection is not None and not connection.vouch(principal.tenant or ""):
        raise Problem(429, "Too many requests at once. Send fewer at a time.")


def asker(
    request: Request,
    wanted: SecurityScopes,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(TOKEN)],
) -> Principal:
    """Authenticate a request and check its scopes. Runs in a thread, before the body is read."""
    context, address = context_of(request), address_of(request)
    if credentials is None:
        context.refuse(address)
    _, principal = context.authenticate(credentials.credentials, address)
    request.state.principal = principal
    vouch(request, principal)
    context.admit(principal)
    for scope in wanted.scopes:
        principal.require(TokenScope(scope))
    return principal


Searcher = Annotated[Principal, Security(asker, scopes=[TokenScope.SEARCH])]
Adder = Annotated[Principal, Security(asker, scopes=[TokenScope.ADD])]
Comparer = Annotated[Principal, Security(asker, scopes=[TokenScope.COMPARE])]
Admin = Annotated[Principal, Security(asker, scopes=[TokenScope.ADMIN])]
