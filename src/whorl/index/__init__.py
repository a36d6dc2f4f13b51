"""The index: fingerprint documents once, add and remove them for years, search at any time.

``index`` keeps it on disk (``whorl.storage``), ``memory`` in memory, ``base`` has what both share. ``search`` looks the
fingerprints of a query up and ranks the documents that share them.
"""
