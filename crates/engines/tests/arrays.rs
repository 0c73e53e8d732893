//! Programs over small arrays on the SAT core: each element is a variable there, and claims come back as
//! claims about arrays.

mod common;

use common::{Native, Recorder, edge, location, verdict};
use palisade_engines::ic3_loop::Ic3Engine;
use palisade_engines::imc::Imc;
use palisade_engines::{Budget, Engine, Options, Outcome, Reason, Task};
use palisade_program::Program;
use palisade_term::{Sort, Term, TermPool};

/// A memory of 2-bit words, at first 0, that is written at any place with any value below 3 (or any at all);
/// bad when a place has 3. `width` is that of the index.
fn memory(pool: &TermPool, width: u32, any: bool) -> Program {
    let word = Sort::BitVec(2);
    let sort = Sort::array(Sort::BitVec(width), word.clone());
    let mem = pool.var("mem", sort.clone());
    let (place, value) = (pool.var("place", Sort::BitVec(width)), pool.var("value", word));
    let three: Term = pool.bitvec(3, 2);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let head = location(&mut p, "head", &[mem]);
    edge(&mut p, entry, head, &[], pool.tru(), &[pool.const_array(&sort, pool.bitvec(0, 2))]);
    let guard = if any { pool.tru() } else { pool.not(pool.eq(value, three)) };
    edge(&mut p, head, head, &[place, value], guard, &[pool.store(mem, place, value)]);
    edge(&mut p, head, error, &[place], pool.eq(pool.select(mem, place), three), &[]);
    p
}

#[test]
fn small_arrays_become_bits() {
    let sat = [("ic3.backend", "sat"), ("imc.backend", "sat")];
    let engines: [&dyn Engine; 2] = [&Ic3Engine, &Imc];
    for engine in engines {
        for width in [1, 2] {
            let pool = TermPool::new();
            let (safe, _) = verdict(engine, &pool, &memory(&pool, width, false), &sat);
            assert!(safe, "{}, index of {width} bits", engine.name());
            let (safe, _) = verdict(engine, &pool, &memory(&pool, width, true), &sat);
            assert!(!safe, "{}, index of {width} bits", engine.name());
        }
    }
}

#[test]
fn large_arrays_are_refused_by_name() {
    let pool = TermPool::new();
    let program = memory(&pool, 20, false);
    let mut options = Options::new();
    options.set("ic3.backend", "sat").expect("a good option");
    let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
    let outcome = Ic3Engine.run(&task, &Budget::unlimited(), &mut Recorder::default());
    let Outcome::Unknown(Reason::Incomplete(why), _) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("the array `mem` is not small"), "{why}");
}
