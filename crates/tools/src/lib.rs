//! Development tools, one binary each. They are for the people who work on Palisade; nothing depends on them.
//!
//! `cargo run --release -p palisade-tools --bin NAME -- ARGUMENTS`; the head of each file in `src/bin` says
//! what the arguments are.
//!
//! - `circuits`: runs Boolean IC3 on AIGER files and prints verdicts, times and counters;
//! - `csmith`, `layouts`: do verdicts about random C programs say what the compiled program does?;
//! - `difftest`: compares the native solver with z3 on random scripts, without end;
//! - `fuzz_c`, `fuzz_readers`: fuzz the C front-end, and the readers of SMT-LIB, Horn, VMT, AIGER, BTOR2 and
//!   certificates;
//! - `growth`: does one solver stay small and fast over very many queries?;
//! - `interpolation`: times interpolation on paths of a loop;
//! - `octagons`: times the arithmetic solver on difference and octagon systems;
//! - `roundtrip`: does what the writers write mean what was read?;
//! - `sat_stream`, `smt_stream`: time per query on streams of queries as IC3 asks them;
//! - `survey`, `translate_c`: reads files, says what was read and why others were refused;
//! - `transform_scale`: times the transformations on families of synthetic programs;
//! - `unrollings`: single hard queries: unrolled transition systems, beside z3.
