use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

type Roads = HashMap<u32, Vec<(u32, u64)>>;

fn read(text: &str) -> Option<Roads> {
    let mut roads = Roads::new();
    for line in text.lines() {
        let mut parts = line.split_whitespace();
        let from: u32 = parts.next()?.parse().ok()?;
        let to: u32 = parts.next()?.parse().ok()?;
        let cost: u64 = parts.next()?.parse().ok()?;
        roads.entry(from).or_default().push((to, cost));
        roads.entry(to).or_default().push((from, cost));
    }
    Some(roads)
}

fn cheapest(roads: &Roads, start: u32, goal: u32) -> Option<u64> {
    let mut best: HashMap<u32, u64> = HashMap::new();
    let mut open = BinaryHeap::from([Reverse((0u64, start))]);
    while let Some(Reverse((cost, town))) = open.pop() {
        if town == goal {
            return Some(cost);
        }
        if best.get(&town).is_some_and(|&known| known <= cost) {
            continue;
        }
        best.insert(town, cost);
        for &(next, more) in roads.get(&town).into_iter().flatten() {
            open.push(Reverse((cost + more, next)));
        }
    }
    None
}

fn main() {
    let text = std::fs::read_to_string("roads.txt").expect("a file of roads");
    match read(&text).and_then(|roads| cheapest(&roads, 1, 9)) {
        Some(cost) => println!("{cost}"),
        None => eprintln!("no way"),
    }
}
