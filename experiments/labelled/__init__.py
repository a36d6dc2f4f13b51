"""How well copies are told from independent work, on labelled programs."""
