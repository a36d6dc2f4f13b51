"""The experiments of Broder, Glassman, Manasse and Zweig, "Syntactic Clustering of the Web" (1997)."""
