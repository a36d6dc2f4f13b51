"""The experiments of Schleimer, Wilkerson and Aiken, "Winnowing" (2003): one module a figure or claim."""
