"""The fuzzer: damages documents in every way that we know, and checks what the front-ends make of them.

``python -m fuzz`` runs it; ``make fuzz`` runs it for a night. Each execution is made of a seed, the name of a front-end
and a number, and of nothing else: whatever is found can be found again.
"""
