"""Style sheets, scripts and pictures of the pages."""

from fastapi import APIRouter
from starlette.responses import Response

from whorl.service.page.assets import assets
from whorl.service.problems import missing

router = APIRouter()

# The digest in the address changes with the content.
FOREVER = "public, max-age=31536000, immutable"


@router.get("/static/{digest}/{name}")
async def asset(digest: str, name: str) -> Response:
    """One of our own files, of this very content."""
    found = assets().get(name)
    if found is None or found.address != f"/static/{digest}/{name}":
        raise missing("The file")
    headers = {"Cache-Control": FOREVER, "X-Content-Type-Options": "nosniff"}
    return Response(found.content, media_type=found.media, headers=headers)


@router.get("/favicon.ico")
async def icon() -> Response:
    """The picture that browsers ask for by themselves."""
    found = assets()["mark.svg"]
    return Response(found.content, media_type=found.media, headers={"Cache-Control": "public, max-age=86400"})
