"""Peers that find near-duplicates, each as a command of its own: ``python -m
benchmarks.clusters_peers.with_<name> TEXTS.jsonl THRESHOLD OUT.json``.

A runner does what the peer's own documentation shows, with 128 hashes and shingles of five words: it reads rows with
``id`` and ``text``, and writes the clusters, lists of ids, that the peer's answers make. The runners run in the peers'
virtual environments, so they import nothing of Whorl.
"""
