"""The registry: where does this text come from, in under 500 bytes a document (Heintze 1996, "Koala").

``registry`` is the entrance. It keeps its postings in the index's segments and its log in a database of the same kind.
"""
