"""A hundred and thirty thousand JavaScript files, all pairs, in bounded memory.

    python -m benchmarks.crowd FOLDER [--files 130000] [--extension js]

FOLDER holds real code; the files are cut from it, again and again at other places, so that each has about a hundred
near copies among the others: far more pairs than can be kept.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.processes import cost
from benchmarks.submissions import sources, write_class


def main() -> None:
    """One run of the whole command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--files", type=int, default=130_000)
    parser.add_argument("--extension", default="js")
    options = parser.parse_args()
    files = sources(options.sources, options.extension)
    if not files:
        sys.exit(f"there is no .{options.extension} file in {options.sources}")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "crowd"
        size = write_class(folder, options.files, files, options.extension)
        whorl = Path(sys.executable).with_name("whorl")
        spent = cost([whorl, "compare", folder, "--scheme", "code", "--format", "csv"])
    print(
        f"{options.files:,} files, {size / 1e6:.0f} MB: {spent.cpu:.0f} CPU s, {spent.wall:.0f} s, "
        f"peak {spent.memory / 1e9:.2f} GB"
    )


if __name__ == "__main__":
    main()
