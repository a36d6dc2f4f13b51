import sys
from itertools import pairwise


class Span:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def absorb(self, other):
        """Grows by another span if they meet."""
        if other.low > self.high or self.low > other.high:
            return False
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)
        return True


def add(spans, fresh):
    kept = []
    for span in spans:
        if not fresh.absorb(span):
            kept.append(span)
    kept.append(fresh)
    return kept


def main():
    spans = []
    for line in sys.stdin:
        low, high = map(int, line.split())
        if high >= low:
            spans = add(spans, Span(low, high))
    spans.sort(key=lambda span: span.low)
    for span in spans:
        print(span.low, span.high, sep="-")
    gaps = [after.low - before.high for before, after in pairwise(spans)]
    print("longest gap:", max(gaps, default=0))


main()
