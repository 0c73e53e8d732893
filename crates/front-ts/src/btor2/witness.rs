//! Witnesses as `btorsim` reads them.
//!
//! `sat`, the property, then for each step the values of states after `#k` (for `#0` those without initial
//! value, later those without `next`) and of inputs after `@k`, and a dot. Values are binary. An element of
//! an array is stated as `[index] value`; what is not stated is 0.
//!
//! Entry points: [`write_btor2_witness`], [`read_btor2_witness`].

use palisade_program::{EdgeId, Program, Run, Step};
use palisade_term::{Integer, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

use super::Btor2Map;

/// All elements of an array are stated up to this width of its index.
const MAX_INDEX: u32 = 12;

/// Writes the witness of a run into the error location. `None` if the run is not of that shape, or has a
/// large array whose elements are not 0 almost everywhere.
pub fn write_btor2_witness(map: &Btor2Map, run: &Run) -> Option<String> {
    let (entry, steps) = run.steps.split_first()?;
    let bad = steps.last()?.edge.0.checked_sub(2)?;
    let mut out = format!("sat\nb{bad}\n#0\n");
    let mut free = entry.inputs.iter();
    for (i, state) in map.states.iter().enumerate().filter(|(_, s)| !s.initial) {
        assign(&mut out, i, free.next()?, state.symbol.as_deref(), &format!("#{}", 0))?;
    }
    for (k, step) in steps.iter().enumerate() {
        out.push_str(&format!("@{k}\n"));
        for (i, (symbol, value)) in map.inputs.iter().zip(&step.inputs).enumerate() {
            assign(&mut out, i, value, symbol.as_deref(), &format!("@{k}"))?;
        }
        let chosen = step.inputs.get(map.inputs.len()..).unwrap_or_default();
        if !chosen.is_empty() && k + 1 < steps.len() {
            out.push_str(&format!("#{}\n", k + 1));
            let states = map.states.iter().enumerate().filter(|(_, s)| !s.next);
            for ((i, state), value) in states.zip(chosen) {
                assign(&mut out, i, value, state.symbol.as_deref(), &format!("#{}", k + 1))?;
            }
        }
    }
    out.push_str(".\n");
    Some(out)
}

/// Writes the value of a state or input.
fn assign(out: &mut String, i: usize, value: &Value, symbol: Option<&str>, moment: &str) -> Option<()> {
    let name = symbol.map_or(String::new(), |s| format!(" {s}{moment}"));
    match value {
        Value::Array(array) => {
            let mut element = |index: &Value, element: &Value| {
                out.push_str(&format!("{i} [{}] {}{name}\n", binary(index)?, binary(element)?));
                Some(())
            };
            if array.default == Value::default_of(&array.default.sort()) {
                return array.entries.iter().try_for_each(|(k, v)| element(k, v));
            }
            let width = array.index_sort.width().filter(|w| *w <= MAX_INDEX)?;
            for k in 0..1u64 << width {
                let index = Value::BitVec(width, Integer::from(k));
                element(&index, array.get(&index))?;
            }
        }
        scalar => out.push_str(&format!("{i} {}{name}\n", binary(scalar)?)),
    }
    Some(())
}

fn binary(value: &Value) -> Option<String> {
    match value {
        Value::Bool(b) => Some(u8::from(*b).to_string()),
        Value::BitVec(w, n) => Some(format!("{:0>width$}", n.to_str_radix(2), width = *w as usize)),
        _ => None,
    }
}

/// The values that a section states, by number.
type Section = FxHashMap<usize, Value>;

/// Reads a witness as a run of the program. What it does not state is 0. The run is not executed yet.
///
/// # Errors
/// Says which line is not understood.
pub fn read_btor2_witness(
    pool: &TermPool,
    program: &Program,
    map: &Btor2Map,
    text: &str,
) -> Result<Run, String> {
    let (entry, step) = (&program.edges[0], &program.edges[1]);
    let vars = program.vars(entry.target);
    let inputs = step.inputs.get(..map.inputs.len()).unwrap_or_default();
    let mut lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
    let mut lines = lines.by_ref().filter(|(_, l)| !l.is_empty() && !l.starts_with(';'));
    let mut next = |what: &str| lines.next().ok_or_else(|| format!("the witness ends before {what}"));
    let (at, status) = next("the status")?;
    if status != "sat" {
        return Err(format!("line {at}: the status is `{status}`; only violations have a run"));
    }
    let (at, property) = next("the property")?;
    let bad = property.split_whitespace().next().and_then(|p| p.strip_prefix('b')?.parse::<u32>().ok());
    let bad = bad.filter(|&b| (b as usize) + 2 < program.edges.len());
    let bad = bad.ok_or_else(|| format!("line {at}: `{property}` is no property of the file"))?;
    // For each step: the states before it, and its inputs.
    let mut steps: Vec<(Section, Section)> = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    loop {
        let (at, line) = next("the final dot")?;
        if line == "." {
            break;
        }
        if let Some((is_state, moment)) =
            line.strip_prefix('#').map(|m| (true, m)).or_else(|| line.strip_prefix('@').map(|m| (false, m)))
        {
            let k = moment.trim().parse::<usize>().ok().filter(|k| *k <= steps.len());
            let k = k.ok_or_else(|| format!("line {at}: this moment does not come next"))?;
            if k == steps.len() {
                steps.push(Default::default());
            }
            open = Some((k, is_state));
            continue;
        }
        let (k, is_state) = open.ok_or_else(|| format!("line {at}: a moment is needed first"))?;
        let of = if is_state { vars } else { inputs };
        let settled = |s: usize| is_state && if k == 0 { map.states[s].initial } else { map.states[s].next };
        let section = if is_state { &mut steps[k].0 } else { &mut steps[k].1 };
        assignment(pool, of, line, section)
            .filter(|&i| !settled(i))
            .ok_or_else(|| format!("line {at}: `{line}` states no value that can be chosen"))?;
    }
    if steps.is_empty() {
        return Err("the witness has no step".into());
    }
    let value = |section: &Section, i: usize, t: Term| {
        section.get(&i).cloned().unwrap_or_else(|| Value::default_of(pool.sort(t)))
    };
    let chosen = |section: &Section, choice: &dyn Fn(usize) -> bool| -> Vec<Value> {
        let states = vars.iter().enumerate().filter(|(i, _)| choice(*i));
        states.map(|(i, &v)| value(section, i, v)).collect()
    };
    let first = chosen(&steps[0].0, &|i| !map.states[i].initial);
    let mut run = vec![Step { edge: EdgeId(0), inputs: first }];
    for (k, (_, given)) in steps.iter().enumerate() {
        let mut values: Vec<Value> = inputs.iter().enumerate().map(|(i, &t)| value(given, i, t)).collect();
        let edge = match steps.get(k + 1) {
            Some((states, _)) => {
                values.extend(chosen(states, &|i| !map.states[i].next));
                EdgeId(1)
            }
            None => EdgeId(2 + bad),
        };
        run.push(Step { edge, inputs: values });
    }
    Ok(Run { initial: Vec::new(), steps: run })
}

/// Reads `number value` or `number [index] value` into the section; the number.
fn assignment(pool: &TermPool, of: &[Term], line: &str, section: &mut Section) -> Option<usize> {
    let mut words = line.split_whitespace();
    let i: usize = words.next()?.parse().ok()?;
    let sort = pool.sort(*of.get(i)?);
    let word = words.next()?;
    let Some((index, element)) = sort.array_parts() else {
        section.insert(i, scalar(sort, word)?);
        return Some(i);
    };
    let index = scalar(index, word.strip_prefix('[')?.strip_suffix(']')?)?;
    let element_value = scalar(element, words.next()?)?;
    let Value::Array(array) = section.entry(i).or_insert_with(|| Value::default_of(sort)) else {
        return None;
    };
    array.set(index, element_value);
    Some(i)
}

/// A value in binary.
fn scalar(sort: &Sort, word: &str) -> Option<Value> {
    let bits = word.bytes().all(|b| b == b'0' || b == b'1') && !word.is_empty();
    match sort {
        Sort::Bool if bits && word.len() == 1 => Some(Value::Bool(word == "1")),
        Sort::BitVec(w) if bits && word.len() == *w as usize => {
            Some(Value::BitVec(*w, Integer::parse_bytes(word.as_bytes(), 2)?))
        }
        _ => None,
    }
}
