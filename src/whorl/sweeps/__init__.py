"""Dated sweeps over a collection: lost and found, how pages change, who holds a version of a document.

After Broder, Glassman, Manasse and Zweig (1997), "Web-based applications". A sweep is one dated pass over a collection.
Only content that was never seen is sketched; it is merged into the clusters that are there.
"""
