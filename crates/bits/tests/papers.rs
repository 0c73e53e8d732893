//! The worked examples of the papers.
//!
//! Somenzi and Bradley, IC3: Where Monolithic and Incremental Meet, 2011: Fig. 1 and Fig. 2; and the same
//! systems in a thesis on PDR, which also pushes the clauses of the initial states. In the text to Fig. 2 the
//! first variable is the high bit, but its transition relation shifts the other way: read backwards its
//! states are those of the thesis.

mod common;

use common::states;
use palisade_aig::Circuit;
use palisade_bits::{Clause, Control, Counter, Deaf, Monitor, Options, Verdict, fsis, ic3};

/// Fig. 1 with the latches in the order `x1, x2`, or exchanged. 00 stays, 01 stays or goes to 11, 11 goes to
/// 10, which stays and is bad.
fn fig1(exchanged: bool) -> (Circuit, [usize; 2]) {
    let mut c = Circuit::default();
    let i = c.add_input();
    let order = if exchanged { [1, 0] } else { [0, 1] };
    let latches = [c.add_latch(Some(false)), c.add_latch(Some(false))];
    let (x1, x2) = (latches[order[0]], latches[order[1]]);
    let up = c.aig.and(x2, i);
    c.latches[order[0]].next = c.aig.or(x1, up);
    c.latches[order[1]].next = c.aig.and(!x1, x2);
    c.bads = vec![c.aig.and(x1, !x2)];
    (c, order)
}

/// Fig. 2: a shift register of three bits; bad when all are on.
fn fig2() -> Circuit {
    let mut c = Circuit::default();
    let i = c.add_input();
    let x: Vec<_> = (0..3).map(|_| c.add_latch(Some(false))).collect();
    (c.latches[0].next, c.latches[1].next, c.latches[2].next) = (i, x[0], x[1]);
    c.bads = vec![c.aig.and_all(x)];
    c
}

fn as_in_the_papers() -> Options {
    // Counterexamples to induction are whole states there.
    Options {
        property_frames: true,
        ctg: false,
        ternary: false,
        lift: false,
        simulate_between: 0,
        ..Options::default()
    }
}

fn run(c: &Circuit, options: &Options) -> (Verdict, Vec<Vec<Clause>>) {
    ic3::run_with_frames(c, options, &Control::default(), &mut Deaf)
}

#[test]
fn fig_1_with_both_generalisations() {
    // The lemma is `not x2` for one order of the variables: one frame more and the proof is done.
    let (c, [_, x2]) = fig1(true);
    let (verdict, frames) = run(&c, &as_in_the_papers());
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    assert_eq!(frames, [vec![], vec![], vec![vec![(x2, false)]]], "F_1 and F_2 are P and not x2");
    // For the other order it is `not x1`; then the predecessor 01 has to be excluded, by `not x2`.
    let (c, [x1, x2]) = fig1(false);
    let (verdict, frames) = run(&c, &as_in_the_papers());
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    // F_1 = P, !x1, !x2, then P and !x2: the lemma about 01 holds at once where that about 11 does not.
    let expected = [vec![], vec![vec![(x1, false)]], vec![], vec![vec![(x2, false)]]];
    assert_eq!(frames, expected);
}

#[test]
fn fig_1_takes_the_obligation_t_only_with_the_second_generalisation() {
    let obligations = |exchanged: bool| {
        let mut counts = Counts::default();
        let (verdict, _) =
            ic3::run_with_frames(&fig1(exchanged).0, &as_in_the_papers(), &Control::default(), &mut counts);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        counts.0.iter().find(|(name, _)| *name == "obligations").map(|(_, n)| *n)
    };
    assert_eq!(obligations(true), Some(1), "s = 11, which `not x2` excludes");
    assert_eq!(obligations(false), Some(2), "s, and its predecessor t = 01");
}

#[test]
fn fig_2_fails_by_its_only_run() {
    for ctg in [false, true] {
        let (verdict, frames) = run(&fig2(), &Options { ctg, ..as_in_the_papers() });
        let Verdict::Unsafe(trace) = verdict else { panic!("{verdict:?}") };
        assert_eq!(states(&fig2(), &trace), ["000", "100", "110", "111"], "q0 q1 q3 q7, read backwards");
        assert_eq!(frames, [vec![], vec![vec![(1, false)]], vec![]], "F_1 = P, !x2 and F_2 = P");
    }
}

#[test]
fn the_failing_example_with_clauses_of_the_initial_states() {
    let options = Options { initial_clauses: true, ..as_in_the_papers() };
    let (verdict, frames) = run(&fig2(), &options);
    let Verdict::Unsafe(trace) = verdict else { panic!("{verdict:?}") };
    assert_eq!(states(&fig2(), &trace), ["000", "100", "110", "111"]);
    assert_eq!(
        frames,
        [vec![], vec![vec![(1, false)]], vec![vec![(2, false)]]],
        "F_1 = P, !x2, !x3 and F_2 = P, !x3"
    );
}

#[test]
fn the_passing_example_with_clauses_of_the_initial_states() {
    let options = Options { initial_clauses: true, ..as_in_the_papers() };
    let (c, _) = fig1(false);
    let (verdict, frames) = run(&c, &options);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    let mut last = frames.last().cloned().unwrap_or_default();
    last.sort();
    assert_eq!(last, [vec![(0, false)], vec![(1, false)]], "F_1 = F_2 = P, !x1, !x2");
}

/// Keeps the counters.
#[derive(Default)]
struct Counts(Vec<Counter>);

impl Monitor for Counts {
    fn bound(&mut self, _bound: u32) {}
    fn counters(&mut self, counters: &[Counter]) {
        self.0 = counters.to_vec();
    }
}

#[test]
fn fsis_on_fig_1_and_with_two_states_exchanged() {
    let excluded = |c: &Circuit| {
        let mut counts = Counts::default();
        let options = Options { ternary: false, lift: false, ..Options::default() };
        let verdict = fsis::run_as_is(c, &options, &Control::default(), &mut counts);
        let Verdict::Safe(invariant) = verdict else { panic!("{verdict:?}") };
        let count = counts.0.iter().find(|(name, _)| *name == "excluded").map(|(_, n)| *n);
        (invariant.clauses, count)
    };
    // Bad is 10, which 11 leads to. The negation of 11 has a subclause that is inductive relative to `P`:
    // `not x2`. No state is excluded alone.
    let (clauses, count) = excluded(&fig1(false).0);
    assert_eq!((clauses, count), (vec![vec![(1, false)]], Some(0)));
    // q2 is 10 and q3 is 11: the negation of 10 has no inductive subclause, so that state is excluded alone.
    let mut c = Circuit::default();
    let i = c.add_input();
    let (x1, x2) = (c.add_latch(Some(false)), c.add_latch(Some(false)));
    // 00 stays, 01 stays or goes to 10, 10 goes to 11, which stays.
    let leave = c.aig.and(x2, i);
    let stay = c.aig.and(x2, !i);
    c.latches[0].next = c.aig.or(x1, leave);
    c.latches[1].next = c.aig.or(x1, stay);
    c.bads = vec![c.aig.and(x1, x2)];
    let (clauses, count) = excluded(&c);
    assert!(clauses.contains(&vec![(0, false), (1, true)]), "not 10 is a clause: {clauses:?}");
    assert_eq!(count, Some(1), "q2");
}
