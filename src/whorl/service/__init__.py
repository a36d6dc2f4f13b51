"""An index over HTTP: an API for scripts and course systems, and a page for people."""
