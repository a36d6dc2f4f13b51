"""What two documents have in common: matches verified on their streams, and the passages that people read."""
