"""Which k-gram hashes become fingerprints. Each selector is a small module behind the protocol in ``protocol``."""
