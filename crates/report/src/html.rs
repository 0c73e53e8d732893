//! The document as one page for a browser: the source with the run stepped through by keys, invariants at
//! their loops, the automaton beside it; without an answer, what is known.
//!
//! The page is self-contained: no network, no other file. It is a fixed text with one hole for data. The data
//! is JSON, in which `<` is written as an escape so that it cannot end its element, and the script puts texts
//! into the page as texts only, never as markup.
//!
//! Limits: automata of more than 400 locations are not drawn; of a very long run both ends are shown.
//!
//! Entry point: [`write()`].

use std::borrow::Cow;

use serde::Serialize;

use crate::document::{Document, Run};

const PAGE: &str = include_str!("html/page.html");
const HOLE: &str = "@DATA@";

/// The text of a file that the page shows.
#[derive(Clone, Debug, Serialize)]
pub struct SourceText {
    /// Its path, as positions name it.
    pub path: String,
    /// Its text.
    pub text: String,
}

#[derive(Serialize)]
struct Data<'d> {
    document: &'d Document,
    sources: &'d [SourceText],
}

/// The page of a document, with the texts of its files.
///
/// # Errors
/// Says why the page cannot be written.
pub fn write(document: &Document, sources: &[SourceText]) -> Result<String, String> {
    let document = &*both_ends(document);
    let data = serde_json::to_string(&Data { document, sources }).map_err(|e| e.to_string())?;
    let (before, after) = PAGE.split_once(HOLE).ok_or("the page has no place for data")?;
    Ok([before, &data.replace('<', "\\u003c"), after].concat())
}

/// The document, of a very long run with its ends only.
fn both_ends(document: &Document) -> Cow<'_, Document> {
    let ends = document.evidence.run.as_ref().map(Run::ends);
    let Some((first, last)) = ends.filter(|(_, last)| !last.is_empty()) else {
        return Cow::Borrowed(document);
    };
    let steps = [first, last].concat();
    let mut short = document.clone();
    short.evidence.run.iter_mut().for_each(|run| run.steps.clone_from(&steps));
    Cow::Owned(short)
}

/// The files that a document names: its inputs, and where its steps and invariants are.
pub fn files(document: &Document) -> Vec<String> {
    let steps = document.evidence.run.iter().flat_map(|r| &r.steps).filter_map(|s| s.position.as_ref());
    let formulas = document.evidence.invariants.iter().filter_map(|i| i.position.as_ref());
    let mut out: Vec<String> = document.inputs.iter().map(|f| f.path.clone()).collect();
    for p in steps.chain(formulas) {
        if !out.contains(&p.file) {
            out.push(p.file.clone());
        }
    }
    out
}
