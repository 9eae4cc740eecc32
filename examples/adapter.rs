// A complete adapter in Rust, with nothing but the standard library: the classical Gaussian
// mechanism behind the conformance protocol, as in adapter.py.
//
//   rustc -O -o adapter examples/adapter.rs
//   dporacle conform --adapter ./adapter

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// The judge's messages have no key twice, so one map holds the outer fields and the arguments.
/// Texts in them are ids, names and words such as "nan": none has an escape.
fn read(line: &str) -> HashMap<String, String> {
    let mut fields = HashMap::new();
    let mut key = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[start..];
        let token;
        if let Some(text) = rest.strip_prefix('"') {
            let end = text.find('"').unwrap_or(text.len());
            token = text[..end].to_string();
            rest = text.get(end + 1..).unwrap_or("");
            if rest.starts_with(':') {
                key = token;
                continue;
            }
        } else {
            let end = rest.find([',', '}']).unwrap_or(rest.len());
            token = rest[..end].to_string();
            rest = &rest[end..];
        }
        fields.insert(key.clone(), token);
    }
    fields
}

/// Δ·√(2 ln(1.25/δ))/ε is known to be enough noise for 0 < ε ≤ 1. Two logarithms, since 1.25/δ
/// overflows for the smallest δ.
fn classical_sigma(epsilon: f64, delta: f64, sensitivity: f64) -> Result<f64, &'static str> {
    let inside = epsilon > 0.0 && epsilon <= 1.0 && delta > 0.0 && delta < 1.0;
    if !(inside && sensitivity > 0.0 && sensitivity.is_finite()) {
        return Err("out of the domain");
    }
    let factor = (2.0 * (1.25f64.ln() - delta.ln())).sqrt();
    let sigma = sensitivity * factor / epsilon;
    if sigma.is_infinite() {
        return Err("out of the range of floats");
    }
    Ok(sigma)
}

fn main() {
    for line in io::stdin().lock().lines() {
        let fields = read(&line.expect("standard input can be read"));
        let text = |name: &str| fields.get(name).map_or("", String::as_str);
        // "nan", "inf" and "-inf" are read too.
        let number = |name: &str| text(name).parse::<f64>().unwrap_or(f64::NAN);
        let answer = match text("command") {
            "stop" => break,
            "start" => concat!(
                r#""protocol": 1, "name": "classical-rust", "version": "1.0", "#,
                r#""language": "Rust", "functions": [{"name": "classical_sigma", "#,
                r#""quantity": "calibrate_sigma", "#,
                r#""arguments": ["epsilon", "delta", "sensitivity"]}]"#
            )
            .to_string(),
            // The shortest decimal that reads back as the same number.
            _ => match classical_sigma(number("epsilon"), number("delta"), number("sensitivity")) {
                Ok(sigma) => format!(r#""value": {sigma:e}"#),
                Err(words) => format!(r#""refused": "{words}""#),
            },
        };
        println!(r#"{{"id": "{}", {answer}}}"#, text("id"));
        io::stdout().flush().expect("standard output can be written");
    }
}
