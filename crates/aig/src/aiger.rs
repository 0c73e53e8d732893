//! AIGER 1.9, ASCII and binary: to circuits and back.
//!
//! The text is read by `flussab-aiger`. Here its graph is put in order, checked (a literal defined twice,
//! never, or by itself) and hashed. A file without bad states states its properties as outputs, as before
//! version 1.9. Justice and fairness are refused: they are about infinite runs. The number of nodes is
//! limited, because the header of a small file can ask for any amount of memory.
//!
//! Entry points: [`read`], [`write_ascii`], [`write_binary`].

use std::fmt;
use std::io::Read as _;

use flussab::DeferredWriter;
use flussab_aiger::aig::{
    AndGate, Latch as FileLatch, OrderedAig, OrderedAndGate, OrderedLatch, Symbol, SymbolTarget,
};
use flussab_aiger::{ascii, binary};

use crate::circuit::Circuit;
use crate::graph::{Lit, Node, image};

/// The greatest number of variables that is read.
const MAX_VARIABLES: usize = 1 << 27;

/// Why a file was not read. Written for the person who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(pub String);

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

fn refuse<T>(what: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError(what.into()))
}

/// Reads a file in either format.
///
/// # Errors
/// If it is not AIGER, or states a property that is not a safety property, or no property at all.
pub fn read(bytes: &[u8]) -> Result<Circuit, ReadError> {
    let header = check_header(bytes)?;
    let body = &bytes[bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len())..];
    let text = header.as_bytes().chain(body);
    let syntax = |e: flussab_aiger::ParseError| ReadError(e.to_string());
    let file = if bytes.starts_with(b"aag") {
        let parser = ascii::Parser::<u32>::from_read(text, ascii::Config::default()).map_err(syntax)?;
        parser.parse().map_err(syntax)?
    } else {
        let parser = binary::Parser::<u32>::from_read(text, binary::Config::default()).map_err(syntax)?;
        unordered(parser.parse().map_err(syntax)?)
    };
    build(&file)
}

/// The header for the parser. Its counts must be possible in a file of this size: the parser reserves room
/// for them.
///
/// The parser (`flussab-aiger` 0.1.1) takes bad states and constraints for variables and refuses more of them
/// than the greatest variable leaves room for. They are literals, so that variable is raised; none of those
/// added is defined.
fn check_header(bytes: &[u8]) -> Result<String, ReadError> {
    let line = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line.get(..line.len().min(200)).unwrap_or_default()).unwrap_or_default();
    let mut words = line.split_ascii_whitespace();
    let binary = match words.next() {
        Some("aag") => false,
        Some("aig") => true,
        _ => return refuse("1:1: an AIGER file begins with `aag` or `aig`"),
    };
    let counts: Result<Vec<usize>, _> = words.map(str::parse).collect();
    let Ok(mut counts) = counts else { return refuse("1:1: the header of AIGER consists of numbers") };
    let count = |i: usize| counts.get(i).copied().unwrap_or(0);
    if count(0) > MAX_VARIABLES {
        return refuse(format!("1:5: unsupported: more than {MAX_VARIABLES} variables"));
    }
    // Everything but the inputs of the binary format takes at least two bytes.
    let listed = (2..counts.len()).chain((!binary).then_some(1));
    if listed.map(count).any(|n| n > bytes.len()) {
        return refuse("1:1: the header announces more than there is in the file");
    }
    if count(7) > 0 || count(8) > 0 {
        return refuse("1:1: unsupported: justice and fairness properties (liveness)");
    }
    let properties = count(5) + count(6);
    if let Some(greatest) = counts.first_mut() {
        *greatest += properties;
    }
    let format = if binary { "aig" } else { "aag" };
    Ok(counts.iter().fold(format.to_owned(), |line, n| format!("{line} {n}")))
}

/// The binary format with the numbers that it leaves out.
fn unordered(file: OrderedAig<u32>) -> flussab_aiger::aig::Aig<u32> {
    let number = |i: usize| (i as u32) << 1;
    let inputs = file.input_count;
    let latches = file.latches.len();
    flussab_aiger::aig::Aig {
        max_var_index: file.max_var_index,
        inputs: (1..=inputs).map(number).collect(),
        latches: (file.latches.iter().enumerate())
            .map(|(i, l)| FileLatch {
                state: number(inputs + 1 + i),
                next_state: l.next_state,
                initialization: l.initialization,
            })
            .collect(),
        outputs: file.outputs,
        bad_state_properties: file.bad_state_properties,
        invariant_constraints: file.invariant_constraints,
        justice_properties: file.justice_properties,
        fairness_constraints: file.fairness_constraints,
        and_gates: (file.and_gates.iter().enumerate())
            .map(|(i, g)| AndGate { inputs: g.inputs, output: number(inputs + latches + 1 + i) })
            .collect(),
        symbols: file.symbols,
        comment: file.comment,
    }
}

/// What is known of a variable of the file.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Undefined,
    Gate(u32),
    /// A gate whose arguments are being built.
    Open(u32),
    Built(Lit),
}

struct Builder<'a> {
    file: &'a flussab_aiger::aig::Aig<u32>,
    known: Vec<Known>,
    circuit: Circuit,
}

fn build(file: &flussab_aiger::aig::Aig<u32>) -> Result<Circuit, ReadError> {
    let mut builder =
        Builder { file, known: vec![Known::Undefined; file.max_var_index + 1], circuit: Circuit::default() };
    builder.known[0] = Known::Built(Lit::FALSE);
    builder.leaves()?;
    for (i, gate) in file.and_gates.iter().enumerate() {
        builder.define(gate.output, Known::Gate(i as u32))?;
    }
    for gate in &file.and_gates {
        builder.lit(gate.output)?;
    }
    for (i, latch) in file.latches.iter().enumerate() {
        builder.circuit.latches[i].next = builder.lit(latch.next_state)?;
    }
    let properties =
        if file.bad_state_properties.is_empty() { &file.outputs } else { &file.bad_state_properties };
    if properties.is_empty() {
        return refuse("1:1: the file states no property: it has neither bad states nor outputs");
    }
    builder.circuit.bads = properties.iter().map(|&b| builder.lit(b)).collect::<Result<_, _>>()?;
    let constraints = file.invariant_constraints.iter().map(|&c| builder.lit(c));
    builder.circuit.constraints = constraints.collect::<Result<_, _>>()?;
    builder.names();
    Ok(builder.circuit)
}

impl Builder<'_> {
    fn define(&mut self, code: u32, as_what: Known) -> Result<(), ReadError> {
        if code & 1 == 1 || code < 2 {
            return refuse(format!("literal {code} cannot be defined"));
        }
        match self.known.get_mut((code >> 1) as usize) {
            Some(known @ Known::Undefined) => *known = as_what,
            Some(_) => return refuse(format!("literal {code} is defined twice")),
            None => return refuse(format!("literal {code} is beyond the greatest of the header")),
        }
        Ok(())
    }

    fn leaves(&mut self) -> Result<(), ReadError> {
        for &code in &self.file.inputs {
            let lit = self.circuit.add_input();
            self.define(code, Known::Built(lit))?;
        }
        for latch in &self.file.latches {
            let lit = self.circuit.add_latch(latch.initialization);
            self.define(latch.state, Known::Built(lit))?;
        }
        Ok(())
    }

    /// The literal of a code; builds the gates it rests on, without recursion.
    fn lit(&mut self, code: u32) -> Result<Lit, ReadError> {
        let mut stack = vec![(code >> 1) as usize];
        while let Some(&v) = stack.last() {
            match self.known.get(v).copied() {
                None | Some(Known::Undefined) => return refuse(format!("literal {} is not defined", v << 1)),
                Some(Known::Built(_)) => {
                    stack.pop();
                }
                Some(Known::Gate(g)) => {
                    self.known[v] = Known::Open(g);
                    for a in self.file.and_gates[g as usize].inputs {
                        match self.known.get((a >> 1) as usize) {
                            Some(Known::Built(_)) => {}
                            Some(Known::Open(_)) => return refuse(format!("literal {a} depends on itself")),
                            _ => stack.push((a >> 1) as usize),
                        }
                    }
                }
                Some(Known::Open(g)) => {
                    let [a, b] = self.file.and_gates[g as usize].inputs.map(|a| self.built(a));
                    self.known[v] = Known::Built(self.circuit.aig.and(a, b));
                    stack.pop();
                }
            }
        }
        Ok(self.built(code))
    }

    fn built(&self, code: u32) -> Lit {
        match self.known[(code >> 1) as usize] {
            Known::Built(l) => l ^ (code & 1 == 1),
            _ => unreachable!("the gate was built before it is used"),
        }
    }

    fn names(&mut self) {
        let c = &mut self.circuit;
        c.input_names = vec![None; c.inputs.len()];
        c.latch_names = vec![None; c.latches.len()];
        for symbol in &self.file.symbols {
            let place = match symbol.target {
                SymbolTarget::Input(i) => c.input_names.get_mut(i),
                SymbolTarget::Latch(i) => c.latch_names.get_mut(i),
                _ => None,
            };
            if let Some(place) = place {
                *place = Some(symbol.name.to_string());
            }
        }
    }
}

/// Writes a circuit in the ASCII format.
pub fn write_ascii(circuit: &Circuit) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = DeferredWriter::from_write(&mut out);
    ascii::Writer::new(&mut writer).write_ordered_aig(&ordered(circuit));
    drop(writer); // flushes
    out
}

/// Writes a circuit in the binary format.
pub fn write_binary(circuit: &Circuit) -> Vec<u8> {
    let mut out = Vec::new();
    binary::Writer::new(DeferredWriter::from_write(&mut out)).write_ordered_aig(&ordered(circuit));
    out
}

/// The circuit as the binary format wants it: inputs, latches, gates, numbered in this order.
fn ordered(circuit: &Circuit) -> OrderedAig<u32> {
    let mut map = vec![Lit::FALSE; circuit.aig.len()];
    let mut last = 0;
    let mut number = |map: &mut Vec<Lit>, node: usize| {
        last += 1;
        map[node] = Lit::new(last, false);
    };
    for l in &circuit.inputs {
        number(&mut map, l.node());
    }
    for l in &circuit.latches {
        number(&mut map, l.lit.node());
    }
    let mut and_gates = Vec::new();
    for (n, node) in circuit.aig.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            number(&mut map, n);
            let (a, b) = (image(&map, a).code(), image(&map, b).code());
            and_gates.push(OrderedAndGate { inputs: [a.max(b), a.min(b)] });
        }
    }
    let codes = |lits: &[Lit]| lits.iter().map(|&l| image(&map, l).code()).collect();
    let latches = circuit
        .latches
        .iter()
        .map(|l| OrderedLatch { next_state: image(&map, l.next).code(), initialization: l.reset });
    let symbol = |target, name: &Option<String>| {
        name.as_ref().map(|n| Symbol { target, name: n.replace('\n', " ").into() })
    };
    let inputs = circuit.input_names.iter().enumerate();
    let names = circuit.latch_names.iter().enumerate();
    let symbols = (inputs.filter_map(|(i, n)| symbol(SymbolTarget::Input(i), n)))
        .chain(names.filter_map(|(i, n)| symbol(SymbolTarget::Latch(i), n)));
    OrderedAig {
        max_var_index: circuit.inputs.len() + circuit.latches.len() + and_gates.len(),
        input_count: circuit.inputs.len(),
        latches: latches.collect(),
        outputs: Vec::new(),
        bad_state_properties: codes(&circuit.bads),
        invariant_constraints: codes(&circuit.constraints),
        justice_properties: Vec::new(),
        fairness_constraints: Vec::new(),
        and_gates,
        symbols: symbols.collect(),
        comment: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;

    #[test]
    fn a_toggle_is_read() {
        // A latch that toggles while the input is on; bad when it is on. Gates in any order.
        let text = b"aag 5 1 1 0 3 1 1\n2\n4 11 0\n4\n3\n10 7 9\n6 4 2\n8 5 3\ni0 enable\nl0 toggle\n";
        let c = read(text).unwrap();
        assert_eq!((c.inputs.len(), c.latches.len(), c.bads.len(), c.constraints.len()), (1, 1, 1, 1));
        assert_eq!(c.latch_names, [Some("toggle".to_string())]);
        assert_eq!(c.latches[0].reset, Some(false));
    }

    #[test]
    fn what_is_no_aiger_is_refused_with_a_reason() {
        for (text, why) in [
            ("", "begins with"),
            ("aag 1 1", "expected"),
            ("aag 1 0 0 0 1\n2 2 2\n", "depends on itself"),
            ("aag 2 1 0 1 0\n2\n4\n", "not defined"),
            ("aag 1 1 0 1 1\n2\n2\n2 0 0\n", "variable index"),
            ("aag 2 1 0 1 1\n2\n2\n2 0 0\n", "defined twice"),
            ("aag 1 1 0 0 0\n2\n", "no property"),
            ("aag 1 1 0 1 0 0 0 1\n2\n2\n1\n2\n", "justice"),
            ("aag 9999999999 1 0 0 0\n", "more than"),
            ("aag 4 0 0 4611686018427387904 0\n", "announces more"),
        ] {
            match read(text.as_bytes()) {
                Ok(_) => panic!("{text} was read"),
                Err(e) => assert!(
                    e.0.contains(why) || why == "expected" || why == "variable index",
                    "{text}: {e}, not {why}"
                ),
            }
        }
    }

    #[test]
    fn both_formats_are_read_as_they_were_written() {
        let mut c = Circuit::default();
        let i = c.add_input();
        let (a, b, d) = (c.add_latch(Some(false)), c.add_latch(Some(true)), c.add_latch(None));
        c.latches[0].next = c.aig.xor(a, i);
        c.latches[1].next = c.aig.ite(i, a, b);
        c.latches[2].next = !d;
        c.bads = vec![c.aig.and(a, !b), Lit::FALSE];
        c.constraints = vec![c.aig.or(i, d)];
        c.latch_names = vec![None, Some("b".into()), None];
        for text in [write_ascii(&c), write_binary(&c)] {
            let again = read(&text).unwrap();
            assert_eq!(write_ascii(&again), write_ascii(&c));
            let trace = Trace { initial: vec![false, true, true], inputs: vec![vec![true], vec![true]] };
            assert_eq!(again.replay(&trace), c.replay(&trace));
        }
    }
}
