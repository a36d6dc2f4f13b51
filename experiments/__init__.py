"""Experiments that justify a choice or reproduce a paper, through Whorl's public API alone."""
