"""Documents that are more than their text: web pages, papers, office files, books, notebooks.

Each format has a module with a function ``extract`` from the document's bytes or string to its text, which spans then
point into; ``isolation`` runs it where a hostile document does no harm, and ``frontend`` hands the text to the text
front-end. Why: docs/decisions/0008-extracted-text.md and docs/decisions/0009-document-formats.md.
"""
