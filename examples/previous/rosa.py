"""Last year's task, with a supplier that is a generator."""

import sys

REORDER, PACK, DAYS = 10, 40, 3


def supply():
    """The firm that brings the goods: told a date and what is wanted, it says what comes today."""
    pending = []
    arrived = []
    while True:
        date, requests = yield arrived
        for article in requests:
            if all(article != known for known, _ in pending):
                pending.append((article, date + DAYS))
        arrived = [article for article, when in pending if when <= date]
        pending = [entry for entry in pending if entry[1] > date]


def day_by_day(queue, stock):
    """Serves whoever can be served, oldest first, until nobody waits and nobody comes."""
    firm = supply()
    next(firm)
    date, waited = 0, []
    while queue and date < 1000:
        low = [article for article in stock if stock[article] < REORDER]
        for article in firm.send((date, low)):
            stock[article] += PACK
        left = []
        for came, article, number in queue:
            if came <= date and stock[article] >= number:
                stock[article] -= number
                waited.append(date - came)
            else:
                left.append((came, article, number))
        queue, date = left, date + 1
    return waited, queue


def main():
    rows = [line.split() for line in sys.stdin if line.strip()]
    queue = sorted((int(day), article, int(number)) for day, article, number in rows)
    waited, left = day_by_day(queue, dict.fromkeys((row[1] for row in queue), PACK))
    print("served", len(waited), "waiting", len(left))


if __name__ == "__main__":
    main()
