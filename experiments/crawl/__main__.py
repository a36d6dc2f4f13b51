"""Write a crawl as JSONL, or tell what it is like.

python -m experiments.crawl 100000 crawl.jsonl [--seed 1]              texts: id, url, date, text
python -m experiments.crawl 100000 crawl.jsonl --features [--one-in 25]    lists of integers: id, features
python -m experiments.crawl 100000 --report                            its statistics beside the papers'
"""

import argparse
import sys
from pathlib import Path

from experiments.crawl.pages import Crawl
from experiments.crawl.statistics import report
from experiments.crawl.writing import write


def main() -> None:
    """One crawl."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int)
    parser.add_argument("file", type=Path, nargs="?", help="where the JSONL goes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--features", action="store_true", help="shingles as numbers in place of texts")
    parser.add_argument("--one-in", type=int, default=1, help="of the numbers, those that are 0 modulo this")
    parser.add_argument("--report", action="store_true", help="measure the crawl, and compare it with the papers")
    options = parser.parse_args()
    crawl = Crawl(options.pages, options.seed)
    if options.file is None and not options.report:
        sys.exit("name a file to write, or ask for the --report")
    if options.file is not None:
        made = write(crawl, options.file, options.one_in if options.features else None)
        print(f"{options.file}: {made.documents:,} documents, {made.shingles:,} shingles, {made.bytes:,} bytes")
    if options.report:
        print(report(crawl))


if __name__ == "__main__":
    main()
