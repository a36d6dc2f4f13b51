"""How well copies are ranked before independent work, on labelled programs and texts."""
