"""The registry: find where a text comes from, in under 500 bytes a document (Heintze 1996, "Koala").

``registry`` has the class ``Registry``. Postings and log are in a store of ``whorl.storage``.
"""
