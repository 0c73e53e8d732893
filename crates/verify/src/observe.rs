//! What a caller can learn while a run lasts: the events of the engine, the phase, the prepared program.

use palisade_engines::Silent;
use palisade_program::Program;
use palisade_term::TermPool;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Preparing the program for the engine.
    Transforming,
    /// The engine runs.
    Verifying,
    /// A proof is translated back to the original program.
    Translating,
    /// The claim is checked on the original program.
    Checking,
}

impl Phase {
    /// The phase as a word for people.
    pub fn words(self) -> &'static str {
        match self {
            Phase::Transforming => "transforming",
            Phase::Verifying => "verifying",
            Phase::Translating => "translating the proof back",
            Phase::Checking => "checking the certificate",
        }
    }
}

/// Receives the events of the engine, and what happens around it.
///
/// Locations and edges of engine events belong to the program of the last call of
/// [`prepared`](Self::prepared).
pub trait Observer: palisade_engines::Observer {
    /// A phase begins.
    fn phase(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// An engine is about to run on this program.
    fn prepared(&mut self, pool: &TermPool, program: &Program) {
        let _ = (pool, program);
    }
}

impl Observer for Silent {}
