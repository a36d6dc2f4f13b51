"""A corpus of real web pages: the manuals of several Debian releases, as folders of HTML and as JSONL of their text."""
