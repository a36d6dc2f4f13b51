import sys

FAR = 10**9


def relax(costs, width, walls):
    changed = False
    for at in range(len(costs)):
        if walls[at]:
            continue
        best = costs[at]
        if at % width > 0:
            best = min(best, costs[at - 1] + 1)
        if at % width < width - 1:
            best = min(best, costs[at + 1] + 1)
        if at >= width:
            best = min(best, costs[at - width] + 1)
        if at + width < len(costs):
            best = min(best, costs[at + width] + 1)
        if best < costs[at]:
            costs[at] = best
            changed = True
    return changed


lines = [line.strip() for line in sys.stdin if line.strip()]
flat = "".join(lines)
walls = [sign == "#" for sign in flat]
costs = [0 if sign == "S" else FAR for sign in flat]
while relax(costs, len(lines[0]), walls):
    pass
result = costs[flat.index("E")]
if result >= FAR:
    print("no way")
else:
    print("steps:", result)
