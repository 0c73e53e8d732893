//! The text of AIGER 1.9, ASCII and binary: to the lists that it consists of.
//!
//! Strict, and every complaint has a line and a column. Numbers are decimal, lines end with `\n` or, in the
//! ASCII format, `\r\n`; blanks may be repeated. Names of the symbol table are checked against the counts of
//! the header, whatever they name; those of inputs and latches are kept.
//!
//! This is not `flussab-aiger` (0.1.1), which the writers use: that parser compares the number of a named bad
//! state or constraint with the number of latches, and takes bad states for variables.
//!
//! Entry point: [`parse`].

use super::{MAX_VARIABLES, ReadError};

/// A conjunction: twice the number of its variable, and its arguments.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    pub(super) output: u32,
    pub(super) inputs: [u32; 2],
}

/// A register.
#[derive(Clone, Copy)]
pub(super) struct Latch {
    pub(super) state: u32,
    pub(super) next: u32,
    pub(super) reset: Option<bool>,
}

/// What a file says. Every literal is within the range that the header allows.
#[derive(Default)]
pub(super) struct File {
    /// The greatest variable.
    pub(super) max: usize,
    pub(super) inputs: Vec<u32>,
    pub(super) latches: Vec<Latch>,
    pub(super) outputs: Vec<u32>,
    pub(super) bads: Vec<u32>,
    pub(super) constraints: Vec<u32>,
    pub(super) gates: Vec<Gate>,
    pub(super) input_names: Vec<Option<String>>,
    pub(super) latch_names: Vec<Option<String>>,
    /// The lines of the first input, latch, output, bad state, constraint and gate.
    pub(super) lines: [usize; 6],
}

/// The parts of a file, in the order of [`File::lines`].
#[derive(Clone, Copy)]
pub(super) enum Part {
    Inputs,
    Latches,
    Outputs,
    Bads,
    Constraints,
    Gates,
}

impl File {
    /// The line of the `i`-th entry of a part. The binary format has none for inputs and gates.
    pub(super) fn line(&self, part: Part, i: usize) -> usize {
        self.lines[part as usize] + i
    }
}

/// Reads the lists of a file in either format.
pub(super) fn parse(bytes: &[u8]) -> Result<File, ReadError> {
    let mut text = Text { bytes, at: 0, line: 1, start: 0, carriage_returns: true };
    let binary = match bytes.get(..4) {
        Some(b"aag ") => false,
        Some(b"aig ") => true,
        _ => return text.error("an AIGER file begins with `aag` or `aig`"),
    };
    text.at = 4;
    text.carriage_returns = !binary;
    let counts = text.header()?;
    let mut file = File { max: counts[0], ..File::default() };
    let [_, inputs, latches, outputs, gates, bads, constraints, ..] = counts;
    let mut variable = 0;
    file.lines[Part::Inputs as usize] = text.line;
    for _ in 0..inputs {
        file.inputs.push(if binary { next(&mut variable) } else { text.last(file.max, "an input")? });
    }
    file.lines[Part::Latches as usize] = text.line;
    for _ in 0..latches {
        let state = if binary { next(&mut variable) } else { text.literal(file.max, "a latch")? };
        let next = text.literal(file.max, "the next state of a latch")?;
        let reset = text.reset(state)?;
        file.latches.push(Latch { state, next, reset });
    }
    for (part, list, count, what) in [
        (Part::Outputs, &mut file.outputs, outputs, "an output"),
        (Part::Bads, &mut file.bads, bads, "a bad state"),
        (Part::Constraints, &mut file.constraints, constraints, "a constraint"),
    ] {
        file.lines[part as usize] = text.line;
        for _ in 0..count {
            list.push(text.last(file.max, what)?);
        }
    }
    file.lines[Part::Gates as usize] = text.line;
    for _ in 0..gates {
        file.gates.push(if binary { text.delta_gate(next(&mut variable))? } else { text.gate(file.max)? });
    }
    text.symbols(&mut file)?;
    Ok(file)
}

/// The literal of the next variable.
fn next(variable: &mut u32) -> u32 {
    *variable += 1;
    *variable << 1
}

struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Where the line begins.
    start: usize,
    /// A line may end with `\r\n`.
    carriage_returns: bool,
}

impl Text<'_> {
    fn error<T>(&self, what: impl AsRef<str>) -> Result<T, ReadError> {
        self.error_at(self.at, what)
    }

    fn error_at<T>(&self, at: usize, what: impl AsRef<str>) -> Result<T, ReadError> {
        Err(ReadError(format!("{}:{}: {}", self.line, at - self.start + 1, what.as_ref())))
    }

    /// Complains about what is here.
    fn expected<T>(&self, what: &str) -> Result<T, ReadError> {
        let rest = &self.bytes[self.at..];
        let word = rest.iter().take_while(|b| b.is_ascii_graphic()).take(20).count();
        let found = match rest.first() {
            None => "the end of the file".to_string(),
            Some(b'\n') => "the end of the line".to_string(),
            Some(b'\r') if rest.get(1) == Some(&b'\n') && self.carriage_returns => {
                "the end of the line".to_string()
            }
            Some(_) if word > 0 => format!("`{}`", String::from_utf8_lossy(&rest[..word])),
            Some(b) => format!("the byte {b}"),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn is_line_over(&self) -> bool {
        match self.bytes.get(self.at) {
            None | Some(b'\n') => true,
            Some(b'\r') if self.carriage_returns => matches!(self.bytes.get(self.at + 1), None | Some(b'\n')),
            Some(_) => false,
        }
    }

    /// The line must be over; goes to the next one.
    fn end_line(&mut self) -> Result<(), ReadError> {
        self.skip_blanks();
        if !self.is_line_over() {
            return self.expected("the end of the line");
        }
        while self.bytes.get(self.at).is_some_and(|&b| b != b'\n') {
            self.at += 1;
        }
        if self.at < self.bytes.len() {
            self.at += 1;
            self.line += 1;
            self.start = self.at;
        }
        Ok(())
    }

    fn number(&mut self, what: &str) -> Result<usize, ReadError> {
        self.skip_blanks();
        let digits = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return self.expected(what);
        }
        let mut value = 0usize;
        for &d in &self.bytes[self.at..self.at + digits] {
            value = value.saturating_mul(10).saturating_add(usize::from(d - b'0'));
        }
        self.at += digits;
        Ok(value)
    }

    /// `M I L O A B C J F`; the last four are 0 when they are missing.
    fn header(&mut self) -> Result<[usize; 9], ReadError> {
        const NAMES: [&str; 9] = [
            "the greatest variable",
            "the number of inputs",
            "the number of latches",
            "the number of outputs",
            "the number of gates",
            "the number of bad states",
            "the number of constraints",
            "the number of justice properties",
            "the number of fairness constraints",
        ];
        let mut counts = [0; 9];
        for (i, name) in NAMES.iter().enumerate() {
            self.skip_blanks();
            if i > 4 && !self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                break;
            }
            counts[i] = self.number(name)?;
        }
        let here = self.at;
        let [max, inputs, latches, _, gates, _, _, justice, fairness] = counts;
        if max > MAX_VARIABLES {
            return self.error_at(4, format!("unsupported: more than {MAX_VARIABLES} variables"));
        }
        if justice > 0 || fairness > 0 {
            return self.error_at(here - 1, "unsupported: justice and fairness properties (liveness)");
        }
        let variables = inputs.saturating_add(latches).saturating_add(gates);
        let binary = !self.carriage_returns;
        if variables > max || (binary && variables != max) {
            let must = if binary { "must be" } else { "must be at least" };
            let sum = "inputs, latches and gates together";
            return self.error_at(4, format!("the greatest variable {must} {sum}: {variables}, not {max}"));
        }
        self.end_line()?;
        Ok(counts)
    }

    /// A literal.
    fn literal(&mut self, max: usize, what: &str) -> Result<u32, ReadError> {
        self.skip_blanks();
        let at = self.at;
        let code = self.number(what)?;
        if code > 2 * max + 1 {
            let most = 2 * max + 1;
            return self.error_at(at, format!("literal {code} is beyond {most}, the greatest of the header"));
        }
        Ok(code as u32)
    }

    /// A literal that ends its line.
    fn last(&mut self, max: usize, what: &str) -> Result<u32, ReadError> {
        let literal = self.literal(max, what)?;
        self.end_line()?;
        Ok(literal)
    }

    /// The reset of a latch: 0, 1, or the latch itself for either; 0 if it is missing.
    fn reset(&mut self, state: u32) -> Result<Option<bool>, ReadError> {
        self.skip_blanks();
        let at = self.at;
        let reset = match self.is_line_over() {
            true => Some(false),
            false => match self.number("the reset of a latch")? {
                0 => Some(false),
                1 => Some(true),
                code if code == state as usize => None,
                code => {
                    let all = format!("0, 1 and {state}");
                    return self.error_at(at, format!("the reset {code} is none of {all}"));
                }
            },
        };
        self.end_line()?;
        Ok(reset)
    }

    fn gate(&mut self, max: usize) -> Result<Gate, ReadError> {
        let output = self.literal(max, "a gate")?;
        let first = self.literal(max, "an argument of a gate")?;
        let second = self.last(max, "an argument of a gate")?;
        Ok(Gate { output, inputs: [first, second] })
    }

    /// A gate of the binary format: the differences of the literals in descending order.
    fn delta_gate(&mut self, output: u32) -> Result<Gate, ReadError> {
        let at = self.at;
        let mut less = |from: u32| -> Result<u32, ReadError> {
            let delta = self.delta()?;
            match from.checked_sub(delta) {
                Some(code) => Ok(code),
                None => self.error_at(at, format!("gate {output}: the difference {delta} is beyond {from}")),
            }
        };
        let first = less(output)?;
        let second = less(first)?;
        if first == output {
            return self.error_at(at, format!("gate {output} depends on itself"));
        }
        Ok(Gate { output, inputs: [first, second] })
    }

    /// A number in groups of seven bits, the lowest first.
    fn delta(&mut self) -> Result<u32, ReadError> {
        let (start, mut value) = (self.at, 0u64);
        for shift in (0..35).step_by(7) {
            let Some(&byte) = self.bytes.get(self.at) else {
                return self.error("the file ends inside of the gates");
            };
            self.at += 1;
            if byte == b'\n' {
                self.line += 1;
                self.start = self.at;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                if let Ok(value) = u32::try_from(value) {
                    return Ok(value);
                }
                break;
            }
        }
        self.error(format!("the number at byte {start} is too large"))
    }

    /// The symbol table, up to the comment or the end.
    fn symbols(&mut self, file: &mut File) -> Result<(), ReadError> {
        file.input_names = vec![None; file.inputs.len()];
        file.latch_names = vec![None; file.latches.len()];
        let others = [file.outputs.len(), file.bads.len(), file.constraints.len()];
        let mut others = others.map(|n| vec![None; n]);
        let [outputs, bads, constraints] = &mut others;
        while let Some(&kind) = self.bytes.get(self.at) {
            let begin = self.at;
            self.at += 1;
            if kind == b'c' && self.is_line_over() {
                return Ok(()); // the rest is a comment
            }
            let (names, what) = match kind {
                b'i' => (&mut file.input_names, "inputs"),
                b'l' => (&mut file.latch_names, "latches"),
                b'o' => (&mut *outputs, "outputs"),
                b'b' => (&mut *bads, "bad states"),
                b'c' => (&mut *constraints, "constraints"),
                _ => {
                    self.at = begin;
                    return self.expected("a symbol (`i`, `l`, `o`, `b`, `c` and a number) or the comment");
                }
            };
            if !self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                return self.expected("the number of what is named");
            }
            let number = self.number("the number of what is named")?;
            if self.bytes.get(self.at) != Some(&b' ') {
                return self.expected("a blank and a name");
            }
            let name = self.name();
            match names.get_mut(number) {
                Some(place @ None) => *place = Some(name),
                Some(Some(_)) => {
                    let twice = format!("`{}{number}` is named twice", char::from(kind));
                    return self.error_at(begin, twice);
                }
                None => {
                    let (count, kind) = (names.len(), char::from(kind));
                    let beyond = format!("`{kind}{number}` is beyond the header's {count} {what}");
                    return self.error_at(begin, beyond);
                }
            }
            self.end_line()?;
        }
        Ok(())
    }

    /// The rest of the line after a blank.
    fn name(&mut self) -> String {
        let rest = &self.bytes[self.at + 1..];
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += 1 + end;
        let name = &rest[..end];
        let returns = name.iter().rev().take_while(|&&b| b == b'\r').count();
        String::from_utf8_lossy(&name[..end - returns]).into_owned()
    }
}
