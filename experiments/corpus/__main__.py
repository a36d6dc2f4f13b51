"""Gather the corpus: fetch Debian's manuals, unpack their pages, and write their text as JSONL.

    python -m experiments.corpus FOLDER [--sizes 100 300]

For a machine with Debian: needs ``apt-get``, ``dpkg-deb`` and a network, 1 GB of downloads and 7 GB of disk. FOLDER
gets ``packages/`` (what was fetched), ``pages/`` (the HTML), ``packages.md`` (packages, versions, pages and sizes),
``pdf/`` and ``man/`` (books and pages of the manual) with ``technical.md``, and one ``pages-<size>.jsonl`` a size, in
megabytes of text. What is there already is not made again.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from experiments.corpus.apt import Apt, Package, archive
from experiments.corpus.manuals import RELEASES, chosen, technical
from experiments.corpus.pages import Unpacked, unpack
from experiments.corpus.technical import Documents, unpack_technical
from experiments.corpus.texts import write

MEGABYTE = 1_000_000


def gather(folder: Path) -> list[Unpacked]:
    """Fetch and unpack; what came out of each package."""
    known = folder / "packages.json"
    if known.exists():
        return [Unpacked(Package(**row.pop("package")), **row) for row in json.loads(known.read_text())]
    apt = Apt(folder / "apt", RELEASES)
    apt.update()
    found = apt.packages(chosen(apt.names()))
    print(f"{len(found)} packages")
    apt.download(found, folder / "packages")
    out = [unpack(archive(folder / "packages", package), package, folder / "pages") for package in found]
    known.write_text(json.dumps([asdict(each) for each in out], indent=1) + "\n")
    return out


def gather_technical(folder: Path) -> list[Documents]:
    """Fetch and unpack technical documents; what came out of each package that has any."""
    known = folder / "technical.json"
    if known.exists():
        return [Documents(Package(**row.pop("package")), **row) for row in json.loads(known.read_text())]
    apt = Apt(folder / "apt", RELEASES)
    apt.update()
    found = apt.packages(technical(apt.names()))
    apt.download(found, folder / "packages")
    out = [unpack_technical(archive(folder / "packages", package), package, folder) for package in found]
    out = [each for each in out if each.pdfs or each.manuals]
    known.write_text(json.dumps([asdict(each) for each in out], indent=1) + "\n")
    return out


def technical_table(packages: Sequence[Documents]) -> str:
    """Packages, versions and sizes of technical documents, in Markdown."""
    lines = ["| package | release | version | PDFs | MB | man pages | MB |", "|---|---|---|---|---|---|---|"]
    for each in sorted(packages, key=lambda one: (one.package.name, one.package)):
        cells = f"{each.pdfs:,} | {_mb(each.pdf_size)} | {each.manuals:,} | {_mb(each.manual_size)}"
        lines.append(f"| {each.package.name} | {each.package.release} | {each.package.version} | {cells} |")
    pdfs, pdf_size = sum(each.pdfs for each in packages), sum(each.pdf_size for each in packages)
    manuals, size = sum(each.manuals for each in packages), sum(each.manual_size for each in packages)
    lines.append(f"| all {len(packages)} | | | {pdfs:,} | {_mb(pdf_size)} | {manuals:,} | {_mb(size)} |")
    return "\n".join(lines) + "\n"


def table(packages: Sequence[Unpacked]) -> str:
    """Packages, versions and sizes, in Markdown."""
    lines = ["| package | release | version | pages | MB of HTML |", "|---|---|---|---|---|"]
    for each in sorted(packages, key=lambda one: (one.package.name, one.package)):
        package = each.package
        lines.append(f"| {package.name} | {package.release} | {package.version} | {each.pages:,} | {_mb(each.size)} |")
    pages, size = sum(each.pages for each in packages), sum(each.size for each in packages)
    lines.append(f"| all {len(packages)} | | | {pages:,} | {_mb(size)} |")
    return "\n".join(lines) + "\n"


def _mb(size: int) -> str:
    return f"{size / MEGABYTE:,.1f}"


def main() -> None:
    """Make what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 300], help="megabytes of text, a JSONL each")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "packages.md").write_text(table(gather(folder)))
    (folder / "technical.md").write_text(technical_table(gather_technical(folder)))
    for size in options.sizes:
        target = folder / f"pages-{size}.jsonl"
        if not target.exists():
            made = write(folder / "pages", target, size * MEGABYTE)
            print(f"{made.path}: {made.pages:,} pages, {_mb(made.size)} MB of text")


if __name__ == "__main__":
    main()
