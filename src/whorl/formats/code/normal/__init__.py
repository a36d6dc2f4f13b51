"""The normal form of programs: a second stream beside the tokens, equal for programs that differ only in disguising
rewrites."""
