"""An item is an object that serves its own orders; the items know nothing of each other."""

import sys
from collections import deque

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


class Item:
    def __init__(self, name):
        self.name = name
        self.shelf = LOT
        self.orders = deque()
        self.due = None

    @property
    def is_low(self):
        return self.shelf < LOW or bool(self.orders)

    def advance(self, day):
        """Yield the waiting time of every order that leaves on this day."""
        if self.due is not None and self.due <= day:
            self.shelf, self.due = self.shelf + LOT, None
        while self.orders and self.orders[0][1] <= self.shelf:
            since, amount = self.orders.popleft()
            self.shelf -= amount
            yield day - since
        if self.due is None and self.is_low:
            self.due = day + DELAY


def merge_orders(orders, gap=1):
    merged = {}
    for day, item, count in orders:
        earlier = [key for key in merged if key[1] == item and 0 <= day - key[0] <= gap]
        if earlier:
            nearest = max(earlier)
            merged[nearest] += count
        else:
            merged[day, item] = count
    totals = [(day, item, count) for (day, item), count in merged.items() if count > 0]
    totals.sort(key=lambda order: (order[0], -order[2]))
    return totals


def simulate(orders):
    calendar = {}
    for day, name, amount in merge_orders(orders):
        calendar.setdefault(day, []).append((name, amount))
    items, times = {}, []
    horizon = max(calendar, default=0) + 10 * DELAY
    for day in range(horizon):
        for name, amount in calendar.get(day, ()):
            items.setdefault(name, Item(name)).orders.append((day, amount))
        for item in items.values():
            times.extend(item.advance(day))
    return len(times), sum(times), sum(len(item.orders) for item in items.values())


if __name__ == "__main__":
    main(simulate)
