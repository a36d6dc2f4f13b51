"""Bookings that overlap, as one."""

import sys


def read(lines):
    bookings = []
    for line in lines:
        words = line.split()
        start = int(words[0])
        end = int(words[1])
        if start <= end:
            bookings.append((start, end))
    return sorted(bookings)


def touches(first_end, second_start):
    return second_start <= first_end


def merge(bookings):
    merged = []
    begin, finish = bookings[0]
    for i in range(1, len(bookings)):
        start, end = bookings[i]
        if touches(finish, start):
            if end > finish:
                finish = end
        else:
            merged.append((begin, finish))
            begin = start
            finish = end
    merged.append((begin, finish))
    return merged


def longest_gap(merged):
    longest = 0
    for i in range(1, len(merged)):
        gap = merged[i][0] - merged[i - 1][1]
        if gap > longest:
            longest = gap
    return longest


def main():
    merged = merge(read(sys.stdin))
    for start, end in merged:
        print(str(start) + "-" + str(end))
    print("longest gap: " + str(longest_gap(merged)))


main()
