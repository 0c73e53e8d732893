//! The loops of a program as a nest, and the order in which an unwinding meets its locations.
//!
//! Bourdoncle, "Efficient Chaotic Iteration Strategies with Widenings", 1993: a weak topological order.
//! Every strongly connected part of the graph has a head; without it, what is left of the part has heads of
//! its own, and so on. Edges go forward in the order, except those that lead to the head of a part they are
//! in. Loops of structured programs are these parts, and irreducible graphs have such an order too.
//!
//! [`Nest::walk`] unwinds: it comes to the locations of a loop once for each round, and to what follows a
//! loop after all its rounds. So what leaves a loop in different rounds can be brought together before the
//! program goes on.
//!
//! Entry points: [`Nest::of`], [`Nest::walk`].

use crate::{EdgeId, Loc, Loop, Program};

/// A weak topological order of some of the locations of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    elements: Vec<Element>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    One(Loc),
    /// The head, and the nest of the others.
    Loop(Loc, Nest),
}

/// Who walks through a nest.
pub trait Walker {
    /// Why a walk ends before its time.
    type Stop;

    /// Comes to a location.
    fn visit(&mut self, l: Loc) -> Result<(), Self::Stop>;

    /// Shall the loop of this head have a round of this number? The first one, 0, is not asked for.
    fn goes_on(&mut self, head: Loc, round: u32) -> Result<bool, Self::Stop>;
}

impl Nest {
    /// The order of the locations that `member` accepts.
    pub fn of(program: &Program, member: impl Fn(Loc) -> bool) -> Nest {
        let mut search = Search {
            program,
            outgoing: program.outgoing(),
            part: vec![0; program.locations.len()],
            parts: 0,
            found: vec![0; program.locations.len()],
            count: 0,
        };
        let members: Vec<Loc> =
            [program.entry].into_iter().chain(program.locs()).filter(|&l| member(l)).collect();
        search.nest(members)
    }

    /// The heads of all loops, outer ones first.
    pub fn heads(&self) -> Vec<Loc> {
        self.loops().into_iter().map(|l| l.head).collect()
    }

    /// All loops with their locations, outer ones first.
    pub fn loops(&self) -> Vec<Loop> {
        let mut loops = Vec::new();
        let mut work = vec![self];
        while let Some(nest) = work.pop() {
            for element in &nest.elements {
                if let Element::Loop(head, inner) = element {
                    let mut members = vec![*head];
                    inner.collect(&mut members);
                    members.sort_unstable();
                    loops.push(Loop { head: *head, members });
                    work.push(inner);
                }
            }
        }
        loops
    }

    /// Adds all locations.
    fn collect(&self, out: &mut Vec<Loc>) {
        for element in &self.elements {
            match element {
                Element::One(l) => out.push(*l),
                Element::Loop(head, inner) => {
                    out.push(*head);
                    inner.collect(out);
                }
            }
        }
    }

    /// Comes to all locations in order, to those of loops once and as often again as the walker wants.
    pub fn walk<W: Walker>(&self, walker: &mut W) -> Result<(), W::Stop> {
        for element in &self.elements {
            match element {
                Element::One(l) => walker.visit(*l)?,
                Element::Loop(head, inner) => {
                    let mut round = 0;
                    loop {
                        walker.visit(*head)?;
                        inner.walk(walker)?;
                        round += 1;
                        if !walker.goes_on(*head, round)? {
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Strongly connected components inside parts: Tarjan, Depth-First Search and Linear Graph Algorithms, 1972.
struct Search<'a> {
    program: &'a Program,
    outgoing: Vec<Vec<EdgeId>>,
    /// The part that each location is in now; 0 is none.
    part: Vec<u32>,
    parts: u32,
    /// When each location was found; 0 is not yet.
    found: Vec<u32>,
    count: u32,
}

impl Search<'_> {
    fn nest(&mut self, members: Vec<Loc>) -> Nest {
        let mut elements = Vec::new();
        for mut component in self.components(members) {
            // Found first: where the search came in.
            let first =
                (0..component.len()).min_by_key(|&i| self.found[component[i].index()]).expect("not empty");
            let head = component.swap_remove(first);
            self.part[head.index()] = 0;
            let cyclic = !component.is_empty() || self.targets(head).any(|t| t == head);
            elements.push(if cyclic {
                component.sort_unstable_by_key(|l| self.found[l.index()]);
                Element::Loop(head, self.nest(component))
            } else {
                Element::One(head)
            });
        }
        Nest { elements }
    }

    fn targets(&self, l: Loc) -> impl Iterator<Item = Loc> + '_ {
        self.outgoing[l.index()].iter().map(|&e| self.program.edge(e).target)
    }

    /// The strongly connected components of the graph between these locations, in topological order.
    fn components(&mut self, members: Vec<Loc>) -> Vec<Vec<Loc>> {
        self.parts += 1;
        let part = self.parts;
        for l in &members {
            self.part[l.index()] = part;
            self.found[l.index()] = 0;
        }
        let mut components = Vec::new();
        let mut open: Vec<Loc> = Vec::new();
        let mut is_open = rustc_hash::FxHashSet::default();
        for root in members {
            if self.found[root.index()] != 0 {
                continue;
            }
            // A location, the next of its edges, and the earliest open location that is reached from it.
            let mut stack: Vec<(Loc, usize, u32)> = Vec::new();
            let mut enter = Some(root);
            loop {
                if let Some(l) = enter.take() {
                    self.count += 1;
                    self.found[l.index()] = self.count;
                    open.push(l);
                    is_open.insert(l);
                    stack.push((l, 0, self.count));
                }
                let Some((l, next, low)) = stack.last_mut() else { break };
                let l = *l;
                if let Some(&e) = self.outgoing[l.index()].get(*next) {
                    *next += 1;
                    let target = self.program.edge(e).target;
                    if self.part[target.index()] != part {
                        continue;
                    }
                    match self.found[target.index()] {
                        0 => enter = Some(target),
                        found if is_open.contains(&target) => *low = (*low).min(found),
                        _ => {}
                    }
                    continue;
                }
                let low = *low;
                stack.pop();
                if let Some((_, _, parent)) = stack.last_mut() {
                    *parent = (*parent).min(low);
                }
                if low == self.found[l.index()] {
                    let start = open.iter().rposition(|&o| o == l).expect("a root is open");
                    let component = open.split_off(start);
                    component.iter().for_each(|o| {
                        is_open.remove(o);
                    });
                    components.push(component);
                }
            }
        }
        components.reverse();
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edge, Location};
    use palisade_term::TermPool;

    fn graph(edges: &[(usize, usize)]) -> Program {
        let pool = TermPool::new();
        let mut p = Program::new();
        let most = edges.iter().flat_map(|&(a, b)| [a, b]).max().unwrap_or(0);
        while p.locations.len() <= most {
            let name = format!("l{}", p.locations.len());
            p.add_location(Location { name, position: None, vars: Vec::new() });
        }
        for &(a, b) in edges {
            let (source, target) = (Loc(a as u32), Loc(b as u32));
            p.add_edge(Edge {
                source,
                target,
                inputs: Vec::new(),
                guard: pool.tru(),
                update: Vec::new(),
                origin: crate::Origin::default(),
            });
        }
        p
    }

    fn text(nest: &Nest) -> String {
        let element = |e: &Element| match e {
            Element::One(l) => l.index().to_string(),
            Element::Loop(h, inner) => format!("({} {})", h.index(), text(inner)),
        };
        nest.elements.iter().map(element).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn loops_nest() {
        // 2 is the head of a loop with the loop of 3 in it; 0 is the entry, 1 the error.
        let p = graph(&[(0, 2), (2, 3), (3, 4), (4, 3), (3, 5), (5, 2), (2, 6), (6, 1)]);
        let nest = Nest::of(&p, |_| true);
        assert_eq!(text(&nest), "0 (2 (3 4) 5) 6 1");
        assert_eq!(nest.heads(), [Loc(2), Loc(3)]);
    }

    #[test]
    fn a_location_may_be_its_own_loop() {
        assert_eq!(text(&Nest::of(&graph(&[(0, 2), (2, 2), (2, 1)]), |_| true)), "0 (2 ) 1");
    }

    #[test]
    fn every_edge_goes_forward_or_to_a_head_around_it() {
        let mut random = palisade_random::Random::new(3);
        for _ in 0..500 {
            let n = 3 + random.below(8);
            let edges: Vec<(usize, usize)> = (0..2 * n).map(|_| (random.below(n), random.below(n))).collect();
            let p = graph(&edges);
            let mut places: Vec<(Vec<Loc>, usize)> = vec![(Vec::new(), 0); p.locations.len()];
            let mut count = 0;
            place(&Nest::of(&p, |_| true), &mut Vec::new(), &mut count, &mut places);
            assert_eq!(count, p.locations.len(), "each location once");
            for e in &p.edges {
                let forward = places[e.source.index()].1 < places[e.target.index()].1;
                assert!(forward || places[e.source.index()].0.contains(&e.target), "{edges:?}");
            }
        }
    }

    fn place(nest: &Nest, around: &mut Vec<Loc>, count: &mut usize, places: &mut [(Vec<Loc>, usize)]) {
        for element in &nest.elements {
            let (l, inner) = match element {
                Element::One(l) => (*l, None),
                Element::Loop(h, inner) => (*h, Some(inner)),
            };
            if inner.is_some() {
                around.push(l);
            }
            places[l.index()] = (around.clone(), *count);
            *count += 1;
            if let Some(inner) = inner {
                place(inner, around, count, places);
                around.pop();
            }
        }
    }
}
