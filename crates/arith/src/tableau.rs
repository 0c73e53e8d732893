//! The sparse tableau of the general simplex.
//!
//! A row is a linear equation `Σ aⱼ·xⱼ = 0` with integer coefficients and gcd one; exactly one of its
//! variables is *basic* there, and a basic variable occurs in no other row. Integer rows need no rational
//! arithmetic in pivots, and a row is a Farkas combination as it stands.
//!
//! Rows and columns point at each other's positions, so removing an entry is constant time on both sides.

use crate::types::Var;
use palisade_number::Int;

/// "No such index".
pub(crate) const NONE: u32 = u32::MAX;

/// One term of a row.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub coeff: Int,
    pub var: Var,
    /// Position of this entry in the column of `var`.
    col_pos: u32,
}

/// One occurrence of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub row: u32,
    /// Position of the entry in the row.
    pub pos: u32,
}

/// Rows, columns and the basis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tableau {
    rows: Vec<Vec<Entry>>,
    /// The basic variable of each row; meaningless for free rows.
    basic: Vec<Var>,
    free_rows: Vec<u32>,
    columns: Vec<Vec<Occurrence>>,
    /// The row in which a variable is basic, or `NONE`.
    row_of: Vec<u32>,
    /// Scratch for row additions: position of a variable in the target row, or `NONE`.
    position: Vec<u32>,
    /// Row additions done so far (a measure of work).
    pub row_additions: u64,
    /// Entries of the rows that were added.
    pub entries_added: u64,
}

impl Tableau {
    /// Makes room for one more variable.
    pub fn add_var(&mut self) {
        self.columns.push(Vec::new());
        self.row_of.push(NONE);
        self.position.push(NONE);
    }

    /// The row in which `var` is basic, or `NONE`.
    #[inline]
    pub fn row_of(&self, var: Var) -> u32 {
        self.row_of[var.index()]
    }

    /// Is `var` basic?
    #[inline]
    pub fn is_basic(&self, var: Var) -> bool {
        self.row_of[var.index()] != NONE
    }

    #[inline]
    pub fn basic(&self, row: u32) -> Var {
        self.basic[row as usize]
    }

    #[inline]
    pub fn row(&self, row: u32) -> &[Entry] {
        &self.rows[row as usize]
    }

    #[inline]
    pub fn column(&self, var: Var) -> &[Occurrence] {
        &self.columns[var.index()]
    }

    #[inline]
    pub fn coeff(&self, at: Occurrence) -> &Int {
        &self.rows[at.row as usize][at.pos as usize].coeff
    }

    /// The coefficient of the basic variable of a row.
    #[inline]
    pub fn basic_coeff(&self, row: u32) -> &Int {
        self.coeff(self.columns[self.basic(row).index()][0])
    }

    fn push_entry(&mut self, row: u32, var: Var, coeff: Int) {
        let column = &mut self.columns[var.index()];
        let entries = &mut self.rows[row as usize];
        let col_pos = column.len() as u32;
        column.push(Occurrence { row, pos: entries.len() as u32 });
        entries.push(Entry { coeff, var, col_pos });
    }

    /// Takes an entry out of its column only.
    fn unlink(&mut self, var: Var, col_pos: u32) {
        let column = &mut self.columns[var.index()];
        column.swap_remove(col_pos as usize);
        if let Some(&moved) = column.get(col_pos as usize) {
            self.rows[moved.row as usize][moved.pos as usize].col_pos = col_pos;
        }
    }

    fn remove_entry(&mut self, row: u32, pos: u32) {
        let entries = &mut self.rows[row as usize];
        let gone = entries.swap_remove(pos as usize);
        if let Some(moved) = entries.get(pos as usize) {
            self.columns[moved.var.index()][moved.col_pos as usize].pos = pos;
        }
        self.unlink(gone.var, gone.col_pos);
    }

    /// Adds the row `slack = form`, with `slack` basic. The variables of `form` that are basic are
    /// eliminated.
    pub fn add_row(&mut self, slack: Var, form: &[(Var, Int)]) {
        let row = self.free_rows.pop().unwrap_or_else(|| {
            self.rows.push(Vec::new());
            self.basic.push(slack);
            (self.rows.len() - 1) as u32
        });
        self.push_entry(row, slack, Int::MINUS_ONE);
        for (var, coeff) in form {
            self.push_entry(row, *var, coeff.clone());
        }
        for (var, _) in form {
            let source = self.row_of(*var);
            if source != NONE {
                // The variable may only be present through its own entry: other sources hold nonbasic
                // variables.
                let pos = self.rows[row as usize].iter().position(|e| e.var == *var);
                if let Some(pos) = pos {
                    let pivot = self.basic_coeff(source).clone();
                    self.eliminate(row, pos as u32, source, &pivot);
                }
            }
        }
        self.basic[row as usize] = slack;
        self.row_of[slack.index()] = row;
    }

    /// Drops the row in which `var` is basic; `var` is then in no row.
    pub fn drop_row(&mut self, var: Var) {
        let row = std::mem::replace(&mut self.row_of[var.index()], NONE);
        let mut entries = std::mem::take(&mut self.rows[row as usize]);
        for entry in entries.drain(..) {
            self.unlink(entry.var, entry.col_pos);
        }
        // Keep the allocation for the next row.
        self.rows[row as usize] = entries;
        self.free_rows.push(row);
    }

    /// Makes `entering` basic in `row` instead of the row's basic variable.
    pub fn pivot(&mut self, row: u32, entering: Var) {
        let leaving = self.basic(row);
        self.row_of[leaving.index()] = NONE;
        self.basic[row as usize] = entering;
        self.row_of[entering.index()] = row;
        let column = &self.columns[entering.index()];
        let own = column.iter().find(|o| o.row == row).expect("the entering variable occurs in the row");
        let pivot = self.coeff(*own).clone();
        // Elimination removes the occurrence from the column, so walk it from the end.
        let mut at = self.columns[entering.index()].len();
        while at > 0 {
            at -= 1;
            let Occurrence { row: target, pos } = self.columns[entering.index()][at];
            if target != row {
                self.eliminate(target, pos, row, &pivot);
            }
        }
    }

    /// Adds a multiple of row `source` to a multiple of row `target` so that the variable at `pos` in
    /// `target`, whose coefficient in `source` is `b`, vanishes.
    fn eliminate(&mut self, target: u32, pos: u32, source: u32, b: &Int) {
        self.row_additions += 1;
        self.entries_added += (self.rows[target as usize].len() + self.rows[source as usize].len()) as u64;
        let a = self.rows[target as usize][pos as usize].coeff.clone();
        // target := m·target + n·source with m > 0, m·a + n·b = 0.
        let (m, n) = if b.is_one() {
            (Int::ONE, -a)
        } else if b.is_unit() {
            (Int::ONE, a)
        } else {
            let g = a.gcd(b);
            let (m, n) = (b.div_floor(&g), -a.div_floor(&g));
            if m.is_negative() { (-m, -n) } else { (m, n) }
        };
        let source_entries = std::mem::take(&mut self.rows[source as usize]);
        for (i, entry) in self.rows[target as usize].iter_mut().enumerate() {
            self.position[entry.var.index()] = i as u32;
            if !m.is_one() {
                entry.coeff *= &m;
            }
        }
        for entry in &source_entries {
            let at = self.position[entry.var.index()];
            if at == NONE {
                self.push_entry(target, entry.var, &entry.coeff * &n);
            } else {
                self.rows[target as usize][at as usize].coeff.add_mul(&entry.coeff, &n);
            }
        }
        self.rows[source as usize] = source_entries;
        // One sweep clears the scratch, removes zeros and collects the gcd.
        let mut gcd = Int::ZERO;
        let mut i = self.rows[target as usize].len();
        while i > 0 {
            i -= 1;
            let entry = &self.rows[target as usize][i];
            self.position[entry.var.index()] = NONE;
            if entry.coeff.is_zero() {
                self.remove_entry(target, i as u32);
            } else if !gcd.is_one() {
                gcd = gcd.gcd(&entry.coeff);
            }
        }
        if !gcd.is_one() {
            for entry in &mut self.rows[target as usize] {
                entry.coeff = entry.coeff.div_floor(&gcd);
            }
        }
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        let rows: usize = self.rows.iter().map(|r| r.capacity() * size_of::<Entry>()).sum();
        let columns: usize = self.columns.iter().map(|c| c.capacity() * size_of::<Occurrence>()).sum();
        rows + columns + self.rows.len() * 32 + self.columns.len() * 32
    }

    /// Panics if the cross references or the basis are broken.
    #[cfg(any(test, debug_assertions))]
    pub fn assert_consistent(&self) {
        for (r, entries) in self.rows.iter().enumerate() {
            if self.free_rows.contains(&(r as u32)) {
                assert!(entries.is_empty());
                continue;
            }
            assert_eq!(self.row_of(self.basic[r]), r as u32);
            assert_eq!(self.column(self.basic[r]).len(), 1);
            for (pos, entry) in entries.iter().enumerate() {
                let occurrence = self.columns[entry.var.index()][entry.col_pos as usize];
                assert_eq!((occurrence.row, occurrence.pos), (r as u32, pos as u32));
                assert!(!entry.coeff.is_zero());
                assert!(!self.is_basic(entry.var) || self.basic[r] == entry.var);
            }
        }
        assert!(self.position.iter().all(|p| *p == NONE));
    }
}
