"""How often super shingles find what resembles: by resemblance, length, and the way they are made."""
