//! Witnesses in the format of AIGER 1.9, as `aigsim` reads them.
//!
//! `1`, then the property (`b0` for the first bad state), the first state, one line of inputs for each step,
//! and a dot. A state or input that may be either is `x`.

use crate::circuit::{Circuit, Trace};

fn line(bits: &[bool]) -> String {
    bits.iter().map(|&b| if b { '1' } else { '0' }).chain(['\n']).collect()
}

/// Writes a witness for a bad state. The caller has replayed the run.
pub fn write_witness(trace: &Trace, bad: usize) -> String {
    let mut out = format!("1\nb{bad}\n{}", line(&trace.initial));
    for inputs in &trace.inputs {
        out.push_str(&line(inputs));
    }
    out.push_str(".\n");
    out
}

/// Reads a witness: the run and the number of the bad state that it claims.
///
/// # Errors
/// Says which line is not understood.
pub fn read_witness(circuit: &Circuit, text: &str) -> Result<(Trace, usize), String> {
    let mut lines = text.lines().enumerate().filter(|(_, l)| !l.starts_with('c'));
    let mut next = |what: &str| lines.next().ok_or_else(|| format!("the witness ends before {what}"));
    let (at, status) = next("the status")?;
    if status != "1" {
        return Err(format!("line {}: the status is `{status}`; only violations have a run", at + 1));
    }
    let (at, property) = next("the property")?;
    let bad = property.strip_prefix('b').and_then(|n| n.parse().ok());
    let bad: usize = bad.ok_or_else(|| format!("line {}: `{property}` is no bad state property", at + 1))?;
    let bits = |at: usize, text: &str, wanted: usize| {
        let bit = |c| match c {
            '0' | 'x' => Some(false),
            '1' => Some(true),
            _ => None,
        };
        let bits: Option<Vec<bool>> = text.chars().map(bit).collect();
        bits.filter(|b| b.len() == wanted).ok_or_else(|| format!("line {}: {wanted} bits are needed", at + 1))
    };
    let (at, state) = next("the first state")?;
    let mut initial = bits(at, state, circuit.latches.len())?;
    for (value, (latch, c)) in initial.iter_mut().zip(circuit.latches.iter().zip(state.chars())) {
        if c == 'x' {
            *value = latch.reset.unwrap_or(false);
        }
    }
    let mut trace = Trace { initial, inputs: Vec::new() };
    loop {
        let (at, inputs) = next("the final dot")?;
        if inputs == "." {
            return Ok((trace, bad));
        }
        trace.inputs.push(bits(at, inputs, circuit.inputs.len())?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_is_read_as_it_was_written() {
        let mut c = Circuit::default();
        let i = c.add_input();
        let l = c.add_latch(Some(false));
        c.add_latch(None);
        c.latches[0].next = i;
        c.bads = vec![l];
        let trace = Trace { initial: vec![false, true], inputs: vec![vec![true], vec![false]] };
        assert_eq!(c.replay(&trace), Ok(0));
        let text = write_witness(&trace, 0);
        assert_eq!(text, "1\nb0\n01\n1\n0\n.\n");
        assert_eq!(read_witness(&c, &text), Ok((trace, 0)));
        assert!(read_witness(&c, "1\nb0\n01\n1\n").is_err_and(|e| e.contains("final dot")));
        assert!(read_witness(&c, "1\nb0\n0\n1\n.").is_err_and(|e| e.contains("line 3")));
        assert!(read_witness(&c, "0\n").is_err());
    }
}
