import java.math.BigInteger;
import java.util.BitSet;

class Numbers {
    static final int LIMIT = 1_000_000;

    static BitSet sieve(int limit) {
        BitSet composite = new BitSet(limit);
        composite.set(0, 2);
        for (int prime = 2; (long) prime * prime < limit; prime = composite.nextClearBit(prime + 1)) {
            for (int multiple = prime * prime; multiple < limit; multiple += prime) {
                composite.set(multiple);
            }
        }
        composite.flip(0, limit);
        return composite;
    }

    static long power(long base, long exponent, long modulus) {
        long result = 1;
        base %= modulus;
        while (exponent > 0) {
            if ((exponent & 1) == 1) result = result * base % modulus;
            base = base * base % modulus;
            exponent >>= 1;
        }
        return result;
    }

    static BigInteger factorial(int number) {
        if (number < 2) return BigInteger.ONE;
        return BigInteger.valueOf(number).multiply(factorial(number - 1));
    }

    static int collatz(long start) {
        int steps = 0;
        for (; start != 1; steps++) {
            start = start % 2 == 0 ? start / 2 : 3 * start + 1;
        }
        return steps;
    }

    public static void main(String[] arguments) {
        System.out.println(sieve(LIMIT).cardinality() + " " + power(3, 200, 13) + " " + factorial(30));
    }
}
