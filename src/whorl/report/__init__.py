"""Reports as web pages that open from disk, without a server or a network."""
