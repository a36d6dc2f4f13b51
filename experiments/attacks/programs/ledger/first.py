"""Balances of accounts."""

import sys


def is_entry(parts):
    return len(parts) == 2


def amount_of(word):
    """Return the amount, or None if the word is no number."""
    sign = 1
    digits = word
    if word.startswith("-"):
        sign = -1
        digits = word[1:]
    if not digits.isdigit():
        return None
    return sign * int(digits)


def read_entries(lines):
    entries = []
    for line in lines:
        parts = line.split()
        if is_entry(parts):
            amount = amount_of(parts[1])
            if amount is not None:
                entries.append((parts[0], amount))
    return entries


def balances_of(entries):
    balances = {}
    for name, amount in entries:
        if name in balances:
            balances[name] += amount
        else:
            balances[name] = amount
    return balances


def show(balances):
    total = 0
    for name in sorted(balances):
        balance = balances[name]
        # Below zero is worth a word.
        if balance < 0:
            print(name + ": " + str(balance) + " OVERDRAWN")
        else:
            print(name + ": " + str(balance))
        total += balance
    print("total: " + str(total))


def main():
    entries = read_entries(sys.stdin)
    show(balances_of(entries))


main()
