"""Documents to fingerprints and sketches: keys, hashes, selectors, fingerprints, shingles, sketches."""
