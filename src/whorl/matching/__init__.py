"""Compare two documents: verified matches, chains of matches, passages and the score."""
