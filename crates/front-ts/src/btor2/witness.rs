//! Witnesses as `btorsim` reads them.
//!
//! `sat`, the property, the values of states without initial value after `#0`, then for each step `@k` the
//! values of its inputs, and a dot. Values are binary.

use palisade_program::Run;
use palisade_term::Value;

use super::Btor2Map;

/// Writes the witness of a run into the error location. `None` if the run is not of that shape, or has
/// arrays.
pub fn write_btor2_witness(map: &Btor2Map, run: &Run) -> Option<String> {
    let (entry, steps) = run.steps.split_first()?;
    let bad = steps.last()?.edge.0.checked_sub(2)?;
    let mut out = format!("sat\nb{bad}\n#0\n");
    let mut free = entry.inputs.iter();
    for (i, (symbol, initial)) in map.states.iter().enumerate() {
        if !initial {
            let name = symbol.as_ref().map_or(String::new(), |s| format!(" {s}#0"));
            out.push_str(&format!("{i} {}{name}\n", binary(free.next()?)?));
        }
    }
    for (k, step) in steps.iter().enumerate() {
        out.push_str(&format!("@{k}\n"));
        for (i, (symbol, value)) in map.inputs.iter().zip(&step.inputs).enumerate() {
            let name = symbol.as_ref().map_or(String::new(), |s| format!(" {s}@{k}"));
            out.push_str(&format!("{i} {}{name}\n", binary(value)?));
        }
    }
    out.push_str(".\n");
    Some(out)
}

fn binary(value: &Value) -> Option<String> {
    match value {
        Value::Bool(b) => Some(u8::from(*b).to_string()),
        Value::BitVec(w, n) => Some(format!("{:0>width$}", n.to_str_radix(2), width = *w as usize)),
        _ => None,
    }
}
