"""The files of an index, a registry and a sweep: a database, segments of sorted postings, and a lock.

``folder`` creates a store. ``database`` holds rows with checksums; its commit is the only commit point. ``segments``
reads immutable files of postings, ``segment_writer`` writes them. ``snapshot`` is one committed state. ``compaction``
turns fresh postings into segments and merges them. ``files`` makes every system call and names the crash points.
"""
