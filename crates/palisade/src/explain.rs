//! `palisade explain`: a trace in words.
//!
//! A trace is one JSON object per line, as [`crate::trace`] writes it. It is explained line by line; a line
//! that cannot be understood is an error that names the line.

use std::fmt::Write as _;

use serde_json::Value;

use crate::failure::Failure;

/// The story of a trace, or which of its lines is not one of a trace.
pub fn story(text: &str) -> Result<String, Failure> {
    let mut out = String::new();
    let mut queries = 0;
    let mut any = false;
    let mut about = String::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let wrong = |what: &str| Failure::input(format!("line {}: {what}", i + 1));
        let event: Value = match serde_json::from_str(line) {
            Ok(event) => event,
            // A run that was killed leaves a part of a line.
            Err(_) if any && !text.ends_with('\n') && i + 1 == text.lines().count() => {
                out.push_str("the trace ends in the middle of a line\n");
                break;
            }
            Err(e) => return Err(wrong(&format!("not JSON: {e}"))),
        };
        let Some(kind) = event["event"].as_str() else { return Err(wrong("not an event of a trace")) };
        if !any && kind != "start" {
            return Err(wrong("a trace begins with its `start` event"));
        }
        any = true;
        if kind == "queries" {
            queries = event["queries"].as_u64().unwrap_or(queries);
        } else if kind == "start" {
            start(&mut out, &event, &mut about);
        } else if kind != "lemmas" {
            // Lemmas that are only counted come with the counters too.
            tell(&mut out, kind, &event, queries).ok_or_else(|| wrong(&format!("unknown event `{kind}`")))?;
        }
    }
    if any { Ok(out) } else { Err(Failure::input("the trace is empty")) }
}

/// The begin of a run, or of its next stage. What it is `about`, which may be many files, is said once.
fn start(out: &mut String, e: &Value, about: &mut String) {
    let word = |key: &str| e[key].as_str().unwrap_or("?");
    let now = format!("palisade {} verifies {}", word("palisade"), word("input"));
    let locations = e["locations"].as_array().map_or(0, Vec::len);
    let head = if *about == now { "next stage" } else { &now };
    let _ = writeln!(out, "{head} with {}: {locations} locations, {} edges", word("engine"), e["edges"]);
    *about = now;
}

/// The states of a cube.
fn cube(e: &Value) -> String {
    let parts: Vec<&str> = e["cube"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if parts.is_empty() { "any state".into() } else { parts.join(" && ") }
}

fn tell(out: &mut String, kind: &str, e: &Value, queries: u64) -> Option<()> {
    let word = |key: &str| e[key].as_str().unwrap_or("?").to_string();
    let up_to = || match e["level"].as_u64() {
        Some(k) => format!("up to level {k}"),
        None => "at every level".into(),
    };
    let how = || if word("by") == "edges" { "edge by edge" } else { "by interpolants" };
    let at = || format!("[{:>8.3} s]", e["t"].as_f64().unwrap_or(0.0));
    match kind {
        "bound" => {
            let _ = writeln!(out, "{} bound {} (after {queries} queries)", at(), e["bound"]);
        }
        "obligation" => {
            let leads = match e["parent"].as_u64() {
                Some(p) => format!(", from where #{p} is reached"),
                None => ", from where the error is reached".into(),
            };
            let _ = writeln!(
                out,
                "  obligation #{} at {}, level {}{leads}: can this happen? {}",
                e["id"],
                word("location"),
                e["level"],
                cube(e)
            );
        }
        "lemma" => {
            let _ = writeln!(
                out,
                "  lemma at {}, {} ({}): {}",
                word("location"),
                up_to(),
                word("by"),
                word("formula")
            );
        }
        "push" => {
            let _ = writeln!(out, "  pushed at {}, now {}: {}", word("location"), up_to(), word("formula"));
        }
        "node" => {
            let below = e["parent"].as_u64().map_or(String::new(), |p| format!(" below node {p}"));
            let _ = writeln!(out, "  node {} at {}{below}", e["id"], word("location"));
        }
        "covered" => {
            let _ =
                writeln!(out, "  node {} at {} is covered by node {}", e["id"], word("location"), e["by"]);
        }
        "uncovered" => {
            let _ = writeln!(out, "  node {} at {} is no longer covered", e["id"], word("location"));
        }
        "strengthened" => {
            let _ = match word("clause").as_str() {
                "false" => writeln!(out, "  node {} at {} cannot be reached", e["id"], word("location")),
                clause => writeln!(out, "  node {} at {} satisfies: {clause}", e["id"], word("location")),
            };
        }
        "path-implies" => {
            let (from, to) = (&e["from"], &e["id"]);
            let _ = writeln!(out, "  the nodes between {from} and {to} are strengthened {}", how());
        }
        "removed" => {
            let (nodes, at) = (&e["nodes"], word("location"));
            let _ = writeln!(out, "  below node {} at {at}, {nodes} nodes are removed", e["id"]);
        }
        "path-blocked" => {
            let _ = writeln!(
                out,
                "{} the path of {} edges to node {} is refuted {}",
                at(),
                e["length"],
                e["id"],
                how()
            );
        }
        "predicate" => {
            let (at, what) = (word("location"), word("predicate"));
            let by = e["by"].as_str().map_or(String::new(), |by| format!(" ({by})"));
            let _ = writeln!(out, "  predicate at {at}{by}: {what}");
        }
        "abstraction" => {
            let _ = writeln!(
                out,
                "  obligation #{} at level {}: {} abstract states visited",
                e["id"], e["level"], e["states"]
            );
        }
        "spurious" => {
            let _ = writeln!(
                out,
                "  obligation #{} at level {}: a step into its abstract state is spurious: {}",
                e["id"],
                e["level"],
                cube(e)
            );
        }
        "lifted" => {
            let _ = writeln!(out, "  state at {}: {}", word("location"), cube(e));
        }
        "refined" => {
            let _ = writeln!(
                out,
                "  refined for obligation #{} at level {}: {} new predicates",
                e["id"], e["level"], e["predicates"]
            );
        }
        "backtracked" => {
            let _ = writeln!(
                out,
                "  the trace from obligation #{} has a spurious step; back to obligation #{}",
                e["id"], e["to"]
            );
        }
        "counterexample" => {
            let path: Vec<&str> =
                e["path"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let _ = writeln!(out, "{} a path to the error: {}", at(), path.join(" -> "));
        }
        "spurious-path" => {
            let _ = writeln!(
                out,
                "{} the path of {} edges cannot be run; {} new predicates exclude it",
                at(),
                e["length"],
                e["predicates"]
            );
        }
        "fixpoint" => {
            let _ = writeln!(out, "{} level {} is inductive: the invariant is found", at(), e["level"]);
        }
        "counter" => {
            let _ = writeln!(out, "  {}: {}", word("name"), e["value"]);
        }
        "result" => {
            let _ = writeln!(out, "{} {}", at(), word("result"));
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::story;

    const START: &str = concat!(
        r#"{"event":"start","palisade":"0.1.0","input":"a.c","engine":"ic3-cfa","#,
        r#""locations":[{"name":"entry"},{"name":"loop"}],"edges":3}"#,
    );
    const EVENTS: &str = r#"
{"event":"bound","bound":1,"t":0.5}
{"event":"queries","queries":7,"t":0.6}
{"event":"lemmas","lemmas":3,"t":0.65}
{"event":"obligation","id":1,"parent":null,"level":1,"location":"loop","cube":["x > 3","y == 0"],"t":0.7}
{"event":"lemma","level":null,"location":"loop","formula":"x <= 3","by":"block","t":0.8}
{"event":"spurious-path","length":4,"predicates":2,"t":0.85}
{"event":"bound","bound":2,"t":0.9}
{"event":"result","result":"TRUE","t":1.0}
"#;

    fn trace() -> String {
        format!("{START}{EVENTS}")
    }

    #[test]
    fn a_trace_that_ends_in_a_line_is_told_up_to_there() {
        let whole = trace();
        let text = story(&whole[..whole.len() - 9]).unwrap();
        assert!(text.contains("bound 2") && text.ends_with("the trace ends in the middle of a line\n"));
        assert!(story(&format!("{START}\n{{\n{EVENTS}")).is_err());
    }

    #[test]
    fn tells_what_happened_in_order() {
        let text = story(&trace()).unwrap();
        let expected = "palisade 0.1.0 verifies a.c with ic3-cfa: 2 locations, 3 edges
[   0.500 s] bound 1 (after 0 queries)
  obligation #1 at loop, level 1, from where the error is reached: can this happen? x > 3 && y == 0
  lemma at loop, at every level (block): x <= 3
[   0.850 s] the path of 4 edges cannot be run; 2 new predicates exclude it
[   0.900 s] bound 2 (after 7 queries)
[   1.000 s] TRUE
";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_input_is_named_once() {
        let next = START.replace("ic3-cfa", "kind");
        let text = story(&format!("{START}\n{next}\n{}\n", START.replace("a.c", "b.c"))).unwrap();
        let expected = "palisade 0.1.0 verifies a.c with ic3-cfa: 2 locations, 3 edges
next stage with kind: 2 locations, 3 edges
palisade 0.1.0 verifies b.c with ic3-cfa: 2 locations, 3 edges
";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_no_trace_is_refused_by_line() {
        for (text, message) in [
            ("", "empty"),
            ("{\"event\":\"bound\"}", "begins with"),
            ("[1]", "not an event"),
            (&format!("{}x\n", trace()), "line 10: not JSON"),
            (&format!("{}{{\"event\":\"dance\"}}", trace()), "unknown event `dance`"),
        ] {
            let e = story(text).unwrap_err();
            assert_eq!(e.code, 3);
            assert!(e.message.contains(message), "{}", e.message);
        }
    }
}
