//! Telling the person who waits how far it is: a bar on a terminal, now and then a line elsewhere. Everything
//! goes to stderr.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::record::{Class, Row};
use crate::summary::describe;

/// How many lines a run without terminal prints.
const LINES: usize = 20;

/// The progress of a run.
pub struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    done: usize,
    solved: usize,
    problems: usize,
}

impl Progress {
    /// A run of `total` rows of which `reused` are known already.
    pub fn new(total: usize, reused: usize) -> Progress {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64).with_position(reused as u64);
            let style = ProgressStyle::with_template(
                "{bar:30} {pos}/{len} [{elapsed_precise}, left {eta_precise}] {msg}",
            );
            bar.set_style(style.expect("a constant template").progress_chars("=> "));
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        let progress = Progress { bar, total, done: reused, solved: 0, problems: 0 };
        if reused > 0 {
            progress.say(&format!("{reused} of {total} runs are known already"));
        }
        progress
    }

    /// Another row is known.
    pub fn advance(&mut self, row: &Row) {
        self.done += 1;
        match row.class() {
            Class::Solved => self.solved += 1,
            Class::Wrong => self.alert("WRONG VERDICT", row),
            Class::BadCertificate => self.alert("BAD CERTIFICATE", row),
            Class::Error => self.say(&format!("error: {}", describe(row))),
            Class::Unknown | Class::Timeout | Class::Memout | Class::Unsupported => {}
        }
        let counts = format!("{} solved, {} wrong", self.solved, self.problems);
        if let Some(bar) = &self.bar {
            bar.set_message(counts);
            bar.set_position(self.done as u64);
        } else if self.done.is_multiple_of(self.total.div_ceil(LINES)) || self.done == self.total {
            eprintln!("bench: {}/{} runs, {counts}", self.done, self.total);
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Prints a line beside the bar.
    pub fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("bench: {text}")),
            None => eprintln!("bench: {text}"),
        }
    }

    fn alert(&mut self, title: &str, row: &Row) {
        self.problems += 1;
        let (start, end) = if self.bar.is_some() { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        self.say(&format!("{start}*** {title} ***{end} {}", describe(row)));
    }
}
