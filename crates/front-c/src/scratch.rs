//! Temporary folders, and that none of them stays behind.
//!
//! A folder is named `palisade-KIND-PROCESS-NUMBER`, belongs to this user alone, and is removed when it is
//! dropped. Whoever ends the process without dropping calls [`remove_all`] before. What a killed process left
//! is removed by a later one ([`sweep`]), once it is old and there is no process of that number: numbers of
//! processes mean nothing across containers that share the folder, so that a young one stays.
//!
//! Entry points: [`Folder::new`], [`remove_all`], [`sweep`].

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, SystemTime};

/// Folders younger than this may belong to a process that cannot be seen from here.
const OLD: Duration = Duration::from_secs(3600);

/// The folders of this process.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new and empty folder.
    pub fn new(kind: &str) -> io::Result<Folder> {
        static FIRST: Once = Once::new();
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        FIRST.call_once(|| sweep(&std::env::temp_dir()));
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("palisade-{kind}-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    live().push(path.clone());
                    return Ok(Folder { path });
                }
                // Someone else's: what is in there must not be used.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        live().retain(|p| p != &self.path);
    }
}

/// Removes the folders of this process. For whoever ends it while others still work.
pub fn remove_all() {
    for path in live().drain(..) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Removes what processes that are no more have left in a folder.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let stale = entry.file_name().to_str().and_then(process).is_some_and(|p| !runs(p));
        let modified = entry.metadata().ok().filter(fs::Metadata::is_dir).and_then(|m| m.modified().ok());
        let age = modified.and_then(|m| SystemTime::now().duration_since(m).ok());
        if stale && age.is_some_and(|a| a >= OLD) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The process of a name `palisade-KIND-PROCESS-REST`.
fn process(name: &str) -> Option<u32> {
    let mut parts = name.splitn(4, '-');
    let ours = parts.next() == Some("palisade") && parts.next().is_some();
    let process = parts.next().filter(|_| ours)?.parse().ok()?;
    parts.next().map(|_| process)
}

/// Is there such a process? Without a table of processes, any may be there.
fn runs(process: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that no process has.
    const NOBODY: u32 = 0x7fff_fff0;

    fn older(path: &Path, by: Duration) {
        let time = SystemTime::now() - by;
        fs::File::open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn a_folder_goes_with_its_owner() {
        let folder = Folder::new("test").unwrap();
        let path = folder.path().to_path_buf();
        fs::write(path.join("file"), "text").unwrap();
        drop(folder);
        assert!(!path.exists());
        let forgotten = std::mem::ManuallyDrop::new(Folder::new("test").unwrap());
        assert!(forgotten.path().exists());
        remove_all();
        assert!(!forgotten.path().exists());
    }

    #[test]
    fn what_killed_processes_left_is_removed_once_it_is_old() {
        // Not one of ours, since another test removes all of these.
        let here = std::env::temp_dir().join(format!("sweeping-{}", std::process::id()));
        fs::create_dir(&here).unwrap();
        let folder = |name: &str, age: Duration| {
            let path = here.join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("file"), "text").unwrap();
            older(&path, age);
            path
        };
        let stale = folder(&format!("palisade-cross-{NOBODY}-0"), 2 * OLD);
        let random = folder(&format!("palisade-bench-{NOBODY}-x-Yz"), 2 * OLD);
        let kept = [
            folder(&format!("palisade-cross-{NOBODY}-1"), OLD / 2),
            folder(&format!("palisade-cross-{}-0", std::process::id()), 2 * OLD),
            folder(&format!("other-cross-{NOBODY}-0"), 2 * OLD),
            folder("palisade-notes-of-mine", 2 * OLD),
            folder(&format!("palisade-{NOBODY}"), 2 * OLD),
        ];
        sweep(&here);
        assert!(!stale.exists() && !random.exists());
        for path in kept {
            assert!(path.exists(), "{}", path.display());
        }
        fs::remove_dir_all(here).unwrap();
    }
}
