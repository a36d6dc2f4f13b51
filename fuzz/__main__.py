"""``python -m fuzz``: run the fuzzer, or one document of it again."""

import sys
import time
from functools import partial
from pathlib import Path

import click

from fuzz import targets
from fuzz.campaign import Campaign, cores
from fuzz.minimise import minimised
from fuzz.worker import Finding, Report

# The seed of the short fuzz that the tests run; a night takes another with --seed.
SEED = 1
# Where failing documents are kept: beside what is built, out of the repository.
FINDINGS = Path("build") / "fuzz"


@click.command()
@click.argument("names", nargs=-1, metavar="[FRONTEND]...")
@click.option("--executions", default=100_000, show_default=True, help="Documents a front-end.")
@click.option("--seed", default=SEED, show_default=True, help="Another seed gives other documents.")
@click.option("--first", default=0, show_default=True, help="The number of the first execution.")
@click.option("--only", type=int, help="Run this execution alone, and show what is wrong.")
@click.option("--replay", type=click.Path(exists=True, path_type=Path), help="Run a document that was kept.")
@click.option("--jobs", default=cores(), show_default=True, help="Worker processes.")
@click.option("--findings", "folder", type=click.Path(path_type=Path), default=FINDINGS, show_default=True)
@click.option("--list", "listed", is_flag=True, help="Show the names of the front-ends.")
def main(
    names: tuple[str, ...], executions: int, seed: int, first: int, only: int | None, replay: Path | None, jobs: int,
    folder: Path, listed: bool,
) -> None:  # fmt: skip
    """Give damaged documents to the front-ends, all of them by default, and check what must hold for any document."""
    chosen = [found for found in targets.names() if not names or _is_meant(found, names)]
    if listed or not chosen:
        click.echo("\n".join(targets.names()))
        sys.exit(0 if listed else 2)
    with Campaign(jobs) as campaign:
        if replay is not None or only is not None:
            sys.exit(_again(campaign, chosen[0], replay, seed, only or 0))
        sys.exit(_all(campaign, chosen, seed, executions, first, folder))


def _is_meant(name: str, names: tuple[str, ...]) -> bool:
    """Return whether a target is named, or its group, by its first word: ``code``, ``text``."""
    return name in names or name.partition("-")[0] in names


def _again(campaign: Campaign, name: str, replay: Path | None, seed: int, number: int) -> int:
    data = replay.read_bytes() if replay is not None else targets.target(name).document(seed, number)
    wrong = campaign.fails(name, data)
    click.echo(f"{name}: {len(data)} bytes: {wrong or 'all holds'}")
    click.echo(repr(data[:2000]))
    return 1 if wrong else 0


def _all(campaign: Campaign, names: list[str], seed: int, executions: int, first: int, folder: Path) -> int:
    click.echo(f"seed {seed}, executions {first} to {first + executions - 1} of each of {len(names)} front-ends")
    started, faults = time.monotonic(), 0
    for name, report in campaign.run(names, seed, executions, first):
        click.echo(_line(name, report))
        faults += len(_reported(campaign, report, folder))
    click.echo(f"{len(names)} front-ends in {time.monotonic() - started:.0f} s; {faults} findings")
    return 1 if faults else 0


def _line(name: str, report: Report) -> str:
    """Return a front-end on one line: executions, how many a processor second, what became of them, the slowest."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.kinds.items()))
    slowest = " ".join(f"{slow.seconds * 1000:.0f}ms#{slow.number}({slow.size}B)" for slow in report.slowest)
    rate = report.executions / max(report.seconds, 1e-9)
    return f"{name}: {report.executions} at {rate:.0f}/s: {kinds}; slowest {slowest}"


def _fails_alike(campaign: Campaign, finding: Finding, data: bytes) -> bool:
    return campaign.fails(finding.target, data) == finding.signature


def _reported(campaign: Campaign, report: Report, folder: Path) -> list[Finding]:
    """Return the findings, one for each cause: shown, made small, and kept with the command that runs it again."""
    first = {finding.signature: finding for finding in reversed(report.findings)}
    for signature, finding in first.items():
        small = minimised(finding.data, partial(_fails_alike, campaign, finding))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{finding.target}-{finding.seed}-{finding.number}"
        path.write_bytes(small)
        click.echo(f"  FOUND {signature}\n  {small[:200]!r}\n{finding.trace}", err=True)
        click.echo(f"  again: python -m fuzz {finding.target} --seed {finding.seed} --only {finding.number}", err=True)
        click.echo(f"  small: python -m fuzz {finding.target} --replay {path}", err=True)
    return list(first.values())


if __name__ == "__main__":
    main()
