"""Last year's task, as a table of days and articles."""

import sys
from collections import Counter

LEVEL, CRATE, LATE = 10, 40, 3


def ledger(lines):
    table = {}
    for text in lines:
        fields = text.split()
        if len(fields) == 3:
            table.setdefault(int(fields[0]), Counter())[fields[1]] += int(fields[2])
    return table


def deliveries(table, article):
    level, coming, owed = CRATE, {}, 0
    for day in range(max(table, default=0) + LATE + 1):
        level += coming.pop(day, 0)
        owed += table.get(day, Counter())[article]
        taken = min(level, owed)
        level, owed = level - taken, owed - taken
        if level < LEVEL and not coming:
            coming[day + LATE] = CRATE
    return owed


if __name__ == "__main__":
    days = ledger(sys.stdin)
    goods = {article for counter in days.values() for article in counter}
    for article in sorted(goods):
        print(article, deliveries(days, article))
