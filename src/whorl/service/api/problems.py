"""Problems as OpenAPI documents them."""

from typing import Any

from whorl.service.api.schemas import ProblemAnswer
from whorl.service.problems import MEDIA, TITLES

# What every endpoint may answer with, and what those that want a token may.
EVERYWHERE = (400, 413, 421, 429, 500, 503)
WITH_TOKEN = (401, 403, 422)


def documented(*statuses: int, without_token: bool = False) -> dict[int | str, dict[str, Any]]:
    """The problems of an endpoint, beside those of all."""
    schema = {"$ref": "#/components/schemas/ProblemAnswer"}
    return {
        status: {
            "description": TITLES[status],
            "model": ProblemAnswer,
            "content": {MEDIA: {"schema": schema}},
            **({"headers": _RETRY} if status in (429, 503) else {}),
        }
        for status in sorted({*EVERYWHERE, *(() if without_token else WITH_TOKEN), *statuses})
    }


_RETRY = {"Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer"}}}
