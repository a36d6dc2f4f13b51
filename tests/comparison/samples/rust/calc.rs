#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Sign(char),
}

#[derive(Debug)]
enum Fault {
    Unexpected(char),
    Ended,
}

fn scan(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(&letter) = letters.peek() {
        match letter {
            ' ' => { letters.next(); }
            '0'..='9' => {
                let mut value = 0.0;
                while let Some(digit) = letters.peek().and_then(|c| c.to_digit(10)) {
                    value = value * 10.0 + f64::from(digit);
                    letters.next();
                }
                tokens.push(Token::Number(value));
            }
            '+' | '-' | '*' | '/' | '(' | ')' => {
                tokens.push(Token::Sign(letter));
                letters.next();
            }
            other => return Err(Fault::Unexpected(other)),
        }
    }
    Ok(tokens)
}

fn term(tokens: &[Token]) -> Result<(f64, &[Token]), Fault> {
    match tokens {
        [Token::Number(value), rest @ ..] => Ok((*value, rest)),
        [Token::Sign('-'), rest @ ..] => term(rest).map(|(value, rest)| (-value, rest)),
        [Token::Sign(sign), ..] => Err(Fault::Unexpected(*sign)),
        [] => Err(Fault::Ended),
    }
}

fn fold(tokens: &[Token]) -> Result<f64, Fault> {
    let (mut value, mut rest) = term(tokens)?;
    while let [Token::Sign(sign), more @ ..] = rest {
        let (right, after) = term(more)?;
        value = if *sign == '+' { value + right } else { value * right };
        rest = after;
    }
    Ok(value)
}
