"""Coroutines: the shop and the supplier talk to each other."""

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


def supplier():
    """Send it a day and a list of items; it answers with the items that arrive on that day."""
    book = []
    parcels = []
    while True:
        today, wanted = yield parcels
        for name in wanted:
            if all(name != other for other, _ in book):
                book.append((name, today + DELAY))
        parcels = [name for name, due in book if due <= today]
        book = [line for line in book if line[1] > today]


class Shop:
    def __init__(self, names):
        self.amounts = dict.fromkeys(names, LOT)
        self.desk = []
        self.log = []
        self.partner = supplier()
        next(self.partner)

    def open(self, today, customers):
        self.desk.extend(customers)
        parcels = self.partner.send((today, self.missing()))
        for name in parcels:
            self.amounts[name] += LOT
        for customer in list(self.desk):
            if self.can_serve(customer):
                self.hand_over(customer, today)

    def missing(self):
        names = [name for name, amount in self.amounts.items() if amount < LOW]
        names.extend(name for _, name, number in self.desk if number > self.amounts[name])
        return names

    def can_serve(self, customer):
        return self.amounts[customer[1]] >= customer[2]

    def hand_over(self, customer, today):
        came, name, number = customer
        self.amounts[name] -= number
        self.desk.remove(customer)
        self.log.append(today - came)


def simulate(orders):
    shop = Shop({name for _, name, _ in orders})
    today, patience = 0, 20
    while orders or patience > 0:
        customers = [order for order in orders if order[0] <= today]
        orders = orders[len(customers) :]
        shop.open(today, customers)
        patience = 20 if customers else patience - 1
        today += 1
    return len(shop.log), sum(shop.log), len(shop.desk)


if __name__ == "__main__":
    main(simulate)
