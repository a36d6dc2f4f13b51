const memory = new Map([[0n, 0n], [1n, 1n]]);

function fibonacci(n) {
  if (memory.has(n)) return memory.get(n);
  const half = n / 2n;
  const a = fibonacci(half);
  const b = fibonacci(half + 1n);
  const value = n % 2n === 0n ? a * (2n * b - a) : a * a + b * b;
  memory.set(n, value);
  return value;
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return Math.abs(a);
}

function roman(number) {
  const signs = { M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 };
  return Object.entries(signs).reduce((text, [sign, value]) => {
    const times = Math.floor(number / value);
    number -= times * value;
    return text + sign.repeat(times);
  }, "");
}

function isPrime(n, rounds = 8) {
  if (n < 4) return n > 1;
  let d = n - 1, s = 0;
  while (d % 2 === 0) { d /= 2; s++; }
  outer: for (let i = 0; i < rounds; i++) {
    let x = Number(BigInt(2 + i) ** BigInt(d) % BigInt(n));
    if (x === 1 || x === n - 1) continue;
    for (let r = 1; r < s; r++) {
      x = (x * x) % n;
      if (x === n - 1) continue outer;
    }
    return false;
  }
  return true;
}

console.log(fibonacci(300n), gcd(84, 36), roman(1994), isPrime(97));
