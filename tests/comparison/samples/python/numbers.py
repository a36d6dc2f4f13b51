from math import isqrt


def sieve(limit):
    flags = bytearray([1]) * (limit + 1)
    flags[:2] = b"\0\0"
    for number in range(2, isqrt(limit) + 1):
        if flags[number]:
            flags[number * number :: number] = bytes(len(flags[number * number :: number]))
    return [number for number, flag in enumerate(flags) if flag]


def factors(number):
    found: dict[int, int] = {}
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            number //= divisor
        divisor += 1 if divisor == 2 else 2
    if number > 1:
        found[number] = 1
    return found


def divisors(number):
    result = [1]
    for prime, power in factors(number).items():
        result = [old * prime**exponent for old in result for exponent in range(power + 1)]
    return sorted(result)


def is_perfect(number):
    return number > 1 and sum(divisors(number)) == 2 * number


def main():
    print(len(sieve(100_000)))
    print([number for number in range(1, 10_000) if is_perfect(number)])
