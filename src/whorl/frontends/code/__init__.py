"""Source code: programs become streams of tokens that forget layout, comments and the names of things.

A language is a row of ``languages``. Where it has a grammar, ``plan`` makes a table of what each kind of syntax node
becomes, and ``leaves`` walks the syntax tree by it; else ``pygmented`` makes the same of Pygments' tokens, and
``spice`` reads netlists. ``lexer`` is the fallback. Why these tokens: docs/decisions/0006-code-tokens.md.
"""
