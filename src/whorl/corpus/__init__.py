"""Corpora: the documents of folders, archives, JSONL, Parquet and WARC as one sequence of records, in bounded memory.

``read.read`` is the entrance, and ``parquet`` writes the tables of results. ``kinds`` tells what a file is. ``jsonl``,
``groups`` (Parquet) and ``warc`` read one kind each; ``rows`` makes records of what the first two find.
"""
