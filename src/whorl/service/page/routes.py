"""All pages of a service, and what is shown if one cannot be."""

from fastapi import APIRouter

from whorl.service.desk import Desk
from whorl.service.page import (
    routes_add,
    routes_admin,
    routes_assets,
    routes_compare,
    routes_documents,
    routes_jobs,
    routes_provenance,
    routes_search,
    routes_sign_in,
    routes_tokens,
)
from whorl.service.page.faults import problem_page

__all__ = ["problem_page", "router"]


def router(desk: Desk) -> APIRouter:
    """The pages of a service that has this desk: a registry's and the sweeps' only if it has them."""
    pages = APIRouter()
    # "/documents/add" stands before "/documents/{number}".
    for module in (routes_assets, routes_sign_in, routes_search, routes_add, routes_documents):
        pages.include_router(module.router)
    for module in (routes_compare, routes_jobs, routes_tokens, routes_admin):
        pages.include_router(module.router)
    if desk.has_registry:
        pages.include_router(routes_provenance.registry_router)
    if desk.has_sweep:
        pages.include_router(routes_provenance.sweep_router)
    return pages
