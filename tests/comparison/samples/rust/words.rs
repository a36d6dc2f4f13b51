use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

const WIDTH: usize = 72;

fn tally<R: BufRead>(input: R) -> io::Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for line in input.lines() {
        for word in line?.split(|c: char| !c.is_alphanumeric()) {
            if !word.is_empty() {
                *counts.entry(word.to_lowercase()).or_insert(0) += 1;
            }
        }
    }
    Ok(counts)
}

fn fill(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().unwrap();
        if last.len() + word.len() >= WIDTH {
            lines.push(word.to_owned());
        } else {
            last.push_str(word);
            last.push(' ');
        }
    }
    lines
}

fn caesar(text: &str, shift: u8) -> String {
    text.bytes()
        .map(|b| match b {
            b'a'..=b'z' => (b - b'a' + shift) % 26 + b'a',
            b'A'..=b'Z' => (b - b'A' + shift) % 26 + b'A',
            other => other,
        } as char)
        .collect()
}

fn main() -> io::Result<()> {
    let counts = tally(io::stdin().lock())?;
    let mut out = io::stdout();
    for (word, count) in &counts {
        write!(out, "{count:6} {word}\n")?;
    }
    out.flush()
}
