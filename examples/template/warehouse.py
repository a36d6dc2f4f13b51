"""Task 1: a warehouse that serves orders from a queue.

Every line of the input is an order: the day, the item and how many of it. An order that cannot be served in full waits.
An item whose stock falls below LOW is ordered anew: LOT pieces arrive DELAY days later. Print how many orders were
served, how long they waited on average, and how many are still waiting at the end.
"""

import sys

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
