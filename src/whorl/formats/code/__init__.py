"""Source code as streams of tokens, independent of layout, comments and names.

A language is a row of ``languages``. If it has a grammar, ``plan`` maps each kind of syntax node to a symbol and
``leaves`` walks the syntax tree; else ``pygmented`` maps Pygments' tokens, and ``spice`` lexes netlists. ``lexer`` is
the fallback. See docs/decisions/0006-code-tokens.md for the choice of tokens.
"""
