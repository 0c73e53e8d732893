//! The check of a certificate file against a program, without an engine.
//!
//! Entry point: [`check`].

use palisade_certify::{Checker, FileError, FileKind};
use palisade_engines::{Budget, SolverFactory};
use palisade_program::{Measures, Watched};
use palisade_term::TermPool;

use crate::hardware::is_witness;
use crate::load::Loaded;
use crate::termination::repetitions;
use crate::verdict::{Unknown, Verdict};
use crate::verify::{limited, rejected};

/// The program that watches its loops, which a certificate is about that says that all runs end, or that one
/// does not, and the measures of the loops.
pub fn watched_by(
    pool: &TermPool,
    loaded: &Loaded,
    certificate: &str,
) -> Result<(Watched, Measures), FileError> {
    let program = &loaded.program;
    if palisade_certify::file_kind(certificate) == FileKind::Run {
        return Ok((repetitions(pool, program, loaded.open.as_ref()), Measures::default()));
    }
    let measures = palisade_certify::read_measures(pool, program, certificate)?;
    if let Some(&head) = measures.missing(program).first() {
        return Err(FileError(format!("the loop at {} has no measure", program.location(head).name)));
    }
    Ok((measures.watch(pool, program), measures))
}

/// Checks the text of a certificate, or of a witness of a circuit. Whether runs end is a question about
/// another program ([`watched_by`]). A certificate that is readable but wrong is no defect of Palisade: the
/// verdict is unknown, and says what is wrong.
pub fn check(
    pool: &TermPool,
    loaded: &Loaded,
    certificate: &str,
    solvers: &dyn SolverFactory,
    budget: &Budget,
) -> Result<Verdict, FileError> {
    let program = &loaded.program;
    let checker = Checker::new(pool, program).interrupted_by(budget.interrupt_flag());
    if let Some(hardware) = loaded.hardware.as_ref().filter(|_| is_witness(certificate)) {
        let run = hardware.read_witness(pool, program, certificate).map_err(FileError)?;
        let checked = checker.counterexample(run).map(Verdict::Unsafe);
        return Ok(checked.unwrap_or_else(|r| Unknown::bare(rejected(pool, program, budget, &r), program)));
    }
    let checked = match palisade_certify::file_kind(certificate) {
        FileKind::Proof => {
            let invariants = palisade_certify::read_proof(pool, program, certificate)?;
            if loaded.language.is_horn() {
                palisade_certify::all_defined(program, &invariants)?;
            }
            checker.proof(invariants, &|pool| limited(solvers, pool, budget, None)).map(Verdict::Safe)
        }
        FileKind::Run => {
            let run = palisade_certify::read_run(pool, program, certificate)?;
            checker.counterexample(run).map(Verdict::Unsafe)
        }
    };
    Ok(checked
        .unwrap_or_else(|rejection| Unknown::bare(rejected(pool, program, budget, &rejection), program)))
}
