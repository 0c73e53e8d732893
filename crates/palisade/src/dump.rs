//! `palisade dump`: a program as the engines see it.

use palisade_engines::{Options, Shape};
use palisade_front_ts::write;
use palisade_smt::NativeSolver;
use palisade_term::TermPool;
use palisade_transform::{PcEncoding, single_loop};
use palisade_verify::{load, prepare, undefined};

use crate::args::{DumpArgs, DumpFormat};
use crate::drive::sources;
use crate::failure::Failure;

/// The text asked for.
pub fn dump(args: &DumpArgs) -> Result<String, Failure> {
    let pool = TermPool::new();
    let mut front = args.front.clone();
    front.follow_build(&args.inputs)?;
    let (inputs, c_options) = sources(&args.inputs, &front.c_options()?)?;
    let loaded = load(&pool, &inputs, &c_options)?;
    if loaded.ends {
        return Err(Failure::usage(
            "`termination` is no property of this format: a program has one for states",
        ));
    }
    // Formats for other tools have one kind of error only.
    let own_format = matches!(args.format, DumpFormat::Cfa | DumpFormat::Dot);
    let program = if own_format { loaded.program } else { undefined::cut(&pool, &loaded.program) };
    let program = match args.transformed {
        true => {
            let solver = Box::new(NativeSolver::new(&pool));
            prepare(&pool, &program, Shape::Blocks, &Options::new(), solver).program
        }
        false => program,
    };
    match args.format {
        DumpFormat::Cfa => Ok(write::cfa(&pool, &program)),
        DumpFormat::Dot => Ok(write::dot(&pool, &program)),
        DumpFormat::Horn => Ok(write::horn(&pool, &program)),
        // A transition relation has one loop: where there are more locations, the program counter becomes a
        // variable.
        DumpFormat::Vmt => write::vmt(&pool, &program)
            .or_else(|_| write::vmt(&pool, &single_loop(&pool, &program, PcEncoding::Integer).program))
            .map_err(|e| Failure::internal(e.to_string())),
        DumpFormat::Btor2 => write::btor2(&pool, &program)
            .or_else(|e| match e {
                write::NotBtor2::Locations(_) => {
                    write::btor2(&pool, &single_loop(&pool, &program, PcEncoding::Booleans).program)
                }
                other => Err(other),
            })
            .map_err(|e| Failure::input(format!("--as btor2: unsupported: {e}"))),
    }
}
