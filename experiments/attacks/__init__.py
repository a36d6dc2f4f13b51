"""Attacks on the comparison: how far a copy's score falls when somebody disguises it, and what that costs them."""
