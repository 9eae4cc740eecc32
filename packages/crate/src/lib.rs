//! Certified test vectors for differential-privacy noise.
#![forbid(unsafe_code)]

/// The data, a line for each function, vector and refusal.
pub const EDITION: &str = include_str!("edition.tsv");

/// An input: a number, or a name such as a neighbouring relation.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Number(f64),
    Name(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    Exact,
    Acceptable,
    Conservative,
    Violating,
    NoAnswer,
}

#[derive(Clone, Debug)]
pub struct Vector {
    pub id: String,
    pub inputs: Vec<(String, Input)>,
    pub safe: f64,
    pub relative: f64,
    pub low: String,
    pub high: String,
    pub flags: Vec<String>,
    pub rounds_up: bool,
}

#[derive(Clone, Debug)]
pub struct Refusal {
    pub id: String,
    pub inputs: Vec<(String, Input)>,
    pub argument: String,
}

#[derive(Clone, Debug)]
pub struct VectorFile {
    pub function: String,
    pub rounds_up: bool,
    pub harm: String,
    pub vectors: Vec<Vector>,
    pub refusals: Vec<Refusal>,
}

/// The float64 with these 16 hexadecimal digits.
pub fn from_bits(digits: &str) -> Option<f64> {
    let bits = u64::from_str_radix(digits, 16).ok()?;
    (digits.len() == 16).then(|| f64::from_bits(bits))
}

/// The number of this name.
pub fn number(inputs: &[(String, Input)], name: &str) -> Option<f64> {
    inputs.iter().find_map(|(key, value)| match value {
        Input::Number(number) if key == name => Some(*number),
        _ => None,
    })
}

fn inputs(text: &str) -> Vec<(String, Input)> {
    let pairs = text.split(',').filter_map(|each| each.split_once('='));
    pairs
        .map(|(name, value)| {
            let read = from_bits(value).map(Input::Number);
            (name.into(), read.unwrap_or_else(|| Input::Name(value.into())))
        })
        .collect()
}

/// All functions, with their vectors and refusals.
pub fn load() -> Vec<VectorFile> {
    let mut all: Vec<VectorFile> = Vec::new();
    for line in EDITION.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[0] == "F" {
            all.push(VectorFile {
                function: cells[1].into(),
                rounds_up: cells[2] == "up",
                harm: cells[3].into(),
                vectors: Vec::new(),
                refusals: Vec::new(),
            });
            continue;
        }
        let file = all.last_mut().expect("a function stands before its vectors");
        let (id, given) = (cells[1].into(), inputs(cells[2]));
        if cells[0] == "V" {
            file.vectors.push(Vector {
                id,
                inputs: given,
                safe: from_bits(cells[3]).expect("16 digits"),
                relative: from_bits(cells[4]).expect("16 digits"),
                low: cells[5].into(),
                high: cells[6].into(),
                flags: cells[7].split(',').map(Into::into).collect(),
                rounds_up: file.rounds_up,
            });
        } else {
            file.refusals.push(Refusal { id, inputs: given, argument: cells[3].into() });
        }
    }
    all
}

impl Vector {
    /// Grade an answer.
    pub fn judge(&self, answer: f64) -> Grade {
        let sign = if self.rounds_up { 1.0 } else { -1.0 };
        if answer == self.safe {
            return Grade::Exact;
        }
        if !answer.is_finite() {
            return Grade::NoAnswer;
        }
        if sign * answer < sign * self.safe {
            return Grade::Violating;
        }
        let unit = (self.safe.abs() * f64::EPSILON).max(f64::from_bits(1));
        let allowed = (4.0 * unit).max(self.relative * self.safe.abs());
        if (answer - self.safe).abs() <= allowed {
            Grade::Acceptable
        } else {
            Grade::Conservative
        }
    }
}
