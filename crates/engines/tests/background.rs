//! Facts that are found before the engine starts, and without which it would count for ever.

mod common;

use common::{edge, location, verdict};
use palisade_engines::ic3_cfa::Ic3CfaEngine;
use palisade_float::{Circuits, Format, Rounding};
use palisade_program::Program;
use palisade_term::{Sort, TermPool};

/// `x = 1; y = 5; loop { x += 2 * input; y += 4 * input' }`, words of 32 bits; error when `x + y = 3` (or
/// another sum).
fn steps_of_powers_of_two(pool: &TermPool, sum: i64) -> Program {
    let word = |name: &str| pool.var(name, Sort::BitVec(32));
    let (x, y, a, b) = (word("x"), word("y"), word("a"), word("b"));
    let number = |n: i64| pool.bitvec(n, 32);
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[number(1), number(5)]);
    let next = [pool.bv_add(x, pool.bv_mul(number(2), a)), pool.bv_add(y, pool.bv_mul(number(4), b))];
    edge(&mut p, l, l, &[a, b], pool.tru(), &next);
    edge(&mut p, l, error, &[], pool.eq(pool.bv_add(x, y), number(sum)), &[]);
    p
}

#[test]
fn low_bits_of_words_are_congruences() {
    let pool = TermPool::new();
    let (safe, _) = verdict(&Ic3CfaEngine, &pool, &steps_of_powers_of_two(&pool, 3), &[]);
    assert!(safe, "the sum is even");
    // Words wrap around: 2^32 - 2 and every other even sum is reached.
    let (safe, _) = verdict(&Ic3CfaEngine, &pool, &steps_of_powers_of_two(&pool, -2), &[]);
    assert!(!safe);
}

/// `x = 0; y = 7; loop { x += input; y += input }`: the difference of words is constant, although both wrap
/// around.
#[test]
fn differences_of_words_are_constant() {
    let pool = TermPool::new();
    let word = |name: &str| pool.var(name, Sort::BitVec(16));
    let (x, y, a) = (word("x"), word("y"), word("a"));
    let number = |n: i64| pool.bitvec(n, 16);
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[number(0), number(7)]);
    edge(&mut p, l, l, &[a], pool.tru(), &[pool.bv_add(x, a), pool.bv_add(y, a)]);
    edge(&mut p, l, error, &[], pool.not(pool.eq(pool.bv_sub(y, x), number(7))), &[]);
    let (safe, _) = verdict(&Ic3CfaEngine, &pool, &p, &[]);
    assert!(safe);
}

/// `x = 0; loop { x = x / 2 + input }` in `float`, where the input is between -1 and 1: `x` stays between -2
/// and 2, which the program compares it with. One error is beyond that, the other one within.
#[test]
fn floating_point_numbers_have_ranges() {
    let pool = TermPool::new();
    let f = Format::BINARY32;
    let c = Circuits::new(&pool, f);
    let number = |v: f32| c.constant(u64::from(v.to_bits()));
    let (x, a) = (pool.var("x", Sort::BitVec(32)), pool.var("a", Sort::BitVec(32)));
    let program = |limit: f32| {
        let mut p = Program::new();
        let l = location(&mut p, "loop", &[x]);
        let (entry, error) = (p.entry, p.error);
        edge(&mut p, entry, l, &[], pool.tru(), &[number(0.0)]);
        let small = pool.and2(c.le(number(-1.0), a), c.le(a, number(1.0)));
        let r = Rounding::NearestEven;
        edge(&mut p, l, l, &[a], small, &[c.add(r, c.mul(r, number(0.5), x), a)]);
        edge(&mut p, l, error, &[], pool.not(c.le(x, number(limit))), &[]);
        p
    };
    assert!(verdict(&Ic3CfaEngine, &pool, &program(2.0), &[]).0);
    assert!(!verdict(&Ic3CfaEngine, &pool, &program(1.0), &[]).0);
}

/// `text[n - 1] = last; s = 0; loop while text[s] != 0 { s += 1 }`: with a zero at its end, the loop stays in
/// the text, whatever else is in it.
#[test]
fn a_loop_stays_before_the_zero_that_was_stored() {
    let pool = TermPool::new();
    let int = |name: &str| pool.var(name, Sort::Int);
    let sort = Sort::array(Sort::Int, Sort::Int);
    let (text, any, s, n) = (pool.var("text", sort.clone()), pool.var("any", sort), int("s"), int("n"));
    let one = pool.int(1);
    let program = |last: i64| {
        let mut p = Program::new();
        let l = location(&mut p, "loop", &[text, s, n]);
        let (entry, error) = (p.entry, p.error);
        let stored = pool.store(any, pool.sub(n, one), pool.int(last));
        edge(&mut p, entry, l, &[any, n], pool.ge(n, one), &[stored, pool.int(0), n]);
        let zero = pool.eq(pool.select(text, s), pool.int(0));
        edge(&mut p, l, l, &[], pool.not(zero), &[text, pool.add([s, one]), n]);
        edge(&mut p, l, error, &[], pool.ge(s, n), &[]);
        p
    };
    assert!(verdict(&Ic3CfaEngine, &pool, &program(0), &[]).0);
    assert!(!verdict(&Ic3CfaEngine, &pool, &program(1), &[]).0);
}
