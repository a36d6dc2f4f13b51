import re
import sys
from collections import defaultdict

ENTRY = re.compile(r"\s*(\S+)\s+(-?\d+)\s*")


class Ledger:
    def __init__(self):
        self.sums = defaultdict(int)

    def add(self, name, value):
        self.sums[name] += value

    def rows(self):
        for name, value in sorted(self.sums.items()):
            yield f"{name}: {value}" + (" OVERDRAWN" if value < 0 else "")
        yield f"total: {sum(self.sums.values())}"


ledger = Ledger()
for text in sys.stdin.read().splitlines():
    match = ENTRY.fullmatch(text)
    if match:
        ledger.add(match[1], int(match[2]))
print("\n".join(ledger.rows()))
