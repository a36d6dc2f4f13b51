"""Warehouse simulation. Events are kept in a heap and handled in the order of their days."""

import heapq
import sys
from collections import defaultdict
from dataclasses import dataclass, field

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


@dataclass(order=True)
class Event:
    day: int
    rank: int
    kind: str = field(compare=False)
    item: str = field(compare=False)
    count: int = field(compare=False)


class Warehouse:
    def __init__(self):
        self.stock = defaultdict(lambda: LOT)
        self.on_the_way = set()
        self.queue = []
        self.served = 0
        self.waited = 0

    def handle(self, event, events):
        if event.kind == "delivery":
            self.stock[event.item] += event.count
            self.on_the_way.discard(event.item)
        else:
            self.queue.append(event)
        self.serve(event.day)
        self.refill(event.item, event.day, events)

    def serve(self, today):
        left = []
        for order in self.queue:
            if self.stock[order.item] >= order.count:
                self.stock[order.item] -= order.count
                self.served += 1
                self.waited += today - order.day
            else:
                left.append(order)
        self.queue = left

    def refill(self, item, today, events):
        wanted = sum(order.count for order in self.queue if order.item == item)
        if item in self.on_the_way or self.stock[item] - wanted >= LOW:
            return
        self.on_the_way.add(item)
        heapq.heappush(events, Event(today + DELAY, 0, "delivery", item, max(LOT, wanted)))


# Orders of nearly the same day for the same item are one order: the truck goes once.
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
    warehouse = Warehouse()
    events = [Event(day, 1, "order", item, count) for day, item, count in merge_orders(orders)]
    heapq.heapify(events)
    while events:
        event = heapq.heappop(events)
        warehouse.handle(event, events)
    return warehouse.served, warehouse.waited, len(warehouse.queue)


if __name__ == "__main__":
    main(simulate)
