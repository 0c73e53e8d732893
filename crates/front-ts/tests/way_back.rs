//! What the readers say about the way back: properties by index, predicates by name, models of the original
//! script.

mod common;

use std::path::{Path, PathBuf};

use common::z3;
use palisade_front_ts::{read_horn, read_vmt, write};
use palisade_program::Property;
use palisade_term::TermPool;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file)
}

#[test]
fn a_property_can_be_selected() {
    let text = std::fs::read_to_string(data("vmt/toggle-unsafe.vmt")).expect("readable");
    let pool = TermPool::new();
    let both = read_vmt(&pool, "f", &text, None).expect("readable");
    assert_eq!(both.map.properties.iter().map(|p| p.index).collect::<Vec<_>>(), [3, 7]);
    let second = read_vmt(&pool, "f", &text, Some(7)).expect("readable");
    assert_eq!(second.map.properties.len(), 1);
    let names: Vec<_> = second.program.edges.iter().filter_map(|e| e.origin.property.clone()).collect();
    assert_eq!(names, [Property::Violated("invar-property 7".into())]);
    let error = read_vmt(&pool, "f", &text, Some(5)).expect_err("no such property");
    assert!(error.message.contains("index 5"), "{error}");
}

#[test]
fn the_way_back_names_predicates_and_parameters() {
    let pool = TermPool::new();
    let text = std::fs::read_to_string(data("horn/rules.smt2")).expect("readable");
    let horn = read_horn(&pool, "f", &text).expect("readable");
    assert_eq!(horn.map.dialect, palisade_front_ts::Dialect::Rules);
    let names: Vec<&str> = horn.map.predicates.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p", "bad", "worse"]);
    for p in &horn.map.predicates {
        let sorts: Vec<_> = horn.program.sorts(&pool, p.location).cloned().collect();
        assert_eq!(sorts, p.sorts);
    }
}

/// A model is right when every assertion of the script holds with the predicates defined by it.
#[test]
fn models_satisfy_the_original_script() {
    let text = std::fs::read_to_string(data("horn/inlined-safe.smt2")).expect("readable");
    let pool = TermPool::new();
    let horn = read_horn(&pool, "f", &text).expect("readable");
    // An inductive invariant at `inv`; predicates that were inlined have their definitions.
    let named = |name: &str| horn.map.predicates.iter().find(|p| p.name == name).expect("declared");
    for (name, inlined) in [("inv", false), ("step", true), ("half", true), ("seen", false)] {
        assert_eq!(named(name).definition.is_some(), inlined, "{name}");
    }
    let x = horn.program.vars(named("inv").location)[0];
    let even = pool.eq(pool.int_mod(x, pool.int(2)), pool.int(0));
    let invariant = |l| if l == named("inv").location { even } else { pool.tru() };
    let model = write::horn_model(&pool, &horn, invariant);
    let script: String = (text.lines())
        .filter(|l| !l.starts_with("(declare-fun") && !l.starts_with("(set-logic"))
        .map(|l| format!("{l}\n"))
        .collect();
    let inside = |model: &str| {
        let model = model.trim();
        model[1..model.len() - 1].to_string()
    };
    let definitions = inside(&model);
    assert_eq!(model.matches("define-fun").count(), 4);
    if let Some(answer) = z3(&format!("{definitions}\n{script}"), 20) {
        assert_eq!(answer, "sat", "{definitions}\n{script}");
        // With a wrong invariant it is no model.
        let wrong = write::horn_model(&pool, &horn, |_| pool.tru());
        assert_eq!(z3(&format!("{}\n{script}", inside(&wrong)), 20).as_deref(), Some("unsat"));
    }
}
