//! Reading the input: `.c` files go through the system's preprocessor, `.i` files are taken as they are.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::options::{COptions, DataModel};
use crate::scratch::Folder;
use crate::source::{Source, bytes_of, text_of};
use crate::spelling::unmarked;

/// A file given for translation.
#[derive(Clone, Debug)]
pub enum Input {
    /// A path: preprocessed unless it ends in `.i`.
    Path(std::path::PathBuf),
    /// A name and a text that needs no preprocessing.
    Text(String, String),
    /// A name and a text that is piped through the preprocessor.
    Piped(String, String),
    /// An input that was read and preprocessed before, with the same options.
    Read(Source),
}

/// Reads and, where needed, preprocesses an input.
pub(crate) fn load(input: &Input, options: &COptions) -> Result<Source, Diagnostics> {
    match input {
        Input::Read(source) => Ok(source.clone()),
        Input::Text(name, text) => Ok(Source::of_standard(name, text, options.is_c23())),
        Input::Path(path) if path.extension().is_some_and(|e| e == "i") => {
            let bytes = std::fs::read(path)
                .map_err(|e| Diagnostic::plain(format!("cannot read {}: {e}", path.display())))?;
            Ok(Source::of_standard(&path.display().to_string(), &text_of(&bytes), options.is_c23()))
        }
        Input::Path(path) => preprocess(path, None, options),
        Input::Piped(name, text) => preprocess(Path::new(name), Some(text), options),
    }
}

fn preprocess(path: &Path, text: Option<&str>, options: &COptions) -> Result<Source, Diagnostics> {
    let name = path.display().to_string();
    let out = succeed(path, text, options, &[])?;
    if !out.status.success() {
        let message = String::from_utf8_lossy(&out.stderr).trim().to_string();
        return Err(Diagnostic::plain(format!("preprocessing {name} failed:\n{message}")).into());
    }
    let plain = text_of(&out.stdout);
    // gcc says where each token is written. Others do not know the question.
    let ask = || {
        let out = succeed(path, text, options, &[Path::new("-fdebug-cpp")]).ok()?;
        let (same, spelling) = unmarked(&text_of(&out.stdout));
        (out.status.success() && same == plain).then_some(spelling)
    };
    Ok(Source::preprocessed(&name, &plain, options.is_c23(), ask))
}

/// Runs the preprocessor, for 32 bits also on a 64-bit system without 32-bit headers. The two share all
/// headers but one, for which an empty file is enough.
fn succeed(
    path: &Path,
    text: Option<&str>,
    options: &COptions,
    extra: &[&Path],
) -> Result<Output, Diagnostics> {
    let out = run_preprocessor(path, text, options, extra)?;
    if out.status.success() || options.data_model != DataModel::Ilp32 {
        return Ok(out);
    }
    let made = Folder::new("headers").and_then(|folder| {
        let stub = folder.path().join("gnu");
        std::fs::create_dir(&stub)?;
        std::fs::write(stub.join("stubs-32.h"), "")?;
        Ok(folder)
    });
    let Ok(folder) = made else { return Ok(out) };
    let headers =
        [Path::new("-idirafter"), Path::new("/usr/include/x86_64-linux-gnu"), Path::new("-I"), folder.path()];
    let second = run_preprocessor(path, text, options, &[extra, &headers].concat())?;
    Ok(if second.status.success() { second } else { out })
}

/// A file as an argument, also if its name begins like an option.
fn operand(path: &Path) -> PathBuf {
    let is_like_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    if is_like_option { Path::new(".").join(path) } else { path.to_path_buf() }
}

fn run_preprocessor(
    path: &Path,
    text: Option<&str>,
    options: &COptions,
    extra: &[&Path],
) -> Result<Output, Diagnostics> {
    let mut command = Command::new(&options.preprocessor);
    command.arg("-E").arg(match options.data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    });
    // Floating-point operations have the precision of their types, also where `-m32` alone would mean x87.
    command.args(["-U__FLT_EVAL_METHOD__", "-D__FLT_EVAL_METHOD__=0"]);
    // The functions of `<ctype.h>` stay functions, instead of accesses to tables of the C library.
    command.arg("-D__NO_CTYPE");
    for d in &options.include_dirs {
        command.arg("-I").arg(d);
    }
    command.args(options.flags_of(path));
    for d in &options.defines {
        command.arg(format!("-D{d}"));
    }
    if let Some(s) = &options.std {
        command.arg(format!("-std={s}"));
    }
    command.args(extra).args(["-x", "c"]).arg(match text {
        Some(_) => PathBuf::from("-"),
        None => operand(path),
    });
    let mut run = || {
        let Some(text) = text else { return command.output() };
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut pipe = child.stdin.take();
        std::thread::scope(|scope| {
            let name = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
            let text = bytes_of(&format!("# 1 \"{name}\"\n{text}"));
            // A preprocessor that gives up early closes the pipe, and says itself why.
            scope.spawn(move || pipe.as_mut().map(|p| p.write_all(&text)));
            child.wait_with_output()
        })
    };
    run().map_err(|e| {
        Diagnostic::plain(format!("cannot run the preprocessor `{}`: {e}", options.preprocessor)).into()
    })
}
