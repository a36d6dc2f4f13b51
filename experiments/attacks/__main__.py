"""Runs the attack bench and prints what it measures.

.venv/bin/python -m experiments.attacks [--quick] [--no-normal-form] [--seed 1]
"""

import argparse
from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import mean, median

from experiments.attacks.cost import QUICK, STEPS, Bill, bills
from experiments.attacks.measuring import Outcome, on_programs, on_prose, rises
from experiments.attacks.program import LANGUAGES


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="experiments.attacks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes of insertions, and Python and prose alone")
    parser.add_argument("--no-normal-form", action="store_true", help="the plain scheme")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    languages = ("python",) if options.quick else LANGUAGES
    normal_form = not options.no_normal_form
    _print_outcomes(
        outcome for language in languages for outcome in on_programs(language, options.seed, normal_form=normal_form)
    )
    _print_outcomes(on_prose(options.seed))
    steps = QUICK if options.quick else STEPS
    _print_bills(
        (bill for language in languages for bill in bills(language, options.seed, steps, normal_form=normal_form)),
        steps[-1],
    )
    if normal_form:
        _print_rises(languages)


def _print_outcomes(outcomes: Iterable[Outcome]) -> None:
    """A row an attack, as they come."""
    for subject, group in groupby(outcomes, key=lambda outcome: outcome.subject):
        print(f"\n{subject:24} copies  median  lowest  independent  highest     gap")
        for each in group:
            print(
                f"{each.attack:24} {len(each.copies):6} {median(each.copies):7.3f} {min(each.copies):7.3f}"
                f" {median(each.independents):12.3f} {max(each.independents):8.3f} {each.gap:7.3f}",
                flush=True,
            )


def _print_bills(found: Iterable[Bill], last: float) -> None:
    print("\ninsertion to a quarter   copies  growth  lowest  reached  flagged  escaped")
    for bill in found:
        reached = [cost.growth for cost in bill.costs if cost.growth is not None]
        growth = f"> {last:g}×" if bill.growth is None else f"{bill.growth:.1f}×"
        lowest = f"{min(reached):.1f}×" if reached else "–"
        print(
            f"{bill.language + ', ' + bill.source:24} {len(bill.costs):6} {growth:>7} {lowest:>7} {len(reached):8}"
            f" {bill.flagged:8.0%} {bill.escaped:8}",
            flush=True,
        )


def _print_rises(languages: Iterable[str]) -> None:
    print("\nunrelated pairs          pairs  mean rise  largest rise")
    for language in languages:
        found = rises(language)
        print(f"{language:24} {len(found):5} {mean(found):10.3f} {max(found):13.3f}", flush=True)


if __name__ == "__main__":
    main()
