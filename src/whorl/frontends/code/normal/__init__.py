"""The normal form of programs: a second stream beside the tokens, the same for programs that were disguised by
rewriting what they say and not what they do."""
