//! The final program: liveness, names of locations, edges with exactly the live variables.
//!
//! A variable is live at a location if its value there can still decide a guard. Values that only flow into
//! each other are dead. This removes outputs and statistics that no property needs. Variables of one block
//! only (most temporaries) never become part of a location.
//!
//! Entry point: [`Encoder::finish`].

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use palisade_program::{Edge, EdgeId, Loc, Location, Origin, Program};
use palisade_term::{Occurring, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Goal, RawEdge};
use super::{Encoder, VarKey};
use crate::library::PREFIX;
use crate::memory::Leaf;
use crate::numbers::AS_NUMBER;
use crate::places::Site;
use crate::story::Story;
use crate::types::{Len, Type};

/// A call of a nondeterministic function on an edge.
#[derive(Clone, Debug)]
pub struct NondetCall {
    /// The function.
    pub function: String,
    /// What it returns.
    pub ty: Type,
    /// Which input of the edge is its value; `None` if the value does not matter.
    pub input: Option<usize>,
}

/// A block of memory that is allocated on an edge, by a function that leaves its contents open.
#[derive(Clone, Debug, Default)]
pub struct NewBlock {
    /// What is known of its contents: byte offset, type, and which input of the edge it is. Of a pointer the
    /// input is 0 for null.
    pub contents: Vec<(u64, Type, usize)>,
    /// The arrays in it whose elements are one input.
    pub arrays: Vec<(Leaf, usize)>,
}

/// The result of encoding.
pub(crate) struct Finished {
    pub(crate) program: Program,
    /// For every edge its calls of nondeterministic functions, in order.
    pub(crate) nondets: Vec<Vec<NondetCall>>,
    /// For every edge the blocks it allocates, in order.
    pub(crate) blocks: Vec<Vec<NewBlock>>,
    /// For every edge the names of its other inputs.
    pub(crate) others: Vec<Vec<Arc<str>>>,
    /// What is assumed.
    pub(crate) assumptions: Vec<Assumption>,
    /// What the edges do, statement by statement.
    pub(crate) story: Story,
    /// Objects have numbers as addresses, which nobody but the environment chooses.
    pub(crate) numbers: bool,
    /// What a violation may depend on.
    pub(crate) open: Option<Arc<str>>,
}

/// Assumption and place; whether nothing can be executed behind it.
pub(super) type Assumptions = BTreeMap<(&'static str, String, u32, u32), bool>;

/// An assumption of the translation: that an operation is always defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What is assumed: `no signed overflow`.
    pub what: String,
    /// Where, in the order of the text.
    pub places: Vec<String>,
    /// The places behind which nothing can be executed under the assumption.
    pub dead: Vec<String>,
}

impl Assumption {
    /// Puts together what is assumed at many places.
    fn collect(found: Assumptions) -> Vec<Assumption> {
        let mut out: Vec<Assumption> = Vec::new();
        for ((what, file, line, column), dead) in found {
            let place = format!("{file}:{line}:{column}");
            if out.last().is_none_or(|a| a.what != what) {
                out.push(Assumption { what: what.to_string(), places: Vec::new(), dead: Vec::new() });
            }
            let last = out.last_mut().expect("just pushed");
            last.dead.extend(dead.then(|| place.clone()));
            last.places.push(place);
        }
        out
    }
}

/// An edge with its calls and blocks, the names of its other inputs, and the variables without a value that
/// inputs stand for.
type Added = (EdgeId, Vec<NondetCall>, Vec<NewBlock>, Vec<Arc<str>>, Vec<(Term, Term)>);

/// Arrays with more elements than this are not small.
const MOST_CELLS: u64 = 64;

/// A set of variables, by number.
#[derive(Clone, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)])
    }

    fn insert(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    fn contains(&self, i: u32) -> bool {
        self.0[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// Adds all of `other`, but not what it would add of `without`; says whether anything was new.
    fn absorb(&mut self, other: &Bits, without: impl Iterator<Item = u32>) -> bool {
        let mine: Vec<u32> = without.filter(|&i| !self.contains(i) && other.contains(i)).collect();
        let mut added = 0;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            added += (b & !*a).count_ones() as usize;
            *a |= b;
        }
        for &i in &mine {
            self.0[i as usize / 64] &= !(1 << (i % 64));
        }
        added > mine.len()
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(k, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let next = (rest != 0).then(|| k as u32 * 64 + rest.trailing_zeros());
                rest &= rest.wrapping_sub(1);
                next
            })
        })
    }
}

/// What an edge writes, each once, and what it reads for that: for liveness.
type Writes = Vec<(u32, Vec<u32>)>;

impl Encoder<'_> {
    /// Builds the program.
    pub(super) fn finish(mut self) -> Finished {
        self.settle();
        let mut edges = std::mem::take(&mut self.edges);
        edges.retain(|e| e.guard != self.pool.fls());
        let (mut order, mut number) = self.numbers(&edges);
        let mut live = self.liveness(&edges, &number);
        if self.fold_tables(&mut edges, |v| number.get(&v).is_some_and(|k| live[0].contains(*k))) {
            (order, number) = self.numbers(&edges);
            live = self.liveness(&edges, &number);
        }

        let mut program = Program::new();
        let mut names = FxHashSet::default();
        names.extend(["entry".to_string(), "error".to_string(), "exit".to_string()]);
        let mut locs = vec![program.entry];
        for (l, live) in live.iter().enumerate().skip(1) {
            let vars = live.iter().map(|v| order[v as usize]).collect();
            locs.push(self.add_location(&mut program, l, vars, &mut names));
        }
        let inputs: FxHashSet<Term> = edges.iter().flat_map(|e| e.inputs.iter().map(|i| i.term)).collect();
        let mut occurring = Occurring::new(self.pool, |t| inputs.contains(&t));
        let mut exit = None;
        let (mut nondets, mut blocks, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let (mut events, mut unset) = (Vec::new(), Vec::new());
        for edge in &mut edges {
            let target = match edge.goal {
                Goal::Location(l) => locs[l as usize],
                Goal::Error => program.error,
                Goal::Exit => *exit.get_or_insert_with(|| {
                    program.add_location(Location { name: "exit".into(), position: None, vars: Vec::new() })
                }),
            };
            events.push(self.events_of(edge));
            let ends = (locs[edge.source as usize], target);
            let (id, calls, new, rest, strays) =
                self.add_edge(&mut program, edge, ends, &number, &mut |t| occurring.of(t));
            debug_assert_eq!(id.index(), nondets.len());
            nondets.push(calls);
            blocks.push(new);
            others.push(rest);
            unset.push(strays);
        }
        let assumptions = Assumption::collect(std::mem::take(&mut self.assumptions));
        let mut nodes = vec![None; program.locs().count()];
        locs.iter().zip(&self.locations).for_each(|(l, node)| nodes[l.index()] = *node);
        let sites = crate::places::sites(&program, &|l| {
            let (instance, node) = nodes[l.index()]?;
            let node = self.unit.function(self.instances.get(instance).function).node(node);
            Some(Site { span: node.span, frame: instance.0, head: node.loop_head })
        });
        let story = Story { sites, ..self.story(events, unset) };
        program.cells = self.small_arrays();
        let numbers = !self.numbers.all.is_empty();
        let placed = self.placed.then(|| Arc::from(AS_NUMBER));
        let open = self.open.clone().or(placed);
        Finished { program, nondets, blocks, others, assumptions, story, numbers, open }
    }

    /// The arrays with few elements, and their indices: every access elsewhere is out of bounds.
    fn small_arrays(&self) -> FxHashMap<Term, Vec<i64>> {
        let mut out = FxHashMap::default();
        for (key, &var) in &self.vars {
            let VarKey::Leaf(o, slot) = key else { continue };
            let Some(Some(leaf)) = self.leaves.get(&(*o, *slot)) else { continue };
            if leaf.dims.is_empty() || self.memory.is_many(*o) {
                continue;
            }
            let mut indices = vec![0_i128];
            for d in &leaf.dims {
                let Len::Fixed(n) = d.len else {
                    indices.clear();
                    break;
                };
                if n.saturating_mul(indices.len() as u64) > MOST_CELLS {
                    indices.clear();
                    break;
                }
                indices =
                    indices.iter().flat_map(|i| (0..i128::from(n)).map(move |k| i + k * d.stride)).collect();
            }
            let indices: Option<Vec<i64>> = indices.into_iter().map(|i| i64::try_from(i).ok()).collect();
            out.extend(indices.filter(|i| !i.is_empty()).map(|i| (var, i)));
        }
        out
    }

    /// The variables that edges read, in order, and their numbers. Most variables (temporaries) are live
    /// inside one block only: they are read nowhere else.
    fn numbers(&self, edges: &[RawEdge]) -> (Vec<Term>, FxHashMap<Term, u32>) {
        let mut order: Vec<Term> = Vec::new();
        let vars: FxHashSet<Term> = self.vars.values().copied().collect();
        self.pool.visit(edges.iter().flat_map(|e| e.values.values().copied().chain([e.guard])), |t| {
            order.extend(vars.contains(&t).then_some(t));
        });
        order.sort_unstable();
        let number = order.iter().enumerate().map(|(i, &t)| (t, i as u32)).collect();
        (order, number)
    }

    fn add_location(
        &self,
        program: &mut Program,
        l: usize,
        vars: Vec<Term>,
        names: &mut FxHashSet<String>,
    ) -> Loc {
        let (i, n) = self.locations[l].expect("only the entry has no node");
        let instance = self.instances.get(i);
        let span = self.unit.function(instance.function).node(n).span;
        let position = self.position(span);
        let stem = format!("{}:{}", instance.name, position.line);
        let mut name = stem.clone();
        let mut k = 2;
        while !names.insert(name.clone()) {
            name = format!("{stem}~{k}");
            k += 1;
        }
        program.add_location(Location { name, position: Some(position), vars })
    }

    fn add_edge(
        &mut self,
        program: &mut Program,
        edge: &mut RawEdge,
        (source, target): (Loc, Loc),
        number: &FxHashMap<Term, u32>,
        inputs_in: &mut dyn FnMut(Term) -> Rc<[Term]>,
    ) -> Added {
        // Most variables keep their values. Those of a location are in order.
        let vars = program.vars(target);
        let mut update = vars.to_vec();
        for (v, t) in &edge.values {
            if let Ok(k) = vars.binary_search(v) {
                update[k] = *t;
            }
        }
        let mut guard = edge.guard;
        let mut inputs: Vec<Term> = Vec::new();
        let mut extra: Vec<Term> = Vec::new();
        let mut unset = Vec::new();
        if source == program.entry {
            // Nothing is live at the entry: a variable that was never set has an arbitrary value.
            let mut map = FxHashMap::default();
            self.pool.visit(update.iter().copied().chain([guard]), |t| {
                if number.contains_key(&t) {
                    map.insert(t, t);
                }
            });
            let mut strays: Vec<Term> = map.keys().copied().collect();
            strays.sort_unstable();
            for v in strays {
                let fresh = self.pool.fresh_var(self.pool.var_name(v), self.pool.sort(v).clone());
                extra.push(fresh);
                unset.push((v, fresh));
                map.insert(v, fresh);
            }
            let mut arbitrary = Substitution::new(self.pool, &map);
            guard = arbitrary.apply(guard);
            update = update.into_iter().map(|u| arbitrary.apply(u)).collect();
        }
        let mut used = FxHashSet::default();
        let read = update.iter().zip(vars).filter(|(t, v)| t != v).map(|(t, _)| t);
        read.chain([&guard]).for_each(|&t| used.extend(inputs_in(t).iter().copied()));
        let mut conditions = vec![guard];
        for i in &edge.inputs {
            if used.contains(&i.term) {
                inputs.push(i.term);
                conditions.extend(i.range);
            }
        }
        inputs.extend(extra);
        let place = |t: Term| inputs.iter().position(|&i| i == t);
        let calls: Vec<NondetCall> = edge
            .nondets
            .iter()
            .map(|n| NondetCall {
                function: n.function.to_string(),
                ty: n.ty.clone(),
                input: n.input.and_then(place),
            })
            .collect();
        let contents = |(offset, ty, t): &(u64, Type, Term)| Some((*offset, ty.clone(), place(*t)?));
        let array = |(leaf, t): &(Leaf, Term)| Some((leaf.clone(), place(*t)?));
        let blocks: Vec<NewBlock> = (edge.blocks.iter())
            .map(|b| NewBlock {
                contents: b.contents.iter().filter_map(contents).collect(),
                arrays: b.arrays.iter().filter_map(array).collect(),
            })
            .collect();
        let mut told: FxHashSet<usize> = calls.iter().filter_map(|c| c.input).collect();
        for b in &blocks {
            told.extend(b.contents.iter().map(|c| c.2).chain(b.arrays.iter().map(|a| a.1)));
        }
        // Of what a model of the library gets, the function.
        let name = |t: Term| {
            let name = self.pool.var_name(t);
            let name = name.rsplit_once('!').map_or(name, |(plain, _)| plain);
            let model = name.strip_prefix(PREFIX).and_then(|n| n.split_once("::"));
            Arc::from(model.map_or(name, |(function, _)| function))
        };
        let others = (0..inputs.len()).filter(|k| !told.contains(k)).map(|k| name(inputs[k])).collect();
        let origin =
            Origin { statements: std::mem::take(&mut edge.statements), property: edge.property.clone() };
        let guard = self.pool.and(conditions);
        let id = program.add_edge(Edge { source, target, inputs, guard, update, origin });
        (id, calls, blocks, others, unset)
    }

    /// The variables that are live at each location: those whose value can still decide a guard.
    fn liveness(&self, edges: &[RawEdge], number: &FxHashMap<Term, u32>) -> Vec<Bits> {
        let n = number.len();
        let empty = Bits::new(n);
        let writes: Vec<Writes> = edges.iter().map(|e| self.writes(e, number)).collect();
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.locations.len()];
        let mut entering: Vec<Vec<u32>> = vec![Vec::new(); self.locations.len()];
        for (i, e) in edges.iter().enumerate() {
            leaving[e.source as usize].push(i);
            if let Goal::Location(l) = e.goal {
                entering[l as usize].push(e.source);
            }
        }
        // A location has many edges to the error, whose guards have most of their terms in common.
        let guards = |leaving: &Vec<usize>| self.numbers_in(leaving.iter().map(|&i| edges[i].guard), number);
        let guards: Vec<Vec<u32>> = leaving.iter().map(guards).collect();
        let mut live = vec![empty.clone(); self.locations.len()];
        let mut queued = vec![true; self.locations.len()];
        let mut queue: std::collections::VecDeque<usize> = (0..self.locations.len()).rev().collect();
        while let Some(l) = queue.pop_front() {
            queued[l] = false;
            let mut mine = std::mem::replace(&mut live[l], Bits(Vec::new()));
            let mut changed = false;
            for &v in &guards[l] {
                changed |= !mine.contains(v);
                mine.insert(v);
            }
            for &i in &leaving[l] {
                let Goal::Location(t) = edges[i].goal else { continue };
                let own;
                let after = if t as usize == l {
                    own = mine.clone();
                    &own
                } else {
                    &live[t as usize]
                };
                changed |= mine.absorb(after, writes[i].iter().map(|w| w.0));
                for (_, from) in writes[i].iter().filter(|(v, _)| after.contains(*v)) {
                    for &u in from {
                        changed |= !mine.contains(u);
                        mine.insert(u);
                    }
                }
            }
            live[l] = mine;
            if changed {
                for &s in entering[l].iter().chain([&(l as u32)]) {
                    if !std::mem::replace(&mut queued[s as usize], true) {
                        queue.push_back(s as usize);
                    }
                }
            }
        }
        live
    }

    /// The variables in some terms.
    fn numbers_in(&self, terms: impl IntoIterator<Item = Term>, number: &FxHashMap<Term, u32>) -> Vec<u32> {
        let mut out = Vec::new();
        self.pool.visit(terms, |u| out.extend(number.get(&u).copied()));
        out
    }

    fn writes(&self, e: &RawEdge, number: &FxHashMap<Term, u32>) -> Writes {
        if matches!(e.goal, Goal::Error | Goal::Exit) {
            return Vec::new();
        }
        let written = e.values.iter().filter_map(|(v, t)| Some((*number.get(v)?, *t)));
        let mut writes: Writes = written.map(|(k, t)| (k, self.numbers_in([t], number))).collect();
        writes.sort_unstable_by_key(|w| w.0);
        writes
    }
}
