"""The simulation itself; the rules of a day are in rules.py."""

import sys
from functools import reduce
from itertools import chain, groupby

from rules import called, delivered, picked

LOW, LOT, DELAY = 10, 40, 3


def read_orders(stream):
    orders = []
    for line in stream:
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        day, item, count = line.split()
        orders.append((int(day), item, int(count)))
    return sorted(orders)


def print_result(served, waited, waiting):
    average = waited / served if served else 0.0
    print(f"served:  {served}")
    print(f"waited:  {average:.2f} days on average")
    print(f"waiting: {waiting}")


def main(simulate):
    if len(sys.argv) > 1:
        with open(sys.argv[1]) as stream:  # noqa: PTH123
            orders = read_orders(stream)
    else:
        orders = read_orders(sys.stdin)
    print_result(*simulate(orders))


EMPTY = ({}, {}, (), 0, 0)


def days_of(orders):
    """Each day with its orders, and quiet days after the last one."""
    by_day = {day: [order[1:] for order in those] for day, those in groupby(orders, key=lambda order: order[0])}
    quiet = 5 * DELAY
    for day in range(max(by_day, default=0) + quiet):
        yield day, by_day.get(day, [])


def step(state, today):
    shelves, trucks, queue, served, waited = state
    day, fresh = today
    shelves, trucks = delivered(shelves, trucks, day)
    queue = tuple(chain(queue, ((day, item, pieces) for item, pieces in fresh)))
    shelves, queue, count, days = picked(shelves, queue, day)
    return shelves, called(shelves, trucks, queue, day), queue, served + count, waited + days


def simulate(orders):
    *_, queue, served, waited = reduce(step, days_of(orders), EMPTY)
    return served, waited, len(queue)


if __name__ == "__main__":
    main(simulate)
