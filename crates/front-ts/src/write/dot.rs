//! A program as a Graphviz graph.

use std::fmt::Write as _;

use palisade_program::{Edge, Program};
use palisade_term::TermPool;

use super::{origin_text, short_infix};

/// Longer labels are cut: a picture is for the overview.
const LABEL: usize = 120;

/// The program as a directed graph in the DOT language.
pub fn dot(pool: &TermPool, program: &Program) -> String {
    let mut out =
        String::from("digraph program {\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for l in program.locs() {
        let location = program.location(l);
        let mut label = location.name.clone();
        if !location.vars.is_empty() {
            let vars: Vec<String> = location.vars.iter().map(|&v| pool.var_display(v)).collect();
            let _ = write!(label, "\n{}", cut(&vars.join(", ")));
        }
        let style = match l {
            l if l == program.error => ", color=red",
            l if l == program.entry => ", shape=ellipse",
            _ => "",
        };
        let _ = writeln!(out, "  n{} [label={}{style}];", l.0, quote(&label));
    }
    for edge in &program.edges {
        let _ = writeln!(
            out,
            "  n{} -> n{} [label={}];",
            edge.source.0,
            edge.target.0,
            quote(&edge_label(pool, program, edge))
        );
    }
    out.push_str("}\n");
    out
}

/// What the edge does, if it is short; otherwise what it stands for.
fn edge_label(pool: &TermPool, program: &Program, edge: &Edge) -> String {
    let mut lines = Vec::new();
    if edge.guard != pool.tru() {
        lines.push(match short_infix(pool, edge.guard, LABEL) {
            Some(text) => format!("[{text}]"),
            None => "[...]".to_string(),
        });
    }
    for (&v, &u) in program.vars(edge.target).iter().zip(&edge.update) {
        if u != v {
            let text = short_infix(pool, u, LABEL).unwrap_or_else(|| "...".into());
            lines.push(format!("{} := {text}", pool.var_display(v)));
        }
    }
    const LINES: usize = 8;
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("...".into());
    }
    let origin = origin_text(edge);
    if !origin.is_empty() {
        lines.insert(0, cut(&origin));
    }
    lines.join("\n")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LABEL) {
        Some((i, _)) => format!("{}...", &text[..i]),
        None => text.to_string(),
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l"))
}
