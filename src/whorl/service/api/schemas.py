"""What clients send and get, where it is not a record of the modules above as it is."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from whorl.frontends.detection import names as formats
from whorl.registry.search import THRESHOLD
from whorl.scheme import PRESETS
from whorl.service.audit import AuditLine
from whorl.service.comparisons import AUTO
from whorl.service.jobs import Job
from whorl.service.naming import DEFAULT_COLLECTION, LONGEST_NAME, SLUG
from whorl.service.searching import MOST_HITS, NEAR, OwnHit
from whorl.service.shelves import LONGEST_DAYS, Shelf
from whorl.service.tokens import LONGEST_LABEL, Token

Slug = Annotated[str, Field(pattern=f"^{SLUG}$")]
# One line of text: no control characters.
Line = Annotated[str, Field(max_length=2000, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
# The list is told to clients; what is not on it is refused where it is used, in a sentence that says where to look.
Format = Annotated[str, Field(json_schema_extra={"enum": sorted(formats())})]
Limit = Annotated[int, Field(ge=1, le=500)]
HitLimit = Annotated[int, Field(ge=1, le=MOST_HITS)]


class Body(BaseModel):
    """A body of a request: a field that nobody knows is a mistake."""

    model_config = ConfigDict(extra="forbid")


class DocumentFacts(Body):
    """What is known of a document beside its content."""

    collection: Slug = DEFAULT_COLLECTION
    url: Line | None = Field(None, description="Where it is published. It is never fetched.")
    date: Line | None = None
    contact: Line | None = Field(None, description="Whom to ask about it.")
    labels: list[Line] = Field(default_factory=list, max_length=100)
    format: Format | None = Field(None, description="What it is, if content and name do not tell.")
    sanctioned: bool = Field(False, description="What stands in it is no evidence for anybody. For admins.")
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


class SearchOptions(Body):
    """How a search is done."""

    name: Name | None = None
    format: Format | None = None
    limit: HitLimit = 10
    window: int | None = Field(None, ge=1, le=1_000_000, description="A larger window than the index's: an estimate.")
    look_ups: int | None = Field(None, ge=1, description="Look up only so many hashes: an estimate.")
    passages: bool = True
    with_text: bool = Field(False, description="Answer with the text that was read, into which passages point.")


class SearchBody(SearchOptions):
    """A text to be searched for."""

    text: str


class SearchAddress(SearchOptions):
    """A document to be searched for, which the service is to fetch."""

    from_url: Line = Field(min_length=1)


class RegistryOptions(Body):
    """How a registry is searched."""

    name: Name | None = None
    format: Format | None = None
    threshold: float = Field(THRESHOLD, ge=0, le=1)
    limit: HitLimit = 10


class RegistryBody(RegistryOptions):
    """A text to be looked up in the registry."""

    text: str


class ComparisonBody(Body):
    """How a class is compared; the files are ``submissions``, ``base`` and ``archive`` of the same form."""

    scheme: Annotated[str, Field(json_schema_extra={"enum": [AUTO, *PRESETS]})] = AUTO
    threshold: float | None = Field(None, ge=0, le=1)
    limit: int | None = Field(None, ge=1, le=10_000)
    anonymous: bool = False
    format: Format | None = None
    title: Line | None = None


class ClusterBody(Body):
    """Which documents are clustered: those of a collection, or all."""

    collection: Slug | None = None
    threshold: float | None = Field(None, gt=0, le=1)


class CollectionBody(Body):
    """How long documents of a collection are kept; null: until they are deleted."""

    retention_days: int | None = Field(None, ge=1, le=LONGEST_DAYS)


class TokenBody(Body):
    """A token to be made."""

    scopes: list[Literal["search", "add", "compare", "admin"]] = Field(min_length=1)
    tenant: Slug | None = Field(None, description="Whose documents it reaches; null is the house.")
    label: Annotated[Line, Field(max_length=LONGEST_LABEL)] = ""
    days: int | None = Field(None, ge=1, le=3660, description="It expires after so many days; null: never.")


class HealthAnswer(BaseModel):
    """That the service answers, and which version it is."""

    status: str
    version: str


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


class ShelvesAnswer(BaseModel):
    """All collections of a tenant."""

    collections: list[Shelf]


class JobsAnswer(BaseModel):
    """Some jobs, the newest first; ``after`` is what to ask with for the next ones."""

    jobs: list[Job]
    after: str | None


class TokensAnswer(BaseModel):
    """All tokens, without their secrets."""

    tokens: list[Token]


class AuditAnswer(BaseModel):
    """Lines of the audit log, the newest first."""

    lines: list[AuditLine]
    after: int | None


class RegistryHit(BaseModel):
    """A registered document that a text may come from: see ``whorl registry search``."""

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
