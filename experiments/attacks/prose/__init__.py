"""Attacks on prose: a seeded model of texts, and one module an attack."""
