"""Who asks, in the API's requests: a bearer token, and the scope that an endpoint needs."""

from typing import Annotated

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from whorl.service.desk import Desk
from whorl.service.principal import Principal
from whorl.service.tokens import Scope

TOKEN = HTTPBearer(scheme_name="token", description="A token of the service: whorl_…", auto_error=False)


def desk_of(request: Request) -> Desk:
    """The desk of the application that is asked."""
    desk: Desk = request.app.state.desk
    return desk


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def asker(
    request: Request,
    wanted: SecurityScopes,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(TOKEN)],
) -> Principal:
    """Whose token the request has. Runs in a thread, before the body is read."""
    desk, address = desk_of(request), address_of(request)
    if credentials is None:
        desk.refuse(address)
    _, principal = desk.authenticate(credentials.credentials, address)
    request.state.principal = principal
    desk.admit(principal)
    for scope in wanted.scopes:
        principal.require(Scope(scope))
    return principal


Searcher = Annotated[Principal, Security(asker, scopes=[Scope.SEARCH])]
Adder = Annotated[Principal, Security(asker, scopes=[Scope.ADD])]
Comparer = Annotated[Principal, Security(asker, scopes=[Scope.COMPARE])]
Admin = Annotated[Principal, Security(asker, scopes=[Scope.ADMIN])]
