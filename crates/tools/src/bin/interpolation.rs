//! How long interpolation takes, on paths of the loop `x = y = 0; while (*) { x++; y++; } assert(x == y)`.
//!
//! `cargo run --release -p palisade-tools --bin interpolation`

#[path = "../../../smt/tests/common/paths.rs"]
mod paths;

use std::time::Instant;

use palisade_smt::interpolate::{Interpolation, Interpolator, NativeInterpolator, Settings};
use palisade_term::TermPool;
use paths::counters;

fn main() {
    println!("{:>6} {:>12} {:>12}  last interpolant", "steps", "first (us)", "best (us)");
    for steps in [1, 5, 10, 20, 40, 80] {
        let (mut first, mut best, mut shown) = (0.0, f64::INFINITY, String::new());
        for run in 0..20 {
            let pool = TermPool::new();
            let parts = counters(&pool, steps);
            let start = Instant::now();
            let result = NativeInterpolator::new(&pool).interpolate(&parts, &Settings::default());
            let time = start.elapsed().as_secs_f64() * 1e6;
            if run == 0 {
                first = time;
            }
            best = f64::min(best, time);
            shown = match result {
                Interpolation::Interpolants(sequence) => {
                    sequence.last().map_or_else(String::new, |&t| pool.infix(t).to_string())
                }
                other => format!("{other:?}"),
            };
        }
        println!("{steps:>6} {first:>12.0} {best:>12.0}  {shown}");
    }
}
