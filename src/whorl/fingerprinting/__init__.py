"""Scheme and document in, fingerprints out: the engine's main procedure."""
