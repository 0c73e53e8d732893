//! Reading the input: `.c` files go through the system's preprocessor, `.i` files are taken as they are.

use std::path::Path;
use std::process::{Command, Output};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::options::{COptions, DataModel};
use crate::source::{Source, text_of};

/// A file given for translation.
#[derive(Clone, Debug)]
pub enum Input {
    /// A path: preprocessed unless it ends in `.i`.
    Path(std::path::PathBuf),
    /// A name and a text that needs no preprocessing.
    Text(String, String),
}

/// Reads and, where needed, preprocesses an input.
pub(crate) fn load(input: &Input, options: &COptions) -> Result<Source, Diagnostics> {
    match input {
        Input::Text(name, text) => Ok(Source::new(name, text)),
        Input::Path(path) if path.extension().is_some_and(|e| e == "i") => {
            let bytes = std::fs::read(path)
                .map_err(|e| Diagnostic::plain(format!("cannot read {}: {e}", path.display())))?;
            Ok(Source::new(&path.display().to_string(), &text_of(&bytes)))
        }
        Input::Path(path) => preprocess(path, options),
    }
}

fn preprocess(path: &Path, options: &COptions) -> Result<Source, Diagnostics> {
    let mut out = run_preprocessor(path, options, &[])?;
    if !out.status.success() && options.data_model == DataModel::Ilp32 {
        // A 64-bit system without 32-bit headers. The two share all headers but one, for which an empty file
        // is enough.
        let folder = std::env::temp_dir().join(format!("palisade-headers-{}", std::process::id()));
        let stub = folder.join("gnu");
        let made = std::fs::create_dir_all(&stub).and_then(|()| std::fs::write(stub.join("stubs-32.h"), ""));
        if made.is_ok() {
            let extra = [
                Path::new("-idirafter"),
                Path::new("/usr/include/x86_64-linux-gnu"),
                Path::new("-I"),
                &folder,
            ];
            let second = run_preprocessor(path, options, &extra)?;
            if second.status.success() {
                out = second;
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
    if !out.status.success() {
        let message = String::from_utf8_lossy(&out.stderr).trim().to_string();
        return Err(Diagnostic::plain(format!("preprocessing {} failed:\n{message}", path.display())).into());
    }
    Ok(Source::new(&path.display().to_string(), &text_of(&out.stdout)).lead_back())
}

fn run_preprocessor(path: &Path, options: &COptions, extra: &[&Path]) -> Result<Output, Diagnostics> {
    let mut command = Command::new(&options.preprocessor);
    command.arg("-E").arg(match options.data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    });
    // The functions of `<ctype.h>` stay functions, instead of accesses to tables of the C library.
    command.arg("-D__NO_CTYPE");
    for d in &options.include_dirs {
        command.arg("-I").arg(d);
    }
    for d in &options.defines {
        command.arg(format!("-D{d}"));
    }
    if let Some(s) = &options.std {
        command.arg(format!("-std={s}"));
    }
    command.args(extra).args(["-x", "c"]).arg(path);
    command.output().map_err(|e| {
        Diagnostic::plain(format!("cannot run the preprocessor `{}`: {e}", options.preprocessor)).into()
    })
}
