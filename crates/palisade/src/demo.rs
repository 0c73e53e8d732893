//! `palisade demo`: three small examples, run and explained.
//!
//! The programs are part of the binary. They are written to a temporary folder, where their places are looked
//! up, and nothing else is written. Each example is an ordinary `palisade verify` with its own session; what
//! it prints is what the user would see.
//!
//! Entry point: [`run()`].

use std::io::Write as _;
use std::sync::Arc;

use palisade_front_c::scratch::Folder;

use crate::args::{Format, LimitArgs};
use crate::failure::Failure;
use crate::session::{Outputs, Session};
use crate::{args, drive, run};

/// One example.
struct Example {
    /// What is shown, before it is run.
    before: &'static str,
    /// The name of the program, and its text.
    name: &'static str,
    text: &'static str,
    /// The options.
    options: &'static [&'static str],
    /// What was seen.
    after: &'static str,
}

const EXAMPLES: [Example; 3] = [
    Example {
        before: "1. A proof. `n` is any number; the loop counts `x` and `y` up together, and the assertion \
                 says that they end equal. No test can try every `n`.",
        name: "sum.c",
        text: include_str!("demo/sum.c"),
        options: &[],
        after: "The line below the position of the loop is an inductive invariant: it holds before the loop, \
                every turn of the loop keeps it, and it implies the assertion. It was found by one part of \
                Palisade and checked by another.",
    },
    Example {
        before: "2. A bug. The loop runs one step too far: `<=` where `<` was meant.",
        name: "off_by_one.c",
        text: include_str!("demo/off_by_one.c"),
        options: &[],
        after: "This is a run of the program, statement by statement. `with` says which value came from \
                outside, `=>` what changed. The last statement violates the assertion. `--harness F.c` would \
                write it as a C file, which makes the compiled program fail in the same way.",
    },
    Example {
        before: "3. No answer. This program fails late, in the fiftieth turn of its loop. Bounded model \
                 checking looks for bugs only, and here only through eight turns.",
        name: "late.c",
        text: include_str!("demo/late.c"),
        options: &["--engine", "bmc", "--set", "bmc.bound=8"],
        after: "UNKNOWN is never a guess: it comes with the reason, and with what is known. Here: no run of \
                up to so many steps violates the assertion. A larger bound finds the bug, and so does the \
                default engine (`palisade engines` lists all of them).",
    },
];

/// Runs all examples; the exit code is 0 if each ended as it must.
pub fn run() -> Result<u8, Failure> {
    let expected = [0, 10, 20];
    let mut as_expected = true;
    let folder =
        Folder::new("demo").map_err(|e| Failure::usage(format!("there is no temporary folder: {e}")))?;
    for example in &EXAMPLES {
        let path = folder.path().join(example.name);
        std::fs::write(&path, example.text)
            .map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))?;
    }
    std::env::set_current_dir(folder.path())
        .map_err(|e| Failure::usage(format!("cannot read {}: {e}", folder.path().display())))?;
    for (example, code) in EXAMPLES.iter().zip(expected) {
        say(&format!("{}\n\n{}", wrapped(example.before), numbered(example.text)));
        say(&format!("$ palisade verify {}\n", [example.options, &[example.name]].concat().join(" ")));
        as_expected &= verify(example)? == code;
        say(&format!("\n{}\n\n", wrapped(example.after)));
    }
    say(&wrapped(
        "Next: `palisade verify YOUR.c`. `palisade help verify` lists the options; the book in docs/book \
         begins where this ends.",
    ));
    say("\n");
    match as_expected {
        true => Ok(0),
        false => Err(Failure::internal("an example of the demonstration did not end as it must")),
    }
}

fn verify(example: &Example) -> Result<u8, Failure> {
    let words = ["palisade", "verify"].into_iter();
    let args = args::verify(words.chain(example.options.iter().copied()).chain([example.name]))?;
    let plan = drive::Plan::new(&args)?;
    let subject = drive::subject(&args, &plan);
    let session = Session::new(Format::Palisade, subject, Outputs::default(), None);
    run::watched(session, LimitArgs { timeout: Some(60.0), memory: None }, |session| {
        drive::verify(&args, plan, session).map(|report| (Arc::clone(session), report))
    })
}

/// A reader that has seen enough (`| head`) is no error.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn numbered(text: &str) -> String {
    let line = |(i, l): (usize, &str)| format!("{:>6}  {l}\n", i + 1);
    text.lines().enumerate().map(line).chain(["\n".to_string()]).collect()
}

/// Lines of at most 80 columns.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 80 {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}
