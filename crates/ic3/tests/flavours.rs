//! The IC3 parts serve any flavour: `mic` and `ctgDown` on a system whose states are numbers and whose
//! literals are signed bits, with no solver and no term.

use palisade_ic3::mic::{Limits, Mic};
use palisade_ic3::{Answer, Flavour};

const BITS: u32 = 3;
const STATES: u8 = 1 << BITS;

/// An explicit transition system. Bit `k` is the literal `k + 1`, or `-(k + 1)` where it is 0.
struct Explicit {
    successors: Vec<Vec<u8>>,
    initial: Vec<u8>,
    /// Excluded cubes, each with the level up to which.
    lemmas: Vec<(u32, Vec<i32>)>,
    joined: usize,
}

fn holds(lit: i32, state: u8) -> bool {
    let bit = state >> (lit.unsigned_abs() - 1) & 1 == 1;
    bit == (lit > 0)
}

fn inside(cube: &[i32], state: u8) -> bool {
    cube.iter().all(|&l| holds(l, state))
}

fn cube_of(state: u8) -> Vec<i32> {
    (0..BITS as i32).map(|k| if state >> k & 1 == 1 { k + 1 } else { -(k + 1) }).collect()
}

impl Explicit {
    fn frame(&self, level: u32) -> impl Iterator<Item = u8> + '_ {
        let admitted = move |s: &u8| {
            if level == 0 {
                return self.initial.contains(s);
            }
            self.lemmas.iter().all(|(up_to, cube)| *up_to < level || !inside(cube, *s))
        };
        (0..STATES).filter(admitted)
    }
}

impl Flavour for Explicit {
    type Place = u32;
    type Literal = i32;
    type Model = u8;

    fn blocked(&mut self, level: u32, cube: &[i32]) -> Answer<i32, u8> {
        if let Some(&s) = self.initial.iter().find(|&&s| inside(cube, s)) {
            return Answer::No(s);
        }
        let leads_in =
            |s: &u8| !inside(cube, *s) && self.successors[*s as usize].iter().any(|&t| inside(cube, t));
        match self.frame(level - 1).find(leads_in) {
            Some(s) => Answer::No(s),
            None => Answer::Yes(cube.to_vec()),
        }
    }

    fn counterexample(&mut self, level: u32, _cube: &[i32], &state: &u8) -> Option<(u32, Vec<i32>)> {
        (level > 1 && !self.initial.contains(&state)).then(|| (level - 1, cube_of(state)))
    }

    fn learn(&mut self, level: u32, cube: Vec<i32>) -> bool {
        assert!(matches!(self.blocked(level, &cube), Answer::Yes(_)), "only blocked cubes are learned");
        self.lemmas.push((level, cube));
        true
    }

    fn join(&mut self, _level: u32, cube: &[i32], _kept: &[i32], &state: &u8) -> Option<Vec<i32>> {
        self.joined += 1;
        Some(cube.iter().copied().filter(|&l| holds(l, state)).collect())
    }
}

fn mic(limits: Limits) -> Mic<i32> {
    Mic::new(limits)
}

const PLAIN: Limits = Limits::PLAIN;

/// The lowest bit alternates, the others never change.
fn two_halves() -> Explicit {
    let successors = (0..STATES).map(|s| vec![s ^ 1]).collect();
    Explicit { successors, initial: vec![0], lemmas: Vec::new(), joined: 0 }
}

#[test]
fn mic_keeps_the_one_literal_that_matters() {
    let mut system = two_halves();
    let cube = mic(PLAIN).mic(&mut system, 2, cube_of(6));
    assert_eq!(cube, [3], "bit 2 is never set");
}

#[test]
fn what_comes_out_is_blocked_and_contains_what_went_in() {
    // Every small system: successor s -> (a*s + b) mod 8, with an extra edge; every state and level.
    for a in 0..STATES {
        for b in 0..STATES {
            for extra in 0..STATES {
                let successors = (0..STATES)
                    .map(|s| {
                        vec![(a.wrapping_mul(s).wrapping_add(b)) % STATES, if s == 5 { extra } else { s }]
                    })
                    .collect();
                let mut system = Explicit { successors, initial: vec![0], lemmas: Vec::new(), joined: 0 };
                let limits = Limits { max_ctgs: 3, max_depth: 1, max_joins: 2, ..PLAIN };
                for state in 1..STATES {
                    let Answer::Yes(core) = system.blocked(2, &cube_of(state)) else { continue };
                    let cube = mic(limits).mic(&mut system, 2, core);
                    assert!(inside(&cube, state));
                    assert!(matches!(system.blocked(2, &cube), Answer::Yes(_)));
                    assert!(!cube.is_empty());
                }
                // Lemmas are right: no excluded state is reachable within its level.
                for (level, cube) in &system.lemmas {
                    let mut reached = vec![0_u8];
                    for _ in 0..*level {
                        let next: Vec<u8> =
                            reached.iter().flat_map(|&s| system.successors[s as usize].clone()).collect();
                        reached.extend(next);
                        reached.sort_unstable();
                        reached.dedup();
                    }
                    assert!(!reached.iter().any(|&s| inside(cube, s)));
                }
            }
        }
    }
}

#[test]
fn a_counterexample_to_generalisation_is_blocked_on_the_way() {
    // Only 2 leads into 4, and nothing leads into 2.
    let mut successors: Vec<Vec<u8>> = (0..STATES).map(|s| vec![s]).collect();
    successors[2] = vec![4];
    let mut system = Explicit { successors, initial: vec![0], lemmas: Vec::new(), joined: 0 };
    // Without help, 5 cannot lose its lowest bit: 2 leads into 4.
    let plain = mic(PLAIN).mic(&mut system, 3, cube_of(5));
    assert!(plain.contains(&1), "{plain:?}");
    let mut helped = mic(Limits { max_ctgs: 3, max_depth: 1, ..PLAIN });
    let cube = helped.mic(&mut system, 3, cube_of(5));
    assert!(cube.len() < plain.len() || helped.ctgs > 0, "{cube:?}");
    assert!(helped.ctgs > 0 && !system.lemmas.is_empty());
}

#[test]
fn joins_grow_the_cube_until_it_is_inductive() {
    // 4 -> 5 -> 6 -> 7 -> 4: dropping bit 0 of 5 lets 7 in, and so on; the joins end at "bit 2".
    let successors = (0..STATES).map(|s| if s < 4 { vec![s ^ 1] } else { vec![4 + (s + 1) % 4] }).collect();
    let mut system = Explicit { successors, initial: vec![0], lemmas: Vec::new(), joined: 0 };
    let mut joining = mic(Limits { max_depth: 1, max_joins: 3, ..PLAIN });
    let cube = joining.mic(&mut system, 1, cube_of(5));
    assert!(matches!(system.blocked(1, &cube), Answer::Yes(_)));
    assert!(inside(&cube, 5));
}

/// Numbers from 0 that grow up to ten; the literal `k` means "at least `k`".
struct Thresholds;

impl Flavour for Thresholds {
    type Place = u32;
    type Literal = i32;
    type Model = i32;

    fn blocked(&mut self, _level: u32, cube: &[i32]) -> Answer<i32, i32> {
        let inside = |n: i32| cube.iter().all(|&k| n >= k);
        if inside(0) {
            return Answer::No(0);
        }
        match (0..10).find(|&n| !inside(n) && inside(n + 1)) {
            Some(n) => Answer::No(n),
            None => Answer::Yes(cube.to_vec()),
        }
    }

    fn counterexample(&mut self, _: u32, _: &[i32], _: &i32) -> Option<(u32, Vec<i32>)> {
        None
    }

    fn learn(&mut self, _: u32, _: Vec<i32>) -> bool {
        true
    }

    fn weaker(&self, literal: i32) -> Vec<i32> {
        vec![literal - 1]
    }
}

#[test]
fn weaker_literals_replace_one_that_cannot_be_dropped() {
    // Algorithm 9 of Birgmeier's thesis: "at least 15" cannot be dropped; 14, 13, 12 and 11 will do, 10 is
    // reached.
    let geometric = |max_geo| mic(Limits { max_geo, ..PLAIN });
    assert_eq!(geometric(0).mic(&mut Thresholds, 1, vec![15]), [15]);
    assert_eq!(geometric(2).mic(&mut Thresholds, 1, vec![15]), [13]);
    let mut all = geometric(100);
    assert_eq!(all.mic(&mut Thresholds, 1, vec![15]), [11]);
    assert_eq!(all.weakened, 4);
    // The weaker of two literals is dropped, the stronger one weakened.
    assert_eq!(geometric(100).mic(&mut Thresholds, 1, vec![13, 15]), [11]);
}

#[test]
fn a_counterexample_is_blocked_by_way_of_its_predecessors() {
    // 3 leads into 2 and 2 into 4; nothing leads into 3. To exclude 2 within two steps, 3 goes first.
    let mut successors: Vec<Vec<u8>> = (0..STATES).map(|s| vec![s]).collect();
    successors[2] = vec![4];
    successors[3] = vec![2];
    let system = || Explicit { successors: successors.clone(), initial: vec![0], lemmas: vec![], joined: 0 };
    let with = |max_obligations| mic(Limits { max_ctgs: 3, max_depth: 1, max_obligations, ..PLAIN });
    let (mut short, mut long) = (with(1), with(2));
    short.mic(&mut system(), 3, cube_of(5));
    assert_eq!((short.ctgs, short.extended), (0, 0), "2 can be entered from 3");
    let mut extended = system();
    let cube = with(3).mic(&mut extended, 3, cube_of(5));
    assert!(matches!(extended.blocked(3, &cube), Answer::Yes(_)));
    assert!(extended.lemmas.iter().any(|(_, lemma)| inside(lemma, 3)), "{:?}", extended.lemmas);
    long.mic(&mut system(), 3, cube_of(5));
    assert!(long.extended > 0);
}
