import sys

OPENS, CLOSES = 0, 1


def events(text):
    found = []
    numbers = [int(word) for word in text.split()]
    while numbers:
        end = numbers.pop()
        start = numbers.pop()
        if start > end:
            continue
        found.append((start, OPENS))
        found.append((end, CLOSES))
    found.sort()
    return found


depth = 0
since = None
last = None
widest = 0
for moment, kind in events(sys.stdin.read()):
    if kind == OPENS:
        if depth == 0:
            since = moment
            if last is not None:
                widest = max(widest, moment - last)
        depth += 1
    else:
        depth -= 1
        if depth == 0:
            print(f"{since}-{moment}")
            last = moment
print(f"longest gap: {widest}")
