"""Source code: programs become streams of tokens that forget layout, comments and the names of things.

A language is a row of ``languages``; ``plan`` turns the row and its grammar into a table of what each kind of syntax
node becomes; ``tokens`` walks the syntax tree by it; ``lexer`` is the fallback. Why these tokens:
docs/decisions/0006-code-tokens.md.
"""
