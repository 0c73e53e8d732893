//! No line of the project is longer than 110 columns: sources, documentation and scripts.

use std::path::Path;

use palisade_fuzzing::files_below;

const COLUMNS: usize = 110;

#[test]
fn no_line_is_too_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = ["crates", "docs", "fuzz", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "test.sh"];
    let places: Vec<_> = places.iter().map(|place| root.join(place)).collect();
    let files = files_below(places.iter().map(|place| place.as_path()), &["rs", "md", "sh", "toml"]);
    assert!(files.len() > 100, "the sources are not where they were");
    let mut long = Vec::new();
    for file in files.iter().filter(|f| !f.components().any(|c| c.as_os_str() == "target")) {
        let text = std::fs::read_to_string(file).expect("a text file");
        for (i, line) in text.lines().enumerate().filter(|(_, line)| line.chars().count() > COLUMNS) {
            long.push(format!("{}:{}: {} columns", file.display(), i + 1, line.chars().count()));
        }
    }
    assert!(long.is_empty(), "lines of more than {COLUMNS} columns:\n{}", long.join("\n"));
}
