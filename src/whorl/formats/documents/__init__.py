"""Documents with more than plain text: web pages, papers, office files, books, notebooks.

Each format has a function that extracts the text of a document's bytes or string; spans refer to this text.
``isolation`` runs it safely on hostile documents, and ``frontend`` passes the text to the text front-end. See
docs/decisions/0008-extracted-text.md and docs/decisions/0009-document-formats.md.
"""
