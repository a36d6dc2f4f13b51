import random


def born(neighbours, alive):
    return neighbours == 3 or (alive and neighbours == 2)


def count(grid, row, column):
    total = 0
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if down or right:
                total += grid[(row + down) % len(grid)][(column + right) % len(grid[0])]
    return total


def step(grid):
    fresh = []
    for row, cells in enumerate(grid):
        fresh.append([int(born(count(grid, row, column), cell)) for column, cell in enumerate(cells)])
    return fresh


def scatter(height, width, share, seed):
    chance = random.Random(seed)
    return [[int(chance.random() < share) for _ in range(width)] for _ in range(height)]


def show(grid):
    for row in grid:
        print("".join("#" if cell else "." for cell in row))


def main():
    grid = scatter(12, 40, 0.3, 7)
    for _ in range(50):
        grid = step(grid)
    show(grid)
