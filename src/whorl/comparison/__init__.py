"""MOSS: all pairs of a class, ranked, with the passages that they share (winnowing paper, section 5.2)."""
