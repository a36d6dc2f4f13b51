"""Text alignment on PAN 2013's training data: how exactly reused passages are found, in several depths of disguise."""
