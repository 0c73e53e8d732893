//! Results about circuits in the words of hardware model checking: witnesses as `aigsim` and `btorsim` read
//! them, and witness circuits.
//!
//! A witness is executed before anybody sees it, and on the way that a reader goes: its text is read back,
//! and what was read is run on the circuit (AIGER) or on the program (BTOR2).
//!
//! Entry points: [`Hardware::witness`], [`Hardware::read_witness`], [`Hardware::witness_circuit`],
//! [`Hardware::check_circuit`].

use palisade_aig::program::Translation;
use palisade_aig::{Circuit, aiger, read_witness, write_witness};
use palisade_front_ts::{Btor2Map, read_btor2_witness, write_btor2_witness};
use palisade_program::{CutInvariants, Program, Run, interpret};
use palisade_term::TermPool;

/// A circuit as its file has it, and the way from its program back to it.
pub enum Hardware {
    /// AIGER.
    Aiger(Box<(Circuit, Translation)>),
    /// BTOR2.
    Btor2(Btor2Map),
}

impl Hardware {
    /// The witness of a run into the error location.
    ///
    /// # Errors
    /// If the run has no witness (arrays that no witness can name), or if its witness does not execute, which
    /// is a defect.
    pub fn witness(&self, pool: &TermPool, program: &Program, run: &Run) -> Result<String, String> {
        let text = match self {
            Hardware::Aiger(aiger) => {
                let (circuit, translation) = &**aiger;
                let (trace, bad) = translation.trace(circuit, run).ok_or("the run is none of the circuit")?;
                write_witness(&trace, bad)
            }
            Hardware::Btor2(map) => {
                write_btor2_witness(map, run).ok_or("the run has an array that a witness cannot state")?
            }
        };
        self.read_witness(pool, program, &text).map_err(|e| format!("the witness does not execute: {e}"))?;
        Ok(text)
    }

    /// The run of the program that a witness describes. It was executed, and reaches the error location.
    ///
    /// # Errors
    /// Says what is wrong with the witness.
    pub fn read_witness(&self, pool: &TermPool, program: &Program, text: &str) -> Result<Run, String> {
        match self {
            Hardware::Aiger(aiger) => {
                let (circuit, translation) = &**aiger;
                let (trace, bad) = read_witness(circuit, text)?;
                circuit.replay_bad(&trace, bad).map_err(|e| e.to_string())?;
                Ok(translation.run(&trace, bad))
            }
            Hardware::Btor2(map) => {
                let run = read_btor2_witness(pool, program, map, text)?;
                let replay = interpret(pool, program, &run).map_err(|e| e.to_string())?;
                let end = replay.states.last().map(|(l, _)| *l);
                if end == Some(program.error) { Ok(run) } else { Err("the run is not bad at its end".into()) }
            }
        }
    }

    /// The witness circuit of a proof, as a binary AIGER file; none for BTOR2, or if the proof is not about
    /// single latches.
    pub fn witness_circuit(&self, pool: &TermPool, invariants: &CutInvariants) -> Option<Vec<u8>> {
        let Hardware::Aiger(aiger) = self else { return None };
        let (circuit, translation) = &**aiger;
        let invariant = invariants.at(translation.head())?;
        let witness = translation.witness_circuit(pool, circuit, invariant)?;
        Some(aiger::write_binary(&witness))
    }

    /// Is the AIGER file a witness circuit that proves this circuit safe?
    ///
    /// # Errors
    /// Says why not.
    pub fn check_circuit(&self, witness: &[u8]) -> Result<(), String> {
        let Hardware::Aiger(aiger) = self else {
            return Err("a witness circuit certifies an AIGER circuit only".into());
        };
        let witness = aiger::read(witness).map_err(|e| e.to_string())?;
        palisade_certify::check_witness_circuit(&aiger.0, &witness).map_err(|e| e.to_string())
    }

    /// The properties of the circuit, as a witness names them.
    pub fn properties(&self, program: &Program) -> String {
        let count = program.edges.iter().filter(|e| e.target == program.error).count();
        (0..count).map(|i| format!("b{i}")).collect()
    }

    /// The words for an answer without a run: safe or unknown.
    pub fn status(&self, safe: bool) -> &'static str {
        match (self, safe) {
            (Hardware::Aiger(_), true) => "0",
            (Hardware::Aiger(_), false) => "2",
            (Hardware::Btor2(_), true) => "unsat",
            (Hardware::Btor2(_), false) => "unknown",
        }
    }
}

/// Is this the beginning of a witness, rather than of a certificate of ours: a status and a property?
pub fn is_witness(text: &str) -> bool {
    let mut lines = text.lines().filter(|l| !l.starts_with('c') && !l.starts_with(';')).map(str::trim);
    let violated = matches!(lines.next(), Some("1" | "sat"));
    let property = lines.next().and_then(|l| l.strip_prefix('b'));
    violated && property.is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn witnesses_are_told_from_certificates() {
        assert!(is_witness("1\nb0\n01\n.\n"));
        assert!(is_witness("; comment\nsat\nb12\n#0\n@0\n.\n"));
        assert!(!is_witness("sat\n(define-fun p () Bool true)\n"));
        assert!(!is_witness("{\"format\": \"palisade-run\"}"));
        assert!(!is_witness("0\nb0\n.\n"));
    }
}
