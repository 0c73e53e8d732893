//! Terms: what is read can be written and read again, as the same term.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_smtlib::{Context, Tree, Writer};
use palisade_term::{Sort, TermPool};

fuzz_target!(|text: &str| {
    let Ok(tree) = Tree::parse(text) else { return };
    let pool = TermPool::new();
    let array = Sort::array(Sort::Int, Sort::Real);
    let vars = [("x", Sort::Int), ("y", Sort::Bool), ("v", Sort::BitVec(8)), ("r", Sort::Real), ("a", array)];
    let mut context = Context::new(&pool);
    for (name, sort) in &vars {
        context.define_name(name, pool.var(name, sort.clone()));
    }
    for s in tree.roots() {
        let Ok(t) = context.term(s) else { continue };
        if !context.opaques_of(t).is_empty() {
            continue;
        }
        let written = Writer::new(&pool).term(t);
        let tree = Tree::parse(&written).expect("what is written is an expression");
        let again = context.term(tree.roots().next().expect("one")).expect("what is written is a term");
        assert_eq!(again, t, "{written}");
    }
});
