"""The tables of a sweep store, beside those of every store of segments. See ``docs/formats/sweep.md``."""

# Raised when a table changes. A newer one is refused.
VERSION = 2

# The last number that a place was given: none is given twice.
LAST_PLACE = "last place"

# Tables whose rows are counted and summed.
TABLES = ("sweeps", "pages", "contents", "places", "pairs", "clusters")

SCHEMA = """
CREATE TABLE sweeps (number INTEGER PRIMARY KEY, date TEXT NOT NULL UNIQUE, seal INTEGER NOT NULL);
CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, seal INTEGER NOT NULL);
CREATE TABLE contents (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, lexical BLOB NOT NULL, shingles BLOB, row INTEGER NOT NULL,
    kind TEXT NOT NULL, size INTEGER NOT NULL, modulus INTEGER NOT NULL, seal INTEGER NOT NULL
);
CREATE INDEX lexical ON contents (lexical);
CREATE INDEX shingled ON contents (shingles) WHERE shingles IS NOT NULL;
CREATE INDEX rows ON contents (row);
CREATE TABLE hashes (content INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE places (
    id INTEGER PRIMARY KEY, page INTEGER NOT NULL, sweep INTEGER NOT NULL, content INTEGER NOT NULL, contact TEXT,
    seal INTEGER NOT NULL
);
CREATE INDEX shown ON places (page, sweep, content);
CREATE INDEX showing ON places (content);
CREATE TABLE pairs (
    left INTEGER NOT NULL, right INTEGER NOT NULL, count INTEGER NOT NULL, shared INTEGER NOT NULL,
    seal INTEGER NOT NULL, PRIMARY KEY (left, right)
) WITHOUT ROWID;
CREATE TABLE clusters (content INTEGER PRIMARY KEY, head INTEGER NOT NULL, seal INTEGER NOT NULL);
CREATE INDEX members ON clusters (head);
"""
