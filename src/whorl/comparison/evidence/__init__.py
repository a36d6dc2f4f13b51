"""Unscored findings: rare traces that submissions share, and oddities of one submission.

No finding is part of a score. Each may be innocent: shared literals and comments can come from the task's own text. A
person must read them.
"""
