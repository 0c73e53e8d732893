//! What is made from the argument parser: manual pages and completion scripts of shells.

use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;

/// The completion script of a shell.
pub fn completion(shell: Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "palisade", &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The manual page of `palisade`.
pub fn page() -> Result<String, Failure> {
    let mut out = Vec::new();
    let rendered = clap_mangen::Man::new(Cli::command()).render(&mut out);
    rendered.map_err(|e| Failure::internal(format!("the manual page is not written: {e}")))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Writes the pages of all commands into a folder.
pub fn write(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|e| Failure::usage(format!("cannot write {}: {e}", folder.display())))
}
