"""What the reproductions of all papers have in common: the record of a result, and the pages made of it."""
