//! When to restart: glucose-style moving averages of the glue, alternating with stable phases on the Luby
//! sequence.
//!
//! Averages (Audemard and Simon, "Refining Restarts Strategies for SAT and UNSAT", 2012; in the exponential
//! form of Biere and Fröhlich, "Evaluating CDCL Restart Schemes", 2015) restart quickly while learned clauses
//! get worse than usual, which is good at refuting. The stable phases in between let the search settle on a
//! model.

use crate::options::{Options, RestartPolicy};

/// An exponential moving average whose first values are not biased towards zero.
#[derive(Clone, Copy)]
struct Ema {
    value: f64,
    biased: f64,
    alpha: f64,
    weight: f64,
}

impl Ema {
    fn new(window: f64) -> Self {
        Ema { value: 0.0, biased: 0.0, alpha: 1.0 / window, weight: 1.0 }
    }

    fn update(&mut self, x: f64) {
        self.biased += self.alpha * (x - self.biased);
        self.weight *= 1.0 - self.alpha;
        self.value = self.biased / (1.0 - self.weight);
    }
}

/// The `i`-th term (from 0) of the Luby sequence 1 1 2 1 1 2 4 ...
pub(crate) fn luby(mut i: u64) -> u64 {
    loop {
        let k = 64 - (i + 1).leading_zeros();
        if i + 1 == (1 << k) - 1 {
            return 1 << (k - 1);
        }
        i -= (1 << (k - 1)) - 1;
    }
}

pub(crate) struct Restarts {
    fast: Ema,
    slow: Ema,
    since: u64,
    luby_index: u64,
    stable: bool,
    in_mode: u64,
    mode_length: u64,
}

const MIN_INTERVAL: u64 = 10;
const MARGIN: f64 = 1.15;
const LUBY_UNIT: u64 = 128;
const FIRST_MODE_LENGTH: u64 = 1000;

impl Restarts {
    pub(crate) fn new() -> Self {
        Restarts {
            fast: Ema::new(32.0),
            slow: Ema::new(8192.0),
            since: 0,
            luby_index: 0,
            stable: false,
            in_mode: 0,
            mode_length: FIRST_MODE_LENGTH,
        }
    }

    /// Forgets the progress of the last query; the averages stay.
    pub(crate) fn new_query(&mut self) {
        self.since = 0;
        self.luby_index = 0;
        self.stable = false;
        self.in_mode = 0;
        self.mode_length = FIRST_MODE_LENGTH;
    }

    pub(crate) fn conflict(&mut self, glue: u32) {
        self.fast.update(f64::from(glue));
        self.slow.update(f64::from(glue));
        self.since += 1;
        self.in_mode += 1;
    }

    pub(crate) fn due(&mut self, options: &Options) -> bool {
        let stable = match options.restarts {
            RestartPolicy::Never => return false,
            RestartPolicy::Luby => true,
            RestartPolicy::Glucose => false,
            RestartPolicy::Alternate => {
                if self.in_mode >= self.mode_length {
                    self.in_mode = 0;
                    self.stable = !self.stable;
                    self.mode_length += self.mode_length / 4;
                }
                self.stable
            }
        };
        let due = if stable {
            self.since >= LUBY_UNIT * luby(self.luby_index)
        } else {
            self.since >= MIN_INTERVAL && self.fast.value > MARGIN * self.slow.value
        };
        if due {
            self.since = 0;
            self.luby_index += u64::from(stable);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luby_sequence() {
        let terms: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(terms, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn ema_starts_unbiased() {
        let mut e = Ema::new(100.0);
        e.update(7.0);
        assert!((e.value - 7.0).abs() < 1e-9);
    }
}
