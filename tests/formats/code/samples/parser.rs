use std::collections::HashMap;
use std::fmt;

/// What a formula is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Name(String),
    Operator(char),
}

pub struct Parser<'a> {
    tokens: &'a [Token],
    position: usize,
    names: HashMap<String, f64>,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(n) => write!(f, "{}", n),
            Token::Name(name) if name.len() > 3 => write!(f, "größe {}", name),
            _ => Ok(()),
        }
    }
}

impl<'a> Parser<'a> {
    pub fn new(tokens: &'a [Token]) -> Self {
        Parser { tokens, position: 0, names: HashMap::new() }
    }

    // one after the other
    pub(crate) fn next(&mut self) -> Option<&Token> {
        let token = self.tokens.get(self.position)?;
        self.position += 1;
        Some(token)
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut total = 0.0;
        let mut sign = 1;
        while let Some(token) = self.tokens.get(self.position) {
            match token {
                Token::Number(n) => total += *n * sign as f64,
                Token::Name(name) => total += self.names[name],
                Token::Operator('-') => sign = -sign,
                Token::Operator(other) => return Err(format!("unexpected {}", other)),
            }
            self.position += 1;
        }
        for i in 0..3 {
            println!("{}", if i % 2 == 0 { true } else { false });
        }
        Ok(total)
    }
}
