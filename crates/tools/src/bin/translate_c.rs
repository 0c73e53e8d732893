//! Translates each file given and prints the size of the result, or why it was refused: `cargo run --release
//! -p palisade-tools --bin translate_c -- [--int math|c|bv] [--64] [--check LIST] [--dump] [--unconfirmed]
//! [--cross-check N] FILE...`

use std::time::Instant;

use palisade_front_c::{COptions, Checks, DataModel, Input, IntMode, cross_check, translate};
use palisade_program::Property;
use palisade_term::TermPool;

fn main() {
    let mut options = COptions::default();
    let mut dump = false;
    let mut runs = None;
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        match a.as_str() {
            "--int" => {
                options.int_mode = match args.next().as_deref() {
                    Some("math") => IntMode::Math,
                    Some("bv") => IntMode::Bv,
                    _ => IntMode::C,
                }
            }
            "--64" => options.data_model = DataModel::Lp64,
            "--check" => {
                options.checks = Checks::parse(&args.next().unwrap_or_default()).expect("a list of checks")
            }
            "--dump" => dump = true,
            "--unconfirmed" => options.confirm = false,
            "--cross-check" => runs = args.next().and_then(|n| n.parse().ok()),
            _ => files.push(a),
        }
    }
    for file in files {
        let pool = TermPool::new();
        let start = Instant::now();
        match translate(&pool, &[Input::Path(file.clone().into())], &options) {
            Err(e) => println!(
                "REFUSED {file}: {}\n{}",
                e.to_string().lines().next().unwrap_or(""),
                e.render(false)
            ),
            Ok(c) => {
                let p = &c.program;
                let most = p.locations.iter().map(|l| l.vars.len()).max().unwrap_or(0);
                let mut reasons: Vec<&str> = p
                    .edges
                    .iter()
                    .filter_map(|e| e.origin.property.as_ref().and_then(Property::unsupported))
                    .collect();
                reasons.sort_unstable();
                reasons.dedup();
                println!(
                    "ok {file} {} locations {} edges {most} variables {} terms {:.3} s unsupported {} {}",
                    p.locations.len(),
                    p.edges.len(),
                    pool.len(),
                    start.elapsed().as_secs_f64(),
                    reasons.len(),
                    reasons.iter().take(3).map(|r| format!("<{r}>")).collect::<Vec<_>>().join(" ")
                );
                println!("    {}", c.confirmation);
                if let Some(n) = runs {
                    match cross_check(&[Input::Path(file.clone().into())], &options, n, 0) {
                        Ok(result) => println!("    {result:?}\n    {result}"),
                        Err(e) => println!("    REFUSED {e}"),
                    }
                }
                if let Err(e) = p.check(&pool) {
                    println!("MALFORMED {file}: {e}");
                }
                if dump {
                    print_program(&pool, p);
                }
            }
        }
    }
}

fn print_program(pool: &TermPool, p: &palisade_program::Program) {
    for l in p.locs() {
        let vars: Vec<String> = p.vars(l).iter().map(|&v| pool.infix(v).to_string()).collect();
        println!("{}: {}", p.location(l).name, vars.join(" "));
    }
    for e in p.edge_ids() {
        let edge = p.edge(e);
        println!(
            "{} -> {}  when {}",
            p.location(edge.source).name,
            p.location(edge.target).name,
            pool.infix(edge.guard)
        );
        for (v, u) in p.vars(edge.target).iter().zip(&edge.update) {
            if v != u {
                println!("    {} := {}", pool.infix(*v), pool.infix(*u));
            }
        }
        for s in &edge.origin.statements {
            println!(
                "    // {} {}",
                s.position.as_ref().map_or(String::new(), |p| format!("{}:{}", p.line, p.column)),
                s.text
            );
        }
        if let Some(p) = &edge.origin.property {
            println!("    !! {p}");
        }
    }
}
