"""Evidence beside the score: what submissions share that few others have, and what is odd about one of them.

None of it is part of a score. Shared literals and comments can come from the task's own text, and there are honest
reasons for everything that is found here: it is there to be read by a person.
"""
