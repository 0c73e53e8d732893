//! Slicing, calls without body and inline assembly: programs that must not be answered wrongly.
//!
//! `tests/slice/programs.txt` has the programs, each with what must come out in front:
//!
//! ```text
//! #w T --undefined arbitrary
//! ```
//! `T` and `F`: TRUE and FALSE, or UNKNOWN; `nT`, `nF`: anything but TRUE, FALSE; then options. `A(c)`
//! reports an error if `c` is false. Every program is asked with and without slicing. Where both have an
//! answer, it is the same.

mod common;

use std::fs;
use std::path::Path;

use common::{output, palisade};

const HEAD: &str = "extern void abort(void);\nvoid reach_error(void) { abort(); }\n\
                    #define A(c) if (!(c)) reach_error();\n";

/// The result line, without reasons.
fn ask(name: &str, text: &str, options: &[&str]) -> String {
    let file = std::env::temp_dir().join(format!("palisade-slice-{}-{name}.c", std::process::id()));
    fs::write(&file, format!("{HEAD}{text}\n")).unwrap();
    let mut command = palisade();
    command.args(["verify", "--timeout", "2"]).args(options).arg(&file);
    let out = output(command);
    fs::remove_file(&file).unwrap();
    let stdout = String::from_utf8_lossy(&out.stdout).into_owned();
    let result = stdout.lines().find_map(|l| l.strip_prefix("RESULT: "));
    result.unwrap_or_else(|| panic!("{text}\n{stdout}{}", String::from_utf8_lossy(&out.stderr))).to_string()
}

fn kind(result: &str) -> char {
    result.chars().next().unwrap_or('?')
}

#[test]
fn no_answer_is_wrong() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slice/programs.txt");
    let all = fs::read_to_string(file).unwrap();
    let mut answers = 0;
    for (k, part) in all.split("\n==\n").enumerate() {
        let (head, text) = part.trim().split_once('\n').unwrap();
        let mut words = head.split(' ').skip(1);
        let want = words.next().unwrap();
        let options: Vec<&str> = words.collect();
        let mut results = Vec::new();
        for slice in ["on", "off"] {
            let result = ask(&format!("{k}-{slice}"), text, &[&options[..], &["--slice", slice]].concat());
            let wrong = match (want, kind(&result)) {
                ("T" | "nF", 'F') | ("F" | "nT", 'T') => true,
                ("T" | "F" | "nT" | "nF", 'T' | 'F' | 'U') => false,
                other => panic!("{other:?} in {head}"),
            };
            assert!(!wrong, "{result}, slicing {slice}: {part}");
            results.push(kind(&result));
        }
        let different = matches!(results[..], ['T', 'F'] | ['F', 'T']);
        assert!(!different, "{part}");
        answers += usize::from(results[0] != 'U');
    }
    assert!(answers >= 40, "{answers} answers");
}
