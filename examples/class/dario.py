"""Solution of task 1. The stock is a dict, the queue is a list."""

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


def last_day(orders):
    # The simulation runs until nothing can change any more.
    latest = 0
    for day, _, count in orders:
        needed = day + DELAY * (count // LOT + 2)
        if needed > latest:
            latest = needed
    return latest


def order_more(waiting, pending, stock, today):
    # First the shelves that are nearly empty ...
    for item in stock:
        if item not in pending and stock[item] < LOW:
            pending[item] = today + DELAY
    # ... then what people are waiting for.
    for _, item, count in waiting:
        if item not in pending and count > stock[item]:
            pending[item] = today + DELAY


def try_to_serve(waiting, stock, today):
    done, days = 0, 0
    i = 0  # an index, because the list changes while we walk over it
    while i < len(waiting):
        since, item, count = waiting[i]
        if stock.get(item, 0) < count:
            i += 1
            continue
        stock[item] = stock[item] - count
        done = done + 1
        days = days + (today - since)
        waiting.pop(i)
    return done, days


def simulate(orders):
    """Runs the whole simulation and returns the three numbers for the printout."""
    stock = {}
    for _, item, _ in orders:
        stock[item] = LOT
    pending = {}
    waiting = []
    served, waited = 0, 0
    position = 0
    # one turn of the loop is one day
    today = 0
    end = last_day(orders)
    while today <= end:
        arrivals(pending, stock, today)
        while position < len(orders) and orders[position][0] == today:
            waiting.append(orders[position])
            position += 1
        done, days = try_to_serve(waiting, stock, today)
        served += done
        waited += days
        order_more(waiting, pending, stock, today)
        today += 1
    return served, waited, len(waiting)


def arrivals(pending, stock, today):
    for item, due in list(pending.items()):
        if due == today:
            stock[item] = stock.get(item, 0) + LOT
            del pending[item]


if __name__ == "__main__":
    main(simulate)
