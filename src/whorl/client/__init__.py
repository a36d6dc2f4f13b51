"""The client of a Whorl server: the same verbs as an index in a folder, over HTTP. Standard library alone."""
