//! AIGER 1.9, ASCII and binary: to circuits and back.
//!
//! `text` reads the lists of a file. Here its graph is put in order, checked (a literal defined twice, never,
//! or by itself) and hashed. A file without bad states states its properties as outputs, as before version
//! 1.9. Justice and fairness are refused: they are about infinite runs. The number of nodes is limited,
//! because the header of a small file can ask for any amount of memory. Files are written by `flussab-aiger`.
//!
//! Entry points: [`read`], [`write_ascii`], [`write_binary`].

mod text;

use std::fmt;

use flussab::DeferredWriter;
use flussab_aiger::aig::{OrderedAig, OrderedAndGate, OrderedLatch, Symbol, SymbolTarget};
use flussab_aiger::{ascii, binary};

use crate::circuit::Circuit;
use crate::graph::{Lit, Node, image};
use text::{File, Part};

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

fn refuse<T>(line: usize, what: impl fmt::Display) -> Result<T, ReadError> {
    Err(ReadError(format!("{line}:1: {what}")))
}

/// Reads a file in either format.
///
/// # Errors
/// If it is not AIGER, or states a property that is not a safety property, or no property at all. The message
/// begins with the line and the column.
pub fn read(bytes: &[u8]) -> Result<Circuit, ReadError> {
    build(&text::parse(bytes)?)
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
    file: &'a File,
    known: Vec<Known>,
    circuit: Circuit,
}

fn build(file: &File) -> Result<Circuit, ReadError> {
    let mut builder =
        Builder { file, known: vec![Known::Undefined; file.max + 1], circuit: Circuit::default() };
    builder.known[0] = Known::Built(Lit::FALSE);
    builder.leaves()?;
    for (i, gate) in file.gates.iter().enumerate() {
        builder.define(gate.output, Known::Gate(i as u32), file.line(Part::Gates, i))?;
    }
    for (i, gate) in file.gates.iter().enumerate() {
        builder.lit(gate.output, file.line(Part::Gates, i))?;
    }
    for (i, latch) in file.latches.iter().enumerate() {
        builder.circuit.latches[i].next = builder.lit(latch.next, file.line(Part::Latches, i))?;
    }
    let outputs = builder.lits(&file.outputs, Part::Outputs)?;
    let bads = builder.lits(&file.bads, Part::Bads)?;
    builder.circuit.bads = if bads.is_empty() { outputs } else { bads };
    if builder.circuit.bads.is_empty() {
        return refuse(1, "the file states no property: it has neither bad states nor outputs");
    }
    builder.circuit.constraints = builder.lits(&file.constraints, Part::Constraints)?;
    builder.circuit.input_names.clone_from(&file.input_names);
    builder.circuit.latch_names.clone_from(&file.latch_names);
    Ok(builder.circuit)
}

impl Builder<'_> {
    fn define(&mut self, code: u32, as_what: Known, line: usize) -> Result<(), ReadError> {
        if code & 1 == 1 || code < 2 {
            return refuse(line, format!("literal {code} cannot be defined"));
        }
        match &mut self.known[(code >> 1) as usize] {
            known @ Known::Undefined => *known = as_what,
            _ => return refuse(line, format!("literal {code} is defined twice")),
        }
        Ok(())
    }

    fn leaves(&mut self) -> Result<(), ReadError> {
        for (i, &code) in self.file.inputs.iter().enumerate() {
            let lit = self.circuit.add_input();
            self.define(code, Known::Built(lit), self.file.line(Part::Inputs, i))?;
        }
        for (i, latch) in self.file.latches.iter().enumerate() {
            let lit = self.circuit.add_latch(latch.reset);
            self.define(latch.state, Known::Built(lit), self.file.line(Part::Latches, i))?;
        }
        Ok(())
    }

    /// The literals of one of the file's lists.
    fn lits(&mut self, codes: &[u32], part: Part) -> Result<Vec<Lit>, ReadError> {
        codes.iter().enumerate().map(|(i, &code)| self.lit(code, self.file.line(part, i))).collect()
    }

    /// The literal of a code that stands in a line; builds the gates it rests on, without recursion.
    fn lit(&mut self, code: u32, line: usize) -> Result<Lit, ReadError> {
        let undefined = |line, v: usize| refuse(line, format!("literal {} is not defined", v << 1));
        let mut stack = vec![(code >> 1) as usize];
        while let Some(&v) = stack.last() {
            match self.known[v] {
                Known::Undefined => return undefined(line, v),
                Known::Built(_) => {
                    stack.pop();
                }
                Known::Gate(g) => {
                    self.known[v] = Known::Open(g);
                    let line = self.file.line(Part::Gates, g as usize);
                    for a in self.file.gates[g as usize].inputs {
                        let argument = (a >> 1) as usize;
                        match self.known[argument] {
                            Known::Built(_) => {}
                            Known::Open(_) => return refuse(line, format!("literal {a} depends on itself")),
                            Known::Undefined => return undefined(line, argument),
                            Known::Gate(_) => stack.push(argument),
                        }
                    }
                }
                Known::Open(g) => {
                    let [a, b] = self.file.gates[g as usize].inputs.map(|a| self.built(a));
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
        name.as_ref().map(|n| Symbol { target, name: n.replace(['\n', '\r'], " ").into() })
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
            ("", "1:1: an AIGER file begins with"),
            ("aag 1 1", "1:8: expected the number of latches, found the end of the file"),
            ("aag 1 1 0 x 0\n", "1:11: expected the number of outputs, found `x`"),
            ("aag 1 0 0 0 1\n2 2 2\n", "2:1: literal 2 depends on itself"),
            ("aag 2 1 0 1 0\n2\n4\n", "3:1: literal 4 is not defined"),
            ("aag 3 1 0 1 1\n2\n6\n6 4 2\n", "4:1: literal 4 is not defined"),
            ("aag 1 1 0 1 0\n2\n8\n", "3:1: literal 8 is beyond 3"),
            ("aag 2 1 1 1 0\n2\n4 2 2\n4\n", "3:5: the reset 2 is none of 0, 1 and 4"),
            ("aag 1 1 0 1 1\n2\n2\n2 0 0\n", "1:5: the greatest variable must be at least"),
            ("aig 3 1 0 1 1\n2\n\x02\x01", "1:5: the greatest variable must be"),
            ("aig 2 1 0 1 1\n4\n\x02", "3:2: the file ends inside of the gates"),
            ("aig 2 1 0 1 1\n4\n\x05\x00", "3:1: gate 4: the difference 5"),
            ("aig 2 1 0 1 1\r\n4\r\n\x02\x00", "1:14: expected the end of the line, found the byte 13"),
            ("aag 2 1 0 1 1\n2\n2\n2 0 0\n", "4:1: literal 2 is defined twice"),
            ("aag 1 1 0 0 0\n2\n", "1:1: the file states no property"),
            ("aag 1 1 0 1 0 0 0 1\n2\n2\n1\n2\n", "1:19: unsupported: justice"),
            ("aag 9999999999 1 0 0 0\n", "1:5: unsupported: more than"),
            ("aag 4 0 0 4611686018427387904 0\n", "2:1: expected an output"),
            ("aag 1 1 0 1 0\n2\n2\ni1 x\n", "4:1: `i1` is beyond the header's 1 inputs"),
            ("aag 1 1 0 1 0\n2\n2\no0 x\no0 y\n", "5:1: `o0` is named twice"),
            ("aag 1 1 0 1 0\n2\n2\nj0 x\n", "4:1: expected a symbol"),
            ("aag 1 1 0 1 0\n2\n2\ni0\n", "4:3: expected a blank and a name"),
            ("aag 1 1 0 1 0\n2\n2\nc text\n", "4:2: expected the number of what is named, found"),
        ] {
            match read(text.as_bytes()) {
                Ok(_) => panic!("{text} was read"),
                Err(e) => assert!(e.0.starts_with(why), "{text}: {e}, not {why}"),
            }
        }
    }

    #[test]
    fn symbols_are_compared_with_the_counts_of_their_kind() {
        // More named bad states and constraints than latches, and no latch at all.
        let none = b"aag 1 1 0 0 0 2 1\n2\n2\n3\n1\nb0 on\nb1 off\nc0 always\nc\nb7 a comment\n";
        assert_eq!(read(none).unwrap().bads.len(), 2);
        let more = b"aag 2 1 1 1 0 3 2\n2\n4 2\n4\n0\n4\n2\n1\n1\ni0 in\nl0 a b\no0 x\nb2 y\nc1 z\n";
        let c = read(more).unwrap();
        assert_eq!((c.latches.len(), c.bads.len(), c.constraints.len()), (1, 3, 2));
        assert_eq!((&c.input_names[0], &c.latch_names[0]), (&Some("in".into()), &Some("a b".into())));
        let mut binary = b"aig 3 1 1 0 1 3\n2\n6\n4\n3\n".to_vec();
        binary.extend([2, 2]);
        binary.extend(b"b2 last\nl0 state\n");
        let c = read(&binary).unwrap();
        assert_eq!((c.bads.len(), &c.latch_names[0]), (3, &Some("state".into())));
    }

    #[test]
    fn lines_may_end_with_carriage_returns_in_the_ascii_format() {
        let text = "aag 2 1 1 0 0 1\n2\n4 2\n4\ni0 in\nc\nx\n";
        let (unix, dos) = (read(text.as_bytes()), read(text.replace('\n', "\r\n").as_bytes()));
        let (unix, dos) = (unix.unwrap(), dos.unwrap());
        assert_eq!(write_ascii(&dos), write_ascii(&unix));
        assert_eq!(dos.input_names, [Some("in".into())]);
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
