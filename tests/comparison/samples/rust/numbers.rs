use std::ops::{Add, Mul};

#[derive(Copy, Clone)]
struct Fraction {
    top: i64,
    bottom: i64,
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn reduced(top: i64, bottom: i64) -> Fraction {
    let common = gcd(top, bottom);
    let sign = if bottom < 0 { -1 } else { 1 };
    Fraction { top: sign * top / common, bottom: sign * bottom / common }
}

impl Add for Fraction {
    type Output = Fraction;
    fn add(self, other: Fraction) -> Fraction {
        reduced(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)
    }
}

impl Mul for Fraction {
    type Output = Fraction;
    fn mul(self, other: Fraction) -> Fraction {
        reduced(self.top * other.top, self.bottom * other.bottom)
    }
}

fn bernoulli(n: usize) -> Vec<Fraction> {
    let mut row: Vec<Fraction> = Vec::with_capacity(n + 1);
    let mut result = vec![];
    for m in 0..=n {
        row.push(reduced(1, m as i64 + 1));
        for j in (1..=m).rev() {
            let difference = row[j - 1] + reduced(-1, 1) * row[j];
            row[j - 1] = reduced(j as i64, 1) * difference;
        }
        result.push(row[0]);
    }
    result
}

fn main() {
    for (index, fraction) in bernoulli(12).iter().enumerate() {
        println!("{index}: {}/{}", fraction.top, fraction.bottom);
    }
}
