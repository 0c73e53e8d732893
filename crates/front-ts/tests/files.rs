//! Every file under `tests/data`: what it is read as, what a solver says about what we write, and where errors point.
//!
//! `BLESS=1 cargo test -p palisade-front-ts --test files` writes the `.cfa` files anew.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use palisade_front_ts::{Program, ReadError, read_horn, read_vmt, write};
use palisade_program::Property;
use palisade_term::TermPool;

fn data(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder of test data").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "smt2" || e == "vmt"));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn read(pool: &TermPool, file: &Path) -> Result<Program, ReadError> {
    let text = std::fs::read_to_string(file).expect("readable");
    let name = file.file_name().expect("a file").to_string_lossy().into_owned();
    let program = match file.extension().and_then(|e| e.to_str()) {
        Some("vmt") => read_vmt(pool, &name, &text, None)?.program,
        _ => read_horn(pool, &name, &text)?.program,
    };
    program.check(pool).expect("a well-formed program");
    Ok(program)
}

/// The rest of the line that begins with `; key: `.
fn header(file: &Path, key: &str) -> String {
    let text = std::fs::read_to_string(file).expect("readable");
    let mark = format!("; {key}: ");
    let line = text.lines().find_map(|l| l.strip_prefix(&mark));
    line.unwrap_or_else(|| panic!("{} has no line `{mark}`", file.display())).to_string()
}

/// z3's answer to a Horn script, or `None` when z3 is not installed.
fn z3(script: &str) -> Option<String> {
    use std::io::Write;
    let child =
        Command::new("z3").args(["-in", "-T:20"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.ok()?;
    child.stdin.take().expect("piped").write_all(script.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("an answer");
    Some(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_string())
}

/// Checks a script's answer, or says that z3 is absent.
#[track_caller]
fn answers(file: &Path, script: &str, expected: &str) {
    match z3(script) {
        Some(answer) if answer == "timeout" => {
            eprintln!("not checked, z3 ran out of time: {}", file.display())
        }
        Some(answer) => assert_eq!(answer, expected, "{} written as\n{script}", file.display()),
        None => eprintln!("not checked, z3 is not installed: {}", file.display()),
    }
}

#[test]
fn programs_are_as_expected() {
    for file in data("horn").into_iter().chain(data("vmt")) {
        let pool = TermPool::new();
        let program = read(&pool, &file).unwrap_or_else(|e| panic!("{e}"));
        let text = write::cfa(&pool, &program);
        let golden = PathBuf::from(format!("{}.cfa", file.display()));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&golden, &text).expect("writable");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(text, expected, "{} differs from its .cfa file", file.display());
    }
}

#[test]
fn written_horn_clauses_have_the_same_answer() {
    for file in data("horn").into_iter().chain(data("vmt")) {
        let pool = TermPool::new();
        let program = read(&pool, &file).expect("readable");
        let script = write::horn(&pool, &program);
        answers(&file, &script, &header(&file, "answer"));
        // What we write, we read, and write the same again.
        let pool = TermPool::new();
        let again = read_horn(&pool, "again", &script).unwrap_or_else(|e| panic!("{e}\n{script}")).program;
        assert_eq!(again.edges.len(), program.edges.len(), "{script}");
        answers(&file, &write::horn(&pool, &again), &header(&file, "answer"));
    }
}

/// z3 reads the plainer shapes only; where it understands a file, it agrees.
#[test]
fn original_horn_clauses_have_the_stated_answer() {
    let mut decided = 0;
    for file in data("horn") {
        let text = std::fs::read_to_string(&file).expect("readable");
        if text.contains("(rule ") {
            continue; // answered the other way round
        }
        match z3(&text).as_deref() {
            Some("unknown" | "timeout") => {}
            Some(answer) => {
                assert_eq!(answer, header(&file, "answer"), "{}", file.display());
                decided += 1;
            }
            None => {
                eprintln!("not checked: z3 is not installed");
                return;
            }
        }
    }
    assert!(decided >= 6, "only {decided} files were decided");
}

#[test]
fn written_vmt_has_the_same_answer() {
    let mut written = 0;
    for file in data("horn").into_iter().chain(data("vmt")) {
        let pool = TermPool::new();
        let program = read(&pool, &file).expect("readable");
        let inner = program.locations.len() - 2;
        match write::vmt(&pool, &program) {
            Ok(script) => {
                written += 1;
                let pool = TermPool::new();
                let again =
                    read_vmt(&pool, "again", &script, None).unwrap_or_else(|e| panic!("{e}\n{script}"));
                again.program.check(&pool).expect("a well-formed program");
                answers(&file, &write::horn(&pool, &again.program), &header(&file, "answer"));
            }
            Err(e) => assert_eq!(e.locations, inner),
        }
        assert!(write::dot(&pool, &program).starts_with("digraph"));
    }
    assert!(written >= 6, "only {written} programs are single loops");
}

/// Programs of any shape become VMT by way of the single-loop encoding.
#[test]
fn single_loops_of_all_programs_are_written_as_vmt() {
    use palisade_transform::{PcEncoding, single_loop};
    for file in data("horn") {
        let pool = TermPool::new();
        let program = read(&pool, &file).expect("readable");
        let single = single_loop(&pool, &program, PcEncoding::Booleans).program;
        let script = write::vmt(&pool, &single).expect("a single loop");
        let pool = TermPool::new();
        let again = read_vmt(&pool, "again", &script, None).unwrap_or_else(|e| panic!("{e}\n{script}"));
        answers(&file, &write::horn(&pool, &again.program), &header(&file, "answer"));
    }
}

#[test]
fn errors_say_where_and_what() {
    let mut wrong = Vec::new();
    for file in data("bad") {
        let expected = header(&file, "error");
        let error = match read(&TermPool::new(), &file) {
            Ok(_) => {
                wrong.push(format!("{} was read", file.display()));
                continue;
            }
            Err(e) => e,
        };
        let found = format!("{}:{}: {}", error.position.line, error.position.column, error.message);
        let (place, message) = expected.split_once(": ").expect("line:column: message");
        let shown = error.to_string();
        if !found.starts_with(&format!("{place}: ")) || !found.contains(message) || !shown.contains('^') {
            wrong.push(format!("expected {expected}\nfound {shown}"));
        }
        assert!(shown.lines().all(|l| l.chars().count() < 200), "too long: {shown}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_property_can_be_selected() {
    let text = std::fs::read_to_string(data("vmt").pop().expect("a file")).expect("readable");
    let pool = TermPool::new();
    let both = read_vmt(&pool, "f", &text, None).expect("readable");
    assert_eq!(both.map.properties.iter().map(|p| p.index).collect::<Vec<_>>(), [3, 7]);
    let one = read_vmt(&pool, "f", &text, Some(7)).expect("readable");
    assert_eq!(one.map.properties.len(), 1);
    let names: Vec<_> = one.program.edges.iter().filter_map(|e| e.origin.property.clone()).collect();
    assert_eq!(names, [Property::Violated("invar-property 7".into())]);
    let error = read_vmt(&pool, "f", &text, Some(5)).expect_err("no such property");
    assert!(error.message.contains("index 5"), "{error}");
}

#[test]
fn the_way_back_names_predicates_and_parameters() {
    let pool = TermPool::new();
    let file = data("horn").into_iter().find(|f| f.ends_with("rules.smt2")).expect("the file");
    let text = std::fs::read_to_string(file).expect("readable");
    let horn = read_horn(&pool, "f", &text).expect("readable");
    assert_eq!(horn.map.dialect, palisade_front_ts::Dialect::Rules);
    let names: Vec<&str> = horn.map.predicates.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p", "bad", "worse"]);
    for p in &horn.map.predicates {
        let sorts: Vec<_> = horn.program.sorts(&pool, p.location).cloned().collect();
        assert_eq!(sorts, p.sorts);
    }
}

/// A model is right when every assertion of the script holds with the predicates defined by it.
#[test]
fn models_satisfy_the_original_script() {
    let file = data("horn").into_iter().find(|f| f.ends_with("inlined-safe.smt2")).expect("the file");
    let text = std::fs::read_to_string(file).expect("readable");
    let pool = TermPool::new();
    let horn = read_horn(&pool, "f", &text).expect("readable");
    // An inductive invariant at `inv`; predicates that were inlined have their definitions.
    let named = |name: &str| horn.map.predicates.iter().find(|p| p.name == name).expect("declared");
    for (name, inlined) in [("inv", false), ("step", true), ("half", true), ("seen", false)] {
        assert_eq!(named(name).definition.is_some(), inlined, "{name}");
    }
    let x = horn.program.vars(named("inv").location)[0];
    let even = pool.eq(pool.int_mod(x, pool.int(2)), pool.int(0));
    let invariant = |l| if l == named("inv").location { even } else { pool.tru() };
    let model = write::horn_model(&pool, &horn, invariant);
    let script: String = (text.lines())
        .filter(|l| !l.starts_with("(declare-fun") && !l.starts_with("(set-logic"))
        .map(|l| format!("{l}\n"))
        .collect();
    let inside = |model: &str| {
        let model = model.trim();
        model[1..model.len() - 1].to_string()
    };
    let definitions = inside(&model);
    assert_eq!(model.matches("define-fun").count(), 4);
    if let Some(answer) = z3(&format!("{definitions}\n{script}")) {
        assert_eq!(answer, "sat", "{definitions}\n{script}");
        // With a wrong invariant it is no model.
        let wrong = write::horn_model(&pool, &horn, |_| pool.tru());
        assert_eq!(z3(&format!("{}\n{script}", inside(&wrong))).as_deref(), Some("unsat"));
    }
}
