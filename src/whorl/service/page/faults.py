"""What a person sees if a page cannot be shown: what is wrong, and what to do next."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whorl.service.api.asking import desk_of
from whorl.service.page.frame import Frame, frame_of, frame_outside
from whorl.service.page.rendering import HEADERS, page
from whorl.service.page.visits import SignInNeeded, principal_of, wants_part
from whorl.service.problems import Problem


def problem_page(request: Request, problem: Problem) -> Response:
    """A problem as a page; as a piece of one for a script. Who is not signed in comes to the form."""
    if isinstance(problem, SignInNeeded):
        return _to_sign_in(request, problem.inside)
    if problem.status == 404 and "route" not in request.scope:
        problem = Problem(404, "There is no page of this address. The menu above has all there are.")
    template = "problem_part.html" if wants_part(request) else "problem.html"
    response = page(template, _frame(request), problem.status, fault=problem)
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def _frame(request: Request) -> Frame:
    desk, principal = desk_of(request), principal_of(request)
    return frame_outside(desk) if principal is None else frame_of(desk, principal, "")


def _to_sign_in(request: Request, inside: str) -> Response:
    address = "/sign-in" if inside == "/" else f"/sign-in?{urlencode({'next': inside})}"
    if wants_part(request):  # A script would put the form into the middle of the page.
        return Response(status_code=204, headers={**HEADERS, "HX-Redirect": address})
    return RedirectResponse(address, 303, HEADERS)
