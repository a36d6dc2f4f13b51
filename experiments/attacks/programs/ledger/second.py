import sys

MARK = " OVERDRAWN"


def find(accounts, name):
    low = 0
    high = len(accounts)
    while low < high:
        middle = (low + high) // 2
        if accounts[middle][0] < name:
            low = middle + 1
        else:
            high = middle
    return low


def book(accounts, name, amount):
    place = find(accounts, name)
    if place < len(accounts) and accounts[place][0] == name:
        accounts[place][1] += amount
    else:
        accounts.insert(place, [name, amount])


def parse(line):
    try:
        name, word = line.split()
        return name, int(word)
    except ValueError:
        return None


def main():
    accounts = []
    line = sys.stdin.readline()
    while line != "":
        entry = parse(line)
        if entry is not None:
            book(accounts, entry[0], entry[1])
        line = sys.stdin.readline()
    for account in accounts:
        tail = MARK if account[1] < 0 else ""
        print("%s: %d%s" % (account[0], account[1], tail))
    print("total: %d" % sum(account[1] for account in accounts))


main()
