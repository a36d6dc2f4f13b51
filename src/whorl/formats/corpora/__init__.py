"""Corpora: read the documents of folders, archives, JSONL, Parquet and WARC as one sequence of records, in bounded
memory."""
