"""The warehouse, day by day, with plain dictionaries and no classes."""

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


def arrivals(pending, stock, today):
    # What was ordered DELAY days ago is put on the shelves.
    for item, due in list(pending.items()):
        if due == today:
            stock[item] = stock.get(item, 0) + LOT
            del pending[item]


def try_to_serve(waiting, stock, today):
    done, days = 0, 0
    i = 0
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


def order_more(waiting, pending, stock, today):
    # Look at every item that someone may want, and order it if it runs out.
    for item in stock:
        if item not in pending and stock[item] < LOW:
            pending[item] = today + DELAY
    for _, item, count in waiting:
        if item not in pending and count > stock[item]:
            pending[item] = today + DELAY


def last_day(orders):
    latest = 0
    for day, _, count in orders:
        # A large order needs several deliveries.
        needed = day + DELAY * (count // LOT + 2)
        if needed > latest:
            latest = needed
    return latest


def simulate(orders):
    stock = {}
    for _, item, _ in orders:
        stock[item] = LOT
    pending = {}
    waiting = []
    served, waited = 0, 0
    position = 0
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


if __name__ == "__main__":
    main(simulate)
