"""Pydantic models of requests and answers, and the documentation of problems."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from whorl.formats.detection import names as formats
from whorl.registry.search import THRESHOLD
from whorl.scheme import PRESETS
from whorl.service.administration import LONGEST_TOKEN_DAYS
from whorl.service.audit import AuditLine
from whorl.service.authentication import LONGEST_LABEL, Token
from whorl.service.disclosure import ForeignMatch
from whorl.service.documents import CollectionInfo
from whorl.service.job_requests import AUTO
from whorl.service.jobs import ServiceJob
from whorl.service.naming import DEFAULT_COLLECTION, LONGEST_NAME, SLUG
from whorl.service.problems import PROBLEM_MEDIA, TITLES
from whorl.service.retention import LONGEST_DAYS
from whorl.service.search import MOST_HITS, NEAR, OwnHit
from whorl.sweep.screening import OVERLAP

# What values look like, and the same in words, for messages.
_SLUG, _TEXT = f"^{SLUG}$", r"\S"
_DATE = "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_LINE, _NAME = f"^[^{_CONTROL}]*$", rf"^[^{_CONTROL}]*[^{_CONTROL}\s][^{_CONTROL}]*$"
IN_WORDS = {
    _SLUG: "Use lower-case letters, digits, '.', '_' and '-'; begin with a letter or digit; at most 64 characters",
    _LINE: "Give one line of text, without control characters",
    _NAME: "Give one line of text, without control characters and not of white space alone",
    _DATE: "Give a year, a month or a day, such as 2024, 2024-05 or 2024-05-31",
    _TEXT: "Give a text that is more than white space",
}

Slug = Annotated[str, Field(pattern=_SLUG)]
Line = Annotated[str, Field(max_length=2000, pattern=_LINE)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=_NAME)]
# Clients get the list; a format that is not on it is refused where it is used, in a sentence that says where to look.
Format = Annotated[str, Field(json_schema_extra={"enum": sorted(formats())})]
# A day, a month or a year.
PartOfDate = Annotated[str, Field(pattern=_DATE)]
Limit = Annotated[int, Field(ge=1, le=500)]
HitLimit = Annotated[int, Field(ge=1, le=MOST_HITS)]


def in_words(where: str, fault: Mapping[str, Any]) -> str:
    """Describe a fault of a value that pydantic found."""
    pattern = fault.get("ctx", {}).get("pattern")
    if fault["type"] == "extra_forbidden":
        return f"{where}: this request has no such field"
    return f"{where}: {IN_WORDS.get(pattern, fault['msg'])}"


class RequestBody(BaseModel):
    """A body of a request: a field that nobody knows is a mistake."""

    model_config = ConfigDict(extra="forbid")


class DocumentFacts(RequestBody):
    """What is known of a document beside its content."""

    collection: Slug = DEFAULT_COLLECTION
    url: Line | None = Field(None, description="Where it is published. It is never fetched.")
    date: Line | None = None
    contact: Line | None = Field(None, description="Whom to ask about it.")
    labels: list[Line] = Field(default_factory=list, max_length=100)
    format: Format | None = Field(None, description="What it is, if content and name do not tell.")
    sanctioned: bool = Field(False, description="Its text is no evidence for anybody. For admins.")
    tenant: Slug | None = Field(None, description="Whose it is to be. For admins.")


class DocumentBody(DocumentFacts):
    """A document as a text."""

    name: Name = Field(description="What it is called in its collection.")
    text: str


class DocumentForm(DocumentFacts):
    """A document as a file."""

    name: Name | None = Field(None, description="What it is called in its collection; by default the file's name.")


class DocumentAddress(DocumentFacts):
    """A document that the service is to fetch."""

    name: Name | None = Field(None, description="What it is called; by default the last part of the address.")
    from_url: Line = Field(min_length=1)


class SearchOptions(RequestBody):
    """How a search is done."""

    name: Name | None = None
    format: Format | None = None
    limit: HitLimit = 10
    window: int | None = Field(None, ge=1, le=65_536, description="A larger window than the index's: an estimate.")
    look_ups: int | None = Field(None, ge=1, description="Look up only so many hashes: an estimate.")
    passages: bool = True
    with_text: bool = Field(False, description="Answer with the text that was read, into which passages point.")


class SearchBody(SearchOptions):
    """A text to be searched for."""

    text: str


class SearchAddress(SearchOptions):
    """A document to be searched for, which the service is to fetch."""

    from_url: Line = Field(min_length=1)


class CheckOptions(RequestBody):
    """The parts of a manuscript that count, and the documents that may be its sources."""

    name: Name | None = None
    format: Format | None = None
    limit: HitLimit = Field(MOST_HITS, description="List at most this many sources. All count.")
    deep: bool = Field(False, description="Look for passages whose words were changed, too, for 20 seconds. For prose.")
    quotations: bool = Field(True, description="Leave out quotations.")
    bibliography: bool = Field(True, description="Leave out the bibliography.")
    min_words: int = Field(0, ge=0, le=1_000_000, description="Leave out passages with fewer words.")
    exclude_sources: list[Line] = Field(
        default_factory=list,
        max_length=100,
        description="Leave out sources whose name, title or URL matches, such as *draft*.",
    )
    exclude_labels: list[Line] = Field(
        default_factory=list, max_length=100, description="Leave out sources with such a label."
    )
    exclude_before: PartOfDate | None = Field(None, description="Leave out sources dated before, such as 2024-05.")
    exclude_after: PartOfDate | None = Field(None, description="Leave out sources dated after.")
    labels: list[Line] = Field(
        default_factory=list, max_length=100, description="Look only at documents with such labels."
    )


class CheckBody(CheckOptions):
    """A manuscript as a text."""

    text: str = Field(pattern=_TEXT, description="The text: white space alone cannot be checked.")


class ManuscriptAnswer(BaseModel):
    """A check of a manuscript."""

    check: dict[str, Any] = Field(description="One of the objects that 'whorl check --format json' prints.")
    foreign: list[ForeignMatch] = Field(
        description="Matches in documents of other owners, as far as they are disclosed."
    )
    note: str = Field(description="A remark about 'foreign', or an empty text.")


class RegistryOptions(RequestBody):
    """How a registry is searched."""

    name: Name | None = None
    format: Format | None = None
    threshold: float = Field(THRESHOLD, gt=0, le=1)
    limit: HitLimit = 10


class RegistryBody(RegistryOptions):
    """A text to be looked up in the registry."""

    text: str


class ScreeningOptions(RequestBody):
    """How a text is screened against the documents of the sweeps."""

    name: Name = Field(description="The URL or id of the document.")
    format: Format | None = None
    overlap: float = Field(OVERLAP, gt=0, le=1, description="Minimum share of either document for an overlap.")
    add: bool = Field(False, description="Store the document unless it is a duplicate: for admins.")


class ScreeningBody(ScreeningOptions):
    """A text to be screened."""

    text: str


class ComparisonBody(RequestBody):
    """How a class is compared; the files are ``submissions``, ``base`` and ``archive`` of the same form."""

    scheme: Annotated[str, Field(json_schema_extra={"enum": [AUTO, *PRESETS]})] = AUTO
    threshold: float | None = Field(None, ge=0, le=1)
    limit: int | None = Field(None, ge=1, le=10_000)
    anonymous: bool = False
    format: Format | None = None
    title: Line | None = None


class ClusterBody(RequestBody):
    """Which documents are clustered: those of a collection, or all."""

    collection: Slug | None = None
    threshold: float | None = Field(None, gt=0, le=1)


class CollectionBody(RequestBody):
    """How long documents of a collection are kept; null: until they are deleted."""

    retention_days: int | None = Field(None, ge=1, le=LONGEST_DAYS)


class TokenBody(RequestBody):
    """A token to be made."""

    scopes: list[Literal["search", "add", "compare", "admin"]] = Field(min_length=1)
    tenant: Slug | None = Field(None, description="Whose documents it reaches; null is the house.")
    label: Annotated[Line, Field(max_length=LONGEST_LABEL)] = ""
    days: int | None = Field(
        None, ge=1, le=LONGEST_TOKEN_DAYS, description="It expires after so many days; null: never."
    )


class HealthAnswer(BaseModel):
    """That the service answers, which version it is, and whether the kernel locks its parsers in."""

    status: str
    version: str
    jail: str = Field(description="'complete', or what of it this kernel does not have.")


class ProblemAnswer(BaseModel):
    """RFC 9457: what went wrong, and what to do about it."""

    type: str
    title: str
    status: int
    detail: str


class NearAnswer(BaseModel):
    """Documents that are nearly the same, the most alike first."""

    hits: list[OwnHit]
    threshold: float = NEAR


class CollectionsAnswer(BaseModel):
    """All collections of a tenant."""

    collections: list[CollectionInfo]


class JobsAnswer(BaseModel):
    """Some jobs, the newest first; ``after`` is what to ask with for the next ones."""

    jobs: list[ServiceJob]
    after: str | None


class TokensAnswer(BaseModel):
    """All tokens, without their secrets."""

    tokens: list[Token]


class AuditAnswer(BaseModel):
    """Lines of the audit log, the newest first."""

    lines: list[AuditLine]
    after: int | None


class RegistryHit(BaseModel):
    """A hit of the registry (``whorl.registry.search.RegistryHit``) as JSON: see ``whorl registry search``."""

    id: str
    url: str | None
    date: str | None
    contact: str | None
    ratio: float
    low: float
    high: float
    shared: int
    ignored: int
    warning: str


class RegistryAnswer(BaseModel):
    """What a registry tells, best first."""

    hits: list[RegistryHit]
    notes: list[str]


# Error answers of every endpoint, and of those that need a token.
EVERYWHERE = (400, 413, 421, 429, 500, 503)
WITH_TOKEN = (401, 403, 422)


def documented(*statuses: int, without_token: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return the problems of an endpoint, in addition to those of all. They name no model: FastAPI would make a
    validator for each of four hundred answers, which takes a quarter of the start of a server."""
    schema = {"$ref": "#/components/schemas/ProblemAnswer"}
    return {
        status: {
            "description": TITLES[status],
            "content": {PROBLEM_MEDIA: {"schema": schema}},
            **({"headers": _RETRY} if status in (429, 503) else {}),
        }
        for status in sorted({*EVERYWHERE, *(() if without_token else WITH_TOKEN), *statuses})
    }


_RETRY = {"Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer"}}}
