"""Near-duplicates of a whole collection, in the four phases of Broder, Glassman, Manasse and Zweig (1997).

Sketch every document; sort ⟨shingle, document⟩; expand to ⟨document, document, count⟩; join what is alike enough.
"""
