//! The circuits of the shared benchmark collection (`../shared/benchmarks/aiger`): all are read, and what is
//! written of them is read as the same circuit. Says so and passes where the collection is absent.

use std::path::{Path, PathBuf};

use palisade_aig::aiger::{read, write_ascii, write_binary};

/// All files with these extensions below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "aig" || e == "aag") {
            found.push(path);
        }
    }
}

#[test]
fn all_are_read_and_written_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks/aiger");
    if !folder.is_dir() {
        eprintln!("skipped: there is no ../shared/benchmarks/aiger");
        return;
    }
    let mut found = Vec::new();
    files(&folder, &mut found);
    assert!(found.len() > 100, "{} files", found.len());
    for file in &found {
        let name = file.display();
        let circuit = read(&std::fs::read(file).expect("readable")).unwrap_or_else(|e| panic!("{name}:{e}"));
        let text = write_ascii(&circuit);
        for bytes in [&text, &write_binary(&circuit)] {
            let again = read(bytes).unwrap_or_else(|e| panic!("{name}, written: {e}"));
            assert!(write_ascii(&again) == text, "{name} has changed");
        }
    }
}
