"""Documents that are more than their text: HTML, Markdown, Jupyter notebooks.

Each format has a module with a function ``extract`` from the document's bytes or string to its text, which spans then
point into; ``frontend`` hands that text to the text front-end. Why: docs/decisions/0008-extracted-text.md.
"""
