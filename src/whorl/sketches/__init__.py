"""How alike two documents are: exact measures, and sketches that estimate them without the documents.

After Broder, Glassman, Manasse and Zweig, *Syntactic Clustering of the Web*, 1997.
"""
