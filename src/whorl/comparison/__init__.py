"""Compare all pairs of a class, as MOSS does, and rank them with their passages (winnowing paper, section 5.2)."""
