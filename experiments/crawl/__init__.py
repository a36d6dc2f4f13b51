"""A synthetic crawl of the web: a stream of pages with the papers' frequencies of shingles and sizes of clusters."""

from experiments.crawl.pages import Crawl, Page

__all__ = ["Crawl", "Page"]
