//! BTOR2: word-level transition systems (Niemetz, Preiner, Wolf, Biere: BTOR2, BtorMC and Boolector 3.0,
//! 2018).
//!
//! Each line defines a node: a sort, a constant, an input, a state, an operator, or a property. The program
//! has one location, `loop`, whose variables are the states: the entry edge gives them their initial values
//! (an input where there is none), the loop edge takes a step, and one edge for each `bad` leads into the
//! error location. Constraints are part of every guard but the entry's. A state without `next` gets an
//! arbitrary value in every step.
//!
//! Vectors of width 1 are Booleans, except inside arrays. Division by zero and the like mean what they mean
//! in SMT-LIB, as in the paper.
//!
//! `fair` and `justice` are refused: they are about infinite runs. So is an initial value that depends on an
//! input.
//!
//! Entry points: [`read_btor2`], [`write_btor2_witness`], [`read_btor2_witness`].

mod ops;
mod witness;

use std::sync::Arc;

use palisade_program::{Edge, Loc, Location, Origin, Position, Program, Property};
use palisade_smtlib::{Error, Pos};
use palisade_term::{Integer, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ReadError;
pub use witness::{read_btor2_witness, write_btor2_witness};

/// Wider vectors are refused: nothing sensible can be done with them.
const MAX_WIDTH: u32 = 1 << 16;

/// A BTOR2 file as a program.
#[derive(Clone, Debug)]
pub struct Btor2 {
    /// The program.
    pub program: Program,
    /// The way back to the file.
    pub map: Btor2Map,
}

/// What is needed to state a result in the words of the file.
#[derive(Clone, Debug, Default)]
pub struct Btor2Map {
    /// The location whose variables are the states, in the order of the file.
    pub location: Option<Loc>,
    /// The states, in the same order.
    pub states: Vec<Btor2State>,
    /// The symbols of the inputs of the loop edge, in its order; the states without `next` follow and are not
    /// listed.
    pub inputs: Vec<Option<String>>,
}

/// A state of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Btor2State {
    /// Its symbol, if it has one.
    pub symbol: Option<String>,
    /// Does it have an initial value?
    pub initial: bool,
    /// Does it have a next value?
    pub next: bool,
}

/// Reads a BTOR2 file. `file` is how positions name it.
pub fn read_btor2(pool: &TermPool, file: &str, text: &str) -> Result<Btor2, ReadError> {
    let read = || {
        let mut reader = Reader::new(pool);
        for (number, line) in text.lines().enumerate() {
            reader.line(line, u32::try_from(number + 1).unwrap_or(u32::MAX))?;
        }
        reader.build(file)
    };
    let btor2 = read().map_err(|e| ReadError::new(file, text, e))?;
    debug_assert_eq!(btor2.program.check(pool), Ok(()));
    Ok(btor2)
}

/// The words of a line, with their places.
pub(crate) struct Words<'t> {
    words: Vec<(u32, &'t str)>,
    next: usize,
    line: u32,
}

impl<'t> Words<'t> {
    fn new(line: &'t str, number: u32) -> Words<'t> {
        let code = line.split(';').next().unwrap_or("");
        let mut words = Vec::new();
        let mut column = 1;
        for word in code.split([' ', '\t', '\r']) {
            if !word.is_empty() {
                words.push((column, word));
            }
            column += word.chars().count() as u32 + 1;
        }
        Words { words, next: 0, line: number }
    }

    /// Where the next word is, or would be.
    pub(crate) fn pos(&self) -> Pos {
        let last = || self.words.last().map_or(1, |(c, w)| c + w.chars().count() as u32);
        Pos { line: self.line, column: self.words.get(self.next).map_or_else(last, |(c, _)| *c) }
    }

    pub(crate) fn optional(&mut self) -> Option<&'t str> {
        let word = self.words.get(self.next).map(|(_, w)| *w);
        self.next += 1;
        word
    }

    pub(crate) fn word(&mut self, what: &str) -> Result<&'t str, Error> {
        let pos = self.pos();
        self.optional().ok_or_else(|| Error::malformed(pos, format!("{what} is missing")))
    }

    pub(crate) fn number<N: std::str::FromStr>(&mut self, what: &str) -> Result<N, Error> {
        let pos = self.pos();
        let word = self.word(what)?;
        word.parse().map_err(|_| Error::malformed(pos, format!("`{word}` is no number ({what})")))
    }
}

/// A state.
struct State {
    var: Term,
    symbol: Option<String>,
    init: Option<Term>,
    next: Option<Term>,
}

struct Reader<'p> {
    pool: &'p TermPool,
    sorts: FxHashMap<u64, Sort>,
    nodes: FxHashMap<u64, Term>,
    states: Vec<State>,
    /// The position of a state variable in `states`.
    state_of: FxHashMap<Term, usize>,
    inputs: Vec<(Term, Option<String>)>,
    /// Where states and inputs stand.
    declared: Vec<(Term, Pos)>,
    bads: Vec<(Term, Pos)>,
    constraints: Vec<Term>,
    names: FxHashSet<String>,
    last: u64,
}

impl<'p> Reader<'p> {
    fn new(pool: &'p TermPool) -> Self {
        Reader {
            pool,
            sorts: FxHashMap::default(),
            nodes: FxHashMap::default(),
            states: Vec::new(),
            state_of: FxHashMap::default(),
            inputs: Vec::new(),
            declared: Vec::new(),
            bads: Vec::new(),
            constraints: Vec::new(),
            names: FxHashSet::default(),
            last: 0,
        }
    }

    fn line(&mut self, line: &str, number: u32) -> Result<(), Error> {
        let mut words = Words::new(line, number);
        if words.words.is_empty() {
            return Ok(());
        }
        let pos = words.pos();
        let id: u64 = words.number("the number of the node")?;
        if id <= self.last {
            return Err(Error::malformed(pos, format!("node {id} comes after node {}", self.last)));
        }
        self.last = id;
        let pos = words.pos();
        match words.word("an operator")? {
            "sort" => self.sort(id, &mut words),
            "input" => self.input(id, &mut words),
            "state" => self.state(id, &mut words),
            "init" => self.init(&mut words),
            "next" => self.next(&mut words),
            "bad" => {
                let t = self.condition(&mut words)?;
                self.bads.push((t, pos));
                Ok(())
            }
            "constraint" => {
                let t = self.condition(&mut words)?;
                self.constraints.push(t);
                Ok(())
            }
            "output" => self.node(&mut words).map(drop),
            word @ ("fair" | "justice") => {
                Err(Error::unsupported(pos, format!("`{word}`: only safety properties are supported")))
            }
            op => {
                let t = self.operator(op, pos, &mut words)?;
                self.nodes.insert(id, t);
                Ok(())
            }
        }
    }

    fn sort(&mut self, id: u64, words: &mut Words<'_>) -> Result<(), Error> {
        let pos = words.pos();
        let sort = match words.word("`bitvec` or `array`")? {
            "bitvec" => {
                let pos = words.pos();
                let width: u32 = words.number("a width")?;
                match width {
                    0 => return Err(Error::malformed(pos, "a vector has at least one bit")),
                    1 => Sort::Bool,
                    _ if width > MAX_WIDTH => {
                        return Err(Error::unsupported(
                            pos,
                            format!("vectors of more than {MAX_WIDTH} bits"),
                        ));
                    }
                    _ => Sort::BitVec(width),
                }
            }
            "array" => {
                let (index, element) = (self.sort_of(words)?, self.sort_of(words)?);
                if matches!(index, Sort::Array(_)) || matches!(element, Sort::Array(_)) {
                    return Err(Error::unsupported(pos, "arrays of arrays"));
                }
                Sort::array(as_vector_sort(&index), as_vector_sort(&element))
            }
            other => return Err(Error::malformed(pos, format!("there is no sort `{other}`"))),
        };
        self.sorts.insert(id, sort);
        Ok(())
    }

    /// The sort whose number is the next word.
    fn sort_of(&mut self, words: &mut Words<'_>) -> Result<Sort, Error> {
        let pos = words.pos();
        let id: u64 = words.number("a sort")?;
        self.sorts.get(&id).cloned().ok_or_else(|| Error::malformed(pos, format!("node {id} is no sort")))
    }

    /// The node whose number is the next word; a negative number is its complement.
    fn node(&mut self, words: &mut Words<'_>) -> Result<Term, Error> {
        let pos = words.pos();
        let id: i64 = words.number("a node")?;
        let Some(&t) = self.nodes.get(&id.unsigned_abs()) else {
            return Err(Error::malformed(pos, format!("node {} is not defined", id.unsigned_abs())));
        };
        match (id < 0, self.pool.sort(t)) {
            (false, _) => Ok(t),
            (true, Sort::Bool) => Ok(self.pool.not(t)),
            (true, Sort::BitVec(_)) => Ok(self.pool.bv_not(t)),
            (true, _) => Err(Error::malformed(pos, "an array has no complement")),
        }
    }

    /// A node of width 1.
    fn condition(&mut self, words: &mut Words<'_>) -> Result<Term, Error> {
        let pos = words.pos();
        let t = self.node(words)?;
        if *self.pool.sort(t) == Sort::Bool {
            Ok(t)
        } else {
            Err(Error::malformed(pos, "a vector of width 1 is needed"))
        }
    }

    /// A variable named by the symbol at the end of the line, or by its number.
    fn variable(&mut self, kind: &str, id: u64, sort: Sort, words: &mut Words<'_>) -> (Term, Option<String>) {
        let symbol = words.optional().map(str::to_string);
        let mut name = symbol.clone().unwrap_or_else(|| format!("{kind}{id}"));
        while !self.names.insert(name.clone()) {
            name.push('!');
        }
        let var = self.pool.var(&name, sort);
        self.declared.push((var, Pos { line: words.line, ..Pos::START }));
        (var, symbol)
    }

    fn input(&mut self, id: u64, words: &mut Words<'_>) -> Result<(), Error> {
        let sort = self.sort_of(words)?;
        let (var, symbol) = self.variable("input", id, sort, words);
        self.nodes.insert(id, var);
        self.inputs.push((var, symbol));
        Ok(())
    }

    fn state(&mut self, id: u64, words: &mut Words<'_>) -> Result<(), Error> {
        let sort = self.sort_of(words)?;
        let (var, symbol) = self.variable("state", id, sort, words);
        self.nodes.insert(id, var);
        self.state_of.insert(var, self.states.len());
        self.states.push(State { var, symbol, init: None, next: None });
        Ok(())
    }

    /// Sort, state and value of `init` and `next`.
    fn assignment(&mut self, words: &mut Words<'_>) -> Result<(usize, Term, Pos), Error> {
        let sort = self.sort_of(words)?;
        let pos = words.pos();
        let var = self.node(words)?;
        let Some(&state) = self.state_of.get(&var) else {
            return Err(Error::malformed(pos, "this is no state"));
        };
        let value_pos = words.pos();
        let mut value = self.node(words)?;
        if let (Sort::Array(_), Some((_, element))) = (&sort, sort.array_parts()) {
            // An array may be initialised with one value for all elements.
            let cell = ops::vector(self.pool, value);
            if self.pool.sort(cell) == element {
                value = self.pool.const_array(&sort, cell);
            }
        }
        if *self.pool.sort(var) != sort || *self.pool.sort(value) != sort {
            return Err(Error::malformed(value_pos, "state and value are of different sorts"));
        }
        Ok((state, value, value_pos))
    }

    /// An initial value may depend on states before this one: on their initial values.
    fn init(&mut self, words: &mut Words<'_>) -> Result<(), Error> {
        let (state, value, pos) = self.assignment(words)?;
        if self.states[state].init.is_some() {
            return Err(Error::malformed(pos, "the state has an initial value already"));
        }
        for v in self.pool.free_vars(value) {
            match self.state_of.get(&v) {
                Some(&other) if other < state => {}
                Some(_) => return Err(Error::malformed(pos, "an initial value depends on a later state")),
                None => return Err(Error::unsupported(pos, "an initial value that depends on an input")),
            }
        }
        self.states[state].init = Some(value);
        Ok(())
    }

    fn next(&mut self, words: &mut Words<'_>) -> Result<(), Error> {
        let (state, value, pos) = self.assignment(words)?;
        if self.states[state].next.replace(value).is_some() {
            return Err(Error::malformed(pos, "the state has a next value already"));
        }
        Ok(())
    }

    fn build(self, file: &str) -> Result<Btor2, Error> {
        let pool = self.pool;
        if self.bads.is_empty() {
            return Err(Error::malformed(Pos::START, "the file states no property: there is no `bad`"));
        }
        let position = |pos: Pos| Position { file: Arc::from(file), line: pos.line, column: pos.column };
        let mut program = Program::new();
        program.declared = self.declared.iter().map(|&(var, pos)| (var, position(pos))).collect();
        let head = program.add_location(Location {
            name: "loop".into(),
            position: Some(position(Pos::START)),
            vars: self.states.iter().map(|s| s.var).collect(),
        });
        let fresh = |s: &State, what: &str| {
            pool.fresh_var(&format!("{}.{what}", pool.var_name(s.var)), pool.sort(s.var).clone())
        };
        let (mut choices, mut initial) = (Vec::new(), Vec::new());
        // The initial values of the states so far: a chosen one where the file has none.
        let mut first = FxHashMap::default();
        for s in &self.states {
            let value = match s.init {
                Some(value) => pool.substitute(value, &first),
                None => {
                    choices.push(fresh(s, "init"));
                    choices[choices.len() - 1]
                }
            };
            first.insert(s.var, value);
            initial.push(value);
        }
        let entry = program.entry;
        program.add_edge(Edge::new(entry, head, &choices, pool.tru(), &initial));
        let inputs: Vec<Term> = self.inputs.iter().map(|(t, _)| *t).collect();
        let mut step_inputs = inputs.clone();
        let mut update = Vec::new();
        for s in &self.states {
            update.push(s.next.unwrap_or_else(|| {
                step_inputs.push(fresh(s, "next"));
                step_inputs[step_inputs.len() - 1]
            }));
        }
        let constraint = pool.and(self.constraints.iter().copied());
        program.add_edge(Edge::new(head, head, &step_inputs, constraint, &update));
        for (i, &(bad, _)) in self.bads.iter().enumerate() {
            let mut edge = Edge::new(head, program.error, &inputs, pool.and([constraint, bad]), &[]);
            let name = if self.bads.len() == 1 { "bad".into() } else { format!("bad {i}") };
            edge.origin = Origin { property: Some(Property::Violated(name.into())), ..Origin::default() };
            program.add_edge(edge);
        }
        let state =
            |s: State| Btor2State { symbol: s.symbol, initial: s.init.is_some(), next: s.next.is_some() };
        let states = self.states.into_iter().map(state).collect();
        let inputs = self.inputs.into_iter().map(|(_, symbol)| symbol).collect();
        Ok(Btor2 { program, map: Btor2Map { location: Some(head), states, inputs } })
    }
}

/// The sort of an array's index or element: vectors, also of width 1.
fn as_vector_sort(sort: &Sort) -> Sort {
    if *sort == Sort::Bool { Sort::BitVec(1) } else { sort.clone() }
}

/// The constant of a text in a base, if it is one and fits.
fn parse_constant(text: &str, base: u32, width: u32) -> Option<Integer> {
    let n = Integer::parse_bytes(text.as_bytes(), base)?;
    let limit = Integer::from(1) << width;
    if n >= limit || n < -(limit.clone() >> 1u32) {
        return None;
    }
    Some(if n < Integer::from(0) { n + limit } else { n })
}

#[cfg(test)]
mod tests;
