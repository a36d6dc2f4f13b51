"""My depot: a timeline of entries, the earliest first."""

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
class Happening:
    date: int
    order_no: int
    what: str = field(compare=False)
    article: str = field(compare=False)
    pieces: int = field(compare=False)


class Depot:
    def __init__(self):
        self.shelves = defaultdict(lambda: LOT)
        self.announced = set()
        self.backlog = []
        self.finished = 0
        self.delay_sum = 0

    def process(self, entry, timeline):
        if entry.what == "delivery":
            self.shelves[entry.article] += entry.pieces
            self.announced.discard(entry.article)
        else:
            self.backlog.append(entry)
        self.work_off(entry.date)
        self.restock(entry.article, entry.date, timeline)

    def work_off(self, now):
        remaining = []
        for request in self.backlog:
            if self.shelves[request.article] >= request.pieces:
                self.shelves[request.article] -= request.pieces
                self.finished += 1
                self.delay_sum += now - request.date
            else:
                remaining.append(request)
        self.backlog = remaining

    def restock(self, article, now, timeline):
        demand = sum(request.pieces for request in self.backlog if request.article == article)
        if article in self.announced or self.shelves[article] - demand >= LOW:
            return
        self.announced.add(article)
        heapq.heappush(timeline, Happening(now + DELAY, 0, "delivery", article, max(LOT, demand)))


# Orders of nearly the same date for the same article are one request: the truck goes once.
def join_requests(orders, span=1):
    joined = {}
    for date, article, pieces in orders:
        before = [key for key in joined if key[1] == article and 0 <= date - key[0] <= span]
        if before:
            closest = max(before)
            joined[closest] += pieces
        else:
            joined[date, article] = pieces
    result = [(date, article, pieces) for (date, article), pieces in joined.items() if pieces > 0]
    result.sort(key=lambda request: (request[0], -request[2]))
    return result


def simulate(orders):
    depot = Depot()
    timeline = [Happening(date, 1, "order", article, pieces) for date, article, pieces in join_requests(orders)]
    heapq.heapify(timeline)
    while timeline:
        entry = heapq.heappop(timeline)
        depot.process(entry, timeline)
    return depot.finished, depot.delay_sum, len(depot.backlog)


if __name__ == "__main__":
    main(simulate)
