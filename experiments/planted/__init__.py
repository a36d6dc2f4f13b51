"""Planted copies in a corpus of real pages: which tools find them, and what else they put into one cluster."""
