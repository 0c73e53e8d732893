//! Random programs about memory ([`palisade_fuzzing::layouts`]). The compiler must confirm their layouts in
//! both data models, and every value that they assign must be that of the compiled program, in modes `c` and
//! `bv` for ILP32 and LP64.
//!
//! `PALISADE_TEST_SCALE=50 PALISADE_TEST_SEED=100 cargo test -p palisade-front-c --test layouts` runs 50
//! times as many programs, others than usual.

use palisade_front_c::{
    COptions, Confirmation, CrossCheck, DataModel, Input, IntMode, cross_check, translate,
};
use palisade_term::TermPool;

#[test]
fn random_layouts_are_those_of_the_compiler() {
    let seeds = palisade_fuzzing::seeds(1..13);
    let count = seeds.end - seeds.start;
    let (mut confirmed, mut compared, mut values) = (0, 0, 0);
    for seed in seeds {
        let text = palisade_fuzzing::layouts(seed) + "void report(unsigned sum) { }\n";
        let input = || [Input::Text("t.i".into(), text.clone())];
        for data_model in [DataModel::Ilp32, DataModel::Lp64] {
            let options = COptions { data_model, ..COptions::default() };
            let c = translate(&TermPool::new(), &input(), &options)
                .unwrap_or_else(|e| panic!("program {seed} is refused: {}\n{text}", e.render(false)));
            match c.confirmation {
                Confirmation::Confirmed { .. } => confirmed += 1,
                Confirmation::NoCompiler => return eprintln!("no compiler: not tested"),
                other => panic!("program {seed}, {data_model:?}: {other}\n{text}"),
            }
        }
        // Two of the four, in turns: a compiler takes much longer than the comparison.
        let modes = if seed % 2 == 0 { [IntMode::C, IntMode::Bv] } else { [IntMode::Bv, IntMode::C] };
        for (int_mode, data_model) in modes.into_iter().zip([DataModel::Ilp32, DataModel::Lp64]) {
            let options = COptions { int_mode, data_model, ..COptions::default() };
            match cross_check(&input(), &options, 6, seed).expect("translated") {
                CrossCheck::Agree { values: n, .. } => (compared, values) = (compared + 1, values + n),
                // Only Linux on x86 runs 32-bit programs without a library for them.
                CrossCheck::Impossible(why)
                    if data_model == DataModel::Ilp32 && !cfg!(target_os = "linux") =>
                {
                    eprintln!("ILP32 not tested: {why}");
                }
                CrossCheck::Impossible(why) => panic!("program {seed}: {why}\n{text}"),
                differ => panic!("program {seed}, {int_mode:?}, {data_model:?}: {differ}\n{text}"),
            }
        }
    }
    println!("{count} programs: {confirmed} confirmed, {compared} compared, {values} values");
    assert!(values as u64 > 20 * count, "only {values} values were compared");
}
