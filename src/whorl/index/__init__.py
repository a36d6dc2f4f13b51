"""The persistent index: documents and their postings, on disk.

``segment`` reads the immutable files that hold sorted postings, ``segment_writer`` makes them, ``segment_merge`` makes
one of several. ``files`` is the only way to the file system, ``points`` names the moments at which tests kill a writer.
"""
