"""Whorl measured beside the paper's own loop and beside its peers; see README.md."""
