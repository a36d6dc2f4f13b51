"""``python -m whorl`` is ``whorl``."""

from whorl.cli import main

main(prog_name="whorl")
