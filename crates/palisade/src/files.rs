//! The files that a run writes: there as a whole, or not at all.
//!
//! A file appears under its name when all of it is written, so that a run that is killed or a full disk
//! leaves no part of one. What is no regular file (a pipe, a terminal) is written directly.
//!
//! Files of an earlier run stay until this one has a result. Then those that it has nothing for are removed:
//! without an answer they would be taken for the result of this run. A run that fails changes none of them.
//!
//! Entry points: [`begin`], [`write()`], [`finish`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;

/// The outputs of the run of this process that are not written yet.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn open() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Outputs must be writable before hours are spent on what goes there; they are no inputs, and no two of them
/// are one file. Nothing is changed, and no file is made. `streams` are written while the run goes on, by
/// someone else.
pub fn begin(
    outputs: &[Option<&Path>],
    streams: &[Option<&Path>],
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    for path in outputs.iter().chain(streams).copied().flatten() {
        let same = |i: &PathBuf| matches!((i.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if inputs.iter().any(same) {
            return Err(Failure::usage(format!("the output {} is an input", path.display())));
        }
        let unwritable = |e: io::Error| Failure::usage(format!("cannot write {}: {e}", path.display()));
        let twins = outputs.iter().chain(streams).copied().flatten().filter(|other| same_file(path, other));
        if twins.count() > 1 {
            return Err(Failure::usage(format!("two outputs are {}", path.display())));
        }
        let is_new = !path.exists();
        fs::OpenOptions::new().append(true).create(true).open(path).map_err(unwritable)?;
        if is_new {
            remove(path);
        }
    }
    *open() = outputs.iter().copied().flatten().map(Path::to_path_buf).collect();
    Ok(())
}

/// Are these two names of one file? What is no file, a terminal say, may be written several times.
fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b && a.is_file(),
        (Err(_), Err(_)) => {
            let folder = |p: &Path| p.parent().map(|d| Path::new(".").join(d).canonicalize().ok());
            a.file_name() == b.file_name() && folder(a) == folder(b)
        }
        _ => false,
    }
}

/// The run has a result: removes the outputs of earlier runs that it has nothing for.
pub fn finish() {
    std::mem::take(&mut *open()).iter().for_each(|path| remove(path));
}

/// Removes a regular file; links and devices stay.
fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|m| m.is_file()) {
        let _ = fs::remove_file(path);
    }
}

/// Writes a file. One that cannot be written costs a message, never the verdict.
pub fn write(what: &str, path: &Path, content: &[u8]) {
    match replace(path, content) {
        Ok(()) => open().retain(|p| p != path),
        Err(e) => eprintln!("palisade: error: the {what} {} was not written: {e}", path.display()),
    }
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = match fs::metadata(path) {
        Ok(known) if !known.is_file() => return fs::write(path, content),
        // The file that a link leads to.
        Ok(_) => path.canonicalize()?,
        Err(_) => path.to_path_buf(),
    };
    let draft = draft(&target);
    let written = fs::write(&draft, content).and_then(|()| fs::rename(&draft, &target));
    if let Err(e) = written {
        let _ = fs::remove_file(&draft);
        // A file that may be written, in a folder that may not.
        return if e.kind() == io::ErrorKind::PermissionDenied { fs::write(target, content) } else { Err(e) };
    }
    Ok(())
}

/// Where a file is written before it gets its name.
fn draft(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    target.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_whole_or_absent() {
        let tmp = tempfile::tempdir().unwrap();
        let (file, link) = (tmp.path().join("a.json"), tmp.path().join("link"));
        begin(&[Some(&file), None], &[], &[]).unwrap();
        assert!(!file.exists());
        assert_eq!(begin(&[Some(&tmp.path().join("nowhere/a"))], &[], &[]).unwrap_err().code, 2);
        write("report", &file, b"1");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        begin(&[Some(&link)], &[], &[]).unwrap();
        write("report", &link, b"2");
        finish();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"2");
        // A device stays one.
        begin(&[Some(Path::new("/dev/null"))], &[], &[]).unwrap();
        assert!(replace(Path::new("/dev/null"), b"3").is_ok());
        assert_eq!(fs::read_dir(tmp.path()).unwrap().count(), 2, "no draft is left");
        finish();
        assert!(Path::new("/dev/null").exists());
        // An input is never removed.
        let input = std::slice::from_ref(&file);
        assert!(begin(&[Some(&link)], &[], input).is_err() && begin(&[], &[Some(&link)], input).is_err());
        finish();
        assert!(file.exists());
        // What an earlier run wrote stays until this one has a result, and nothing for it.
        let trace = tmp.path().join("trace");
        fs::write(&trace, "t").unwrap();
        begin(&[Some(&file)], &[Some(&trace)], &[]).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"2");
        // Two names of one file are one output too many.
        assert_eq!(begin(&[Some(&file), Some(&link)], &[], &[]).unwrap_err().code, 2);
        finish();
        assert!(!file.exists() && trace.exists() && link.symlink_metadata().is_ok());
    }
}
