"""What happens on one day."""

LOW, LOT, DELAY = 10, 40, 3


def delivered(shelves, trucks, day):
    here = {item for item, due in trucks.items() if due == day}
    filled = {item: count + (LOT if item in here else 0) for item, count in shelves.items()}
    return filled, {item: due for item, due in trucks.items() if item not in here}


def picked(shelves, queue, day):
    """Go once through the queue: (shelves, who still waits, how many left, how long they waited)."""
    rest, count, waited = (), 0, 0
    for entry in queue:
        since, item, pieces = entry
        available = shelves.get(item, LOT)
        if pieces > available:
            rest = (*rest, entry)
        else:
            shelves = {**shelves, item: available - pieces}
            count, waited = count + 1, waited + day - since
    return shelves, rest, count, waited


def called(shelves, trucks, queue, day):
    short = {item for item, count in shelves.items() if count < LOW}
    asked = {item for _, item, _ in queue}
    return {**{item: day + DELAY for item in sorted(short | asked) if item not in trucks}, **trucks}
