//! Looking at a candidate model: the graph of the arrays of a query, the instances that the candidate
//! violates, or the values of the arrays.

use std::collections::BTreeMap;

use num_traits::{One, ToPrimitive};
use palisade_proof::{ArrayFact, Hop, Walk};
use palisade_term::eval::Evaluator;
use palisade_term::{ArrayValue, Assignment, Integer, Op, Sort, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Arrays;

/// Index sorts with at most this many values are looked at value by value.
const SMALL_INDEX: u64 = 64;
/// Instances of axioms given at a time.
const INSTANCES: usize = 40;

/// The arrays that a query is about.
#[derive(Default)]
pub(crate) struct Scene {
    nodes: Vec<Term>,
    node_of: FxHashMap<Term, usize>,
    /// Node, index, value.
    reads: Vec<(usize, Term, Term)>,
    /// The Boolean, and the nodes.
    equalities: Vec<(Term, usize, usize)>,
    /// Node of the write, of its argument, and the index.
    writes: Vec<(usize, usize, Term)>,
    /// Node of a constant array and its value.
    constants: Vec<(usize, Term)>,
    /// Facts that must hold in every query about these arrays.
    pub axioms: Vec<Term>,
    /// An index sort that is not supported.
    pub unsupported: bool,
    seen: FxHashSet<Term>,
}

/// What a look at a candidate model gave.
pub(crate) enum Finding {
    /// Instances of axioms that the candidate violates.
    Instances(Vec<Term>),
    /// Values of all array variables.
    Values(Vec<(Term, Value)>),
}

/// An edge between nodes: holds at all indices if `index` is `None`, else at all but that.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    index: Option<Term>,
    /// The number of the index's value, see [`Places`].
    at: Option<u32>,
    /// The Boolean of an equality.
    cause: Option<Term>,
}

/// The values of indices in a candidate, by numbers that are cheap to compare.
struct Places {
    /// The graph of the arrays, and for each node the first one of its component.
    edges: Vec<Vec<Edge>>,
    components: Vec<usize>,
    /// The indices that matter, by component: value, its number, and a term with that value.
    indices: Vec<BTreeMap<Value, (u32, Term)>>,
    /// The reads at each value.
    reads: Vec<Vec<usize>>,
}

/// The elements at one index value in one component.
struct Elements {
    /// For each node the first one that has the same element.
    classes: Vec<usize>,
    /// The first known element of each class, with its node and the index term it was read at.
    known: Vec<Option<(usize, Option<Term>, Term)>>,
}

impl Arrays<'_> {
    /// The arrays that rewritten formulas are about, with everything they depend on.
    pub fn scene(&mut self, formulas: &[Term]) -> Scene {
        let pool = self.pool;
        let mut scene = Scene::default();
        let mut work: Vec<Term> = formulas.to_vec();
        while let Some(t) = work.pop() {
            if !scene.seen.insert(t) {
                continue;
            }
            work.extend(pool.args(t).iter().rev());
            if let Sort::Array(parts) = pool.sort(t) {
                scene.unsupported |= matches!(parts.0, Sort::Array(_) | Sort::Bool);
                let n = scene.node(t);
                match pool.op(t) {
                    Op::Store => {
                        let args = pool.args(t);
                        let from = scene.node(args[0]);
                        scene.writes.push((n, from, args[1]));
                        scene.reads.push((n, args[1], args[2]));
                    }
                    Op::ConstArray => scene.constants.push((n, pool.args(t)[0])),
                    _ => {}
                }
            }
            if let Some(&(array, index)) = self.reads.get(&t) {
                work.extend([array, index]);
                let n = scene.node(array);
                scene.reads.push((n, index, t));
            }
            if let Some(&(a, b)) = self.equalities.get(&t) {
                work.extend([a, b]);
                let (m, n) = (scene.node(a), scene.node(b));
                scene.equalities.push((t, m, n));
                let w = self.witness(t, a);
                let (left, right) = (self.read(a, w), self.read(b, w));
                let differ = pool.not(self.rewrite(pool.eq(left, right)));
                let axiom = pool.or([t, differ]);
                self.note(axiom, || ArrayFact::Extensionality(w));
                scene.axioms.push(axiom);
                work.push(axiom);
            }
            if let Some(&(c, a, b)) = self.choices.get(&t) {
                let (then, other) = (self.rewrite(pool.eq(t, a)), self.rewrite(pool.eq(t, b)));
                for axiom in [pool.or([pool.not(c), then]), pool.or([c, other])] {
                    self.note(axiom, || ArrayFact::Choice(t));
                    scene.axioms.push(axiom);
                    work.push(axiom);
                }
            }
        }
        scene
    }

    /// An index at which the arrays of an equality differ if they differ at all.
    fn witness(&mut self, equality: Term, array: Term) -> Term {
        if let Some(&w) = self.witnesses.get(&equality) {
            return w;
        }
        let (index, _) = self.pool.sort(array).array_parts().expect("arrays are compared");
        let w = self.fresh_var("differ", index.clone());
        self.witnesses.insert(equality, w);
        self.compared_at.insert(w, equality);
        w
    }

    /// Looks at a candidate model of the fresh variables.
    pub fn examine(&mut self, scene: &Scene, candidate: &Assignment) -> Finding {
        let mut ev = Evaluator::new(self.pool, candidate);
        let places = scene.places(self.pool, &mut ev);
        let mut instances: Vec<Term> = Vec::new();
        let first = |c: &usize| places.components[*c] == *c;
        for c in (0..scene.nodes.len()).filter(first) {
            for &(at, index) in places.indices[c].values() {
                // Only elements that are known twice can differ.
                if places.reads[at as usize].len() + scene.constants.len() > 1 {
                    self.examine_index(scene, &places, c, at, index, &mut ev, &mut instances);
                }
                if instances.len() >= INSTANCES {
                    return Finding::Instances(instances);
                }
            }
            self.examine_elsewhere(scene, &places.edges, &places.components, c, &mut ev, &mut instances);
        }
        if !instances.is_empty() {
            return Finding::Instances(instances);
        }
        let mut elements: Vec<BTreeMap<Value, Term>> = vec![BTreeMap::new(); scene.nodes.len()];
        for c in (0..scene.nodes.len()).filter(first) {
            for (value, &(at, index)) in &places.indices[c] {
                let found = self.examine_index(scene, &places, c, at, index, &mut ev, &mut instances);
                for n in (0..scene.nodes.len()).filter(|n| places.components[*n] == c) {
                    if let Some((_, _, v)) = found.known[found.classes[n]] {
                        elements[n].insert(value.clone(), v);
                    }
                }
            }
        }
        Finding::Values(self.values(scene, &places.components, &elements, candidate))
    }

    /// Reads at one index value in one component.
    #[allow(clippy::too_many_arguments)]
    fn examine_index(
        &mut self,
        scene: &Scene,
        places: &Places,
        component: usize,
        at: u32,
        index: Term,
        ev: &mut Evaluator<'_, '_>,
        instances: &mut Vec<Term>,
    ) -> Elements {
        let (pool, edges) = (self.pool, &places.edges);
        let open = |e: &Edge| e.at != Some(at);
        let classes = components(scene.nodes.len(), edges, open);
        let mut known: Vec<Option<(usize, Option<Term>, Term)>> = vec![None; scene.nodes.len()];
        let reads = places.reads[at as usize].iter().map(|&k| scene.reads[k]);
        let reads = reads.map(|(n, i, v)| (n, Some(i), v));
        let constants = scene.constants.iter().map(|&(n, v)| (n, None, v));
        for (n, i, v) in reads.chain(constants).filter(|(n, ..)| places.components[*n] == component) {
            let class = classes[n];
            match known[class] {
                None => known[class] = Some((n, i, v)),
                Some((m, j, u)) => {
                    if self.same(scene, edges, u, v, ev) {
                        continue;
                    }
                    // At the index of a read; two constant arrays meet at any index that is not overwritten.
                    let at = i.or(j).unwrap_or(index);
                    let mut lemma = vec![self.rewrite(pool.eq(u, v))];
                    if let (Some(i), Some(j)) = (i, j) {
                        lemma.push(pool.not(pool.eq(i, j)));
                    }
                    let path = path(edges, m, n, open);
                    for e in &path {
                        match (e.index, e.cause) {
                            (Some(k), _) => lemma.push(pool.eq(k, at)),
                            (None, Some(c)) => lemma.push(pool.not(c)),
                            (None, None) => {}
                        }
                    }
                    let lemma = pool.or(lemma);
                    self.note(lemma, || scene.walk(m, &path, j, i, Some(at)));
                    instances.push(lemma);
                }
            }
        }
        Elements { classes, known }
    }

    /// Constant arrays of one component must agree where nothing is read or written.
    fn examine_elsewhere(
        &mut self,
        scene: &Scene,
        edges: &[Vec<Edge>],
        components: &[usize],
        component: usize,
        ev: &mut Evaluator<'_, '_>,
        instances: &mut Vec<Term>,
    ) {
        let pool = self.pool;
        let (sort, _) = pool.sort(scene.nodes[component]).array_parts().expect("nodes are arrays");
        if all_values(sort).is_some() {
            return; // every index was looked at
        }
        let mut first: Option<(usize, Term)> = None;
        for &(n, v) in &scene.constants {
            if components[n] != component {
                continue;
            }
            let Some((m, u)) = first else {
                first = Some((n, v));
                continue;
            };
            if self.same(scene, edges, u, v, ev) {
                continue;
            }
            let path = path(edges, m, n, |_| true);
            let writes = path.iter().filter(|e| e.index.is_some()).count() as u64;
            let room = match sort {
                Sort::BitVec(w) => *w >= 64 || 1 << w > writes,
                _ => true,
            };
            if room {
                let mut lemma = vec![self.rewrite(pool.eq(u, v))];
                lemma.extend(path.iter().filter_map(|e| e.cause).map(|c| pool.not(c)));
                let lemma = pool.or(lemma);
                self.note(lemma, || scene.walk(m, &path, None, None, None));
                instances.push(lemma);
            }
        }
    }

    /// Do two elements have one value in the candidate? Elements that are arrays do if true equalities join
    /// them.
    fn same(&self, scene: &Scene, edges: &[Vec<Edge>], u: Term, v: Term, ev: &mut Evaluator<'_, '_>) -> bool {
        if u == v {
            return true;
        }
        if !matches!(self.pool.sort(u), Sort::Array(_)) {
            return ev.eval(u) == ev.eval(v);
        }
        match (scene.node_of.get(&u), scene.node_of.get(&v)) {
            (Some(&m), Some(&n)) => path_or_none(edges, m, n, |e| e.index.is_none()).is_some(),
            _ => false,
        }
    }

    /// The values of the array variables, inner arrays first.
    fn values(
        &self,
        scene: &Scene,
        components: &[usize],
        elements: &[BTreeMap<Value, Term>],
        candidate: &Assignment,
    ) -> Vec<(Term, Value)> {
        let pool = self.pool;
        let depth = |t: Term| {
            let mut d = 0;
            let mut s = pool.sort(t);
            while let Some((_, e)) = s.array_parts() {
                d += 1;
                s = e;
            }
            d
        };
        let mut order: Vec<usize> = (0..scene.nodes.len()).filter(|&n| pool.is_var(scene.nodes[n])).collect();
        order.sort_by_key(|&n| (depth(scene.nodes[n]), scene.nodes[n]));
        let mut model = candidate.clone();
        let mut out = Vec::new();
        for n in order {
            let node = scene.nodes[n];
            let (index, element) = pool.sort(node).array_parts().expect("nodes are arrays");
            let default = scene.constants.iter().find(|(m, _)| components[*m] == components[n]);
            let default = match default {
                Some((_, v)) => pool.eval(*v, &model),
                None => Value::default_of(element),
            };
            let mut value = ArrayValue { index_sort: index.clone(), default, entries: Default::default() };
            for (i, v) in &elements[n] {
                value.set(i.clone(), pool.eval(*v, &model));
            }
            let value = Value::Array(Box::new(value));
            model.set(node, value.clone());
            out.push((node, value));
        }
        out
    }
}

impl Scene {
    fn node(&mut self, t: Term) -> usize {
        let next = self.nodes.len();
        let n = *self.node_of.entry(t).or_insert(next);
        if n == next {
            self.nodes.push(t);
        }
        n
    }

    /// A path between elements, as a fact.
    fn walk(
        &self,
        start: usize,
        path: &[Edge],
        first: Option<Term>,
        last: Option<Term>,
        at: Option<Term>,
    ) -> ArrayFact {
        let hop = |e: &Edge| (if e.index.is_some() { Hop::Write } else { Hop::Equality }, self.nodes[e.to]);
        let hops = path.iter().map(hop).collect();
        ArrayFact::Walk(Walk { start: self.nodes[start], hops, first, last, at })
    }

    /// Does the query depend on the term?
    pub fn mentions(&self, t: Term) -> bool {
        self.seen.contains(&t)
    }

    /// The indices in a candidate.
    fn places(&self, pool: &TermPool, ev: &mut Evaluator<'_, '_>) -> Places {
        let mut numbers: BTreeMap<Value, u32> = BTreeMap::new();
        let mut number = |v: &Value| match numbers.get(v) {
            Some(&k) => k,
            None => {
                let next = numbers.len() as u32;
                numbers.insert(v.clone(), next);
                next
            }
        };
        let edges = self.edges(ev, &mut number);
        let components = components(self.nodes.len(), &edges, |_| true);
        let mut indices: Vec<BTreeMap<Value, (u32, Term)>> = vec![BTreeMap::new(); self.nodes.len()];
        let mut reads: Vec<Vec<usize>> = Vec::new();
        for (k, &(n, index, _)) in self.reads.iter().enumerate() {
            let v = ev.eval(index);
            let at = number(&v);
            reads.resize(reads.len().max(at as usize + 1), Vec::new());
            reads[at as usize].push(k);
            indices[components[n]].entry(v).or_insert((at, index));
        }
        for (n, &node) in self.nodes.iter().enumerate() {
            let (sort, _) = pool.sort(node).array_parts().expect("nodes are arrays");
            for v in all_values(sort).into_iter().flatten() {
                let (at, t) = (number(&v), v.to_term(pool));
                indices[components[n]].entry(v).or_insert((at, t));
            }
        }
        reads.resize(numbers.len(), Vec::new());
        Places { edges, components, indices, reads }
    }

    fn edges(&self, ev: &mut Evaluator<'_, '_>, number: &mut dyn FnMut(&Value) -> u32) -> Vec<Vec<Edge>> {
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); self.nodes.len()];
        for &(b, m, n) in &self.equalities {
            if ev.holds(b) {
                edges[m].push(Edge { to: n, index: None, at: None, cause: Some(b) });
                edges[n].push(Edge { to: m, index: None, at: None, cause: Some(b) });
            }
        }
        for &(m, n, index) in &self.writes {
            let at = Some(number(&ev.eval(index)));
            edges[m].push(Edge { to: n, index: Some(index), at, cause: None });
            edges[n].push(Edge { to: m, index: Some(index), at, cause: None });
        }
        edges
    }
}

/// All values of a small index sort.
fn all_values(sort: &Sort) -> Option<Vec<Value>> {
    match sort {
        Sort::BitVec(w) if *w < 64 && 1u64 << w <= SMALL_INDEX => {
            let n = (Integer::one() << *w).to_u64().expect("small");
            Some((0..n).map(|i| Value::BitVec(*w, i.into())).collect())
        }
        _ => None,
    }
}

/// For each node the first node that it is joined with by the usable edges.
fn components(n: usize, edges: &[Vec<Edge>], usable: impl Fn(&Edge) -> bool) -> Vec<usize> {
    let mut class = vec![usize::MAX; n];
    for start in 0..n {
        if class[start] != usize::MAX {
            continue;
        }
        class[start] = start;
        let mut work = vec![start];
        while let Some(m) = work.pop() {
            for e in &edges[m] {
                if class[e.to] == usize::MAX && usable(e) {
                    class[e.to] = start;
                    work.push(e.to);
                }
            }
        }
    }
    class
}

/// A shortest path between joined nodes, in order.
fn path(edges: &[Vec<Edge>], from: usize, to: usize, usable: impl FnMut(&Edge) -> bool) -> Vec<Edge> {
    path_or_none(edges, from, to, usable).expect("the nodes are joined")
}

fn path_or_none(
    edges: &[Vec<Edge>],
    from: usize,
    to: usize,
    mut usable: impl FnMut(&Edge) -> bool,
) -> Option<Vec<Edge>> {
    let mut back: Vec<Option<(usize, Edge)>> = vec![None; edges.len()];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(m) = queue.pop_front() {
        if m == to {
            let mut out = Vec::new();
            let mut at = to;
            while at != from {
                let (previous, e) = back[at].expect("reached from somewhere");
                out.push(e);
                at = previous;
            }
            out.reverse();
            return Some(out);
        }
        for e in &edges[m] {
            if e.to != from && back[e.to].is_none() && usable(e) {
                back[e.to] = Some((m, *e));
                queue.push_back(e.to);
            }
        }
    }
    None
}
