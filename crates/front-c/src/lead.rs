//! Leading the tokens of a preprocessed text back to the files they were made from.
//!
//! Lines that the preprocessor changed are aligned with what it made of them (`crate::columns`), one at a
//! time, or together with those that a macro's arguments reach to. Where an alignment is only a guess, the
//! preprocessor is asked where the tokens are written (`crate::spelling`).
//!
//! Entry point: [`back`].

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::columns::{self, Made, Place, Written};
use crate::source::{Line, line_index, marker};
use crate::spelling::Spelling;

/// A token of the given text that is led back to the file it was made from.
#[derive(Clone, Debug)]
pub(crate) struct Led {
    /// In the given text.
    pub(crate) made: Range<usize>,
    /// Line and column, from 1 and from 0, where what it was made from begins, and behind its end.
    pub(crate) from: (u32, usize),
    pub(crate) to: (u32, usize),
    /// The token itself stands there; otherwise a macro that expands to it.
    pub(crate) same: bool,
    /// The first of the lines that were led back together.
    pub(crate) first: u32,
}

struct Lead<'t> {
    given: &'t str,
    lines: &'t [Line],
    spelling: &'t Spelling,
}

/// Where tokens come from, on lines whose columns the preprocessor moved; in their order. `ask` asks the
/// preprocessor where tokens are written.
pub(crate) fn back(given: &str, lines: &[Line], ask: impl FnOnce() -> Option<Spelling>) -> Vec<Led> {
    let (led, guessed) = Lead { given, lines, spelling: &Spelling::default() }.all();
    match guessed.then(ask).flatten() {
        Some(spelling) => Lead { given, lines, spelling: &spelling }.all().0,
        None => led,
    }
}

impl Lead<'_> {
    /// Leads columns back to the files that were preprocessed. Is something guessed?
    fn all(&self) -> (Vec<Led>, bool) {
        let mut out = Vec::new();
        let mut guessed = false;
        let mut files: FxHashMap<Arc<str>, Option<Written>> = FxHashMap::default();
        let users: FxHashSet<Arc<str>> =
            self.lines.iter().filter(|l| !l.system).map(|l| l.file.clone()).collect();
        let mut i = 0;
        while i < self.lines.len() {
            let (file, first) = (self.lines[i].file.clone(), self.lines[i].number);
            let mut pieces = Vec::new();
            i = self.pieces(i, &file, first..=first, &mut pieces);
            if !users.contains(&file) {
                continue;
            }
            let written = files.entry(file.clone()).or_insert_with(|| Written::read(&file));
            let Some((written, line)) = written.as_ref().and_then(|w| Some((w, w.line(first)?))) else {
                continue;
            };
            if let [one] = &pieces[..]
                && self.given[one.clone()].trim_end() == line.trim_end()
            {
                continue;
            }
            let mut last = first;
            while let Some(further) = self.furthest(&pieces, last) {
                // The parentheses of its arguments may be closed later still.
                last = written.closing_line(first, further).unwrap_or(further);
                i = self.pieces(i, &file, first..=last, &mut pieces);
            }
            let whole = written.text(first..=last);
            let mut found = self.align(&whole, written, first..=last, &pieces);
            if found.is_none()
                && let Some(last) = written.closing_line(first, first).filter(|last| *last > first)
            {
                i = self.pieces(i, &file, first..=last, &mut pieces);
                let whole = written.text(first..=last);
                found = self.align(&whole, written, first..=last, &pieces);
            }
            guessed |= found.as_ref().is_none_or(|f| f.guessed);
            let origins = found.into_iter().flat_map(|f| f.origins);
            out.extend(origins.map(|o| Led {
                made: o.made,
                from: written.place(first, o.from.start),
                to: written.place(first, o.from.end),
                same: o.same,
                first,
            }));
        }
        (out, guessed)
    }

    /// Adds what the given text has from line `i` on for these lines of a file: one line of a file may be
    /// several lines here, with markers between them. Gives the line behind.
    fn pieces(
        &self,
        mut i: usize,
        file: &Arc<str>,
        numbers: RangeInclusive<u32>,
        pieces: &mut Vec<Range<usize>>,
    ) -> usize {
        while let Some(line) = self.lines.get(i) {
            let end = self.lines.get(i + 1).map_or(self.given.len(), |l| l.start);
            if marker(&self.given[line.start..end]).is_none() {
                if line.file != *file || !numbers.contains(&line.number) {
                    break;
                }
                pieces.push(line.start..end);
            }
            i += 1;
        }
        i
    }

    /// The last line behind `last`, of the same file, that a token of the pieces is written in: an argument
    /// of a macro that begins before.
    fn furthest(&self, pieces: &[Range<usize>], last: u32) -> Option<u32> {
        const LONGEST: u32 = 200;
        let made = pieces.iter().flat_map(|p| columns::tokens(&self.given[p.clone()], p.start));
        let line = |m: Range<usize>| self.spelled(m.start).filter(|s| s.0).map(|s| s.1);
        made.filter_map(line).filter(|l| (last + 1..=last.saturating_add(LONGEST)).contains(l)).max()
    }

    /// Where a token of the given text is written: whether it is the file of its line, line and column.
    fn spelled(&self, at: usize) -> Option<(bool, u32, usize)> {
        let i = line_index(self.lines, at);
        let line = &self.lines[i];
        let end = self.lines.get(i + 1).map_or(self.given.len(), |l| l.start);
        let (file, number, column) = self.spelling.of(i, &self.given[line.start..end], at - line.start)?;
        Some((*file == *line.file, number, column))
    }

    /// Aligns lines of a file with the pieces of the given text that stand for them.
    fn align(
        &self,
        original: &str,
        written: &Written,
        numbers: RangeInclusive<u32>,
        pieces: &[Range<usize>],
    ) -> Option<columns::Aligned> {
        let first = *numbers.start();
        let made = pieces.iter().flat_map(|p| columns::tokens(&self.given[p.clone()], p.start));
        let made: Vec<Range<usize>> = made.collect();
        let place = |m: &Range<usize>| match self.spelled(m.start) {
            None => Place::Unknown,
            Some((false, _, _)) => Place::Elsewhere(None),
            Some((_, l, c)) if numbers.contains(&l) => Place::Here(written.byte(first, l) + c),
            Some((_, l, c)) => Place::Elsewhere(Some((l, c))),
        };
        let places: Vec<Place> = made.iter().map(place).collect();
        let body = |name: &str| written.body(name, first);
        let made = Made { text: self.given, tokens: &made, places: &places, body: &body };
        columns::align(original, &made)
    }
}
