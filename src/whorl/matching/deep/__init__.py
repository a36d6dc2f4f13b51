"""The deep pass for prose: find passages with replaced, dropped, added or reordered words.

Begin with ``likeness``, which reads as the steps. The reasons are in docs/decisions/0018-deep-prose.md.
"""
