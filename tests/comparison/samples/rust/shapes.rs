use std::f64::consts::PI;

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_string()
    }
}

struct Circle(f64);

struct Rect { a: f64, b: f64 }

impl Shape for Circle {
    fn area(&self) -> f64 {
        PI * self.0.powi(2)
    }
    fn name(&self) -> String {
        format!("circle of {}", self.0)
    }
}

impl Shape for Rect {
    fn area(&self) -> f64 {
        self.a * self.b
    }
}

fn sorted(mut shapes: Vec<Box<dyn Shape>>) -> Vec<Box<dyn Shape>> {
    shapes.sort_by(|one, two| two.area().partial_cmp(&one.area()).unwrap_or(std::cmp::Ordering::Equal));
    shapes
}

fn simpson<F>(f: F, low: f64, high: f64, steps: usize) -> f64
where
    F: Fn(f64) -> f64,
{
    let h = (high - low) / steps as f64;
    let inner: f64 = (1..steps)
        .map(|i| f(low + h * i as f64) * if i % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    h / 3.0 * (f(low) + inner + f(high))
}

fn main() {
    let all: Vec<Box<dyn Shape>> = vec![Box::new(Circle(1.5)), Box::new(Rect { a: 2.0, b: 3.5 })];
    sorted(all).iter().for_each(|shape| println!("{} {:.2}", shape.name(), shape.area()));
    println!("{}", simpson(|x| (1.0 - x * x).sqrt(), -1.0, 1.0, 1000));
}
