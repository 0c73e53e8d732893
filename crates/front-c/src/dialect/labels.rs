//! Labels: their addresses, computed `goto`, labels of a block, and labels before `}` and declarations.

use rustc_hash::FxHashMap;

use super::{GOTO, LABEL, LOCAL, Pass};

impl Pass<'_, '_> {
    /// `&&l` where an operand begins, not behind one.
    pub(super) fn label_address(&mut self, i: usize) {
        let Some(name) = self.tokens.get(i + 2).copied().filter(|t| t.is_name()) else { return };
        let starts = match i.checked_sub(1).map(|k| (k, self.word(k))) {
            None => true,
            // A cast to a pointer, or to a type that is spelled out.
            Some((k, ")")) => self.opening(k).is_some_and(|open| {
                let is_type = |w: usize| {
                    matches!(self.word(w), "unsigned" | "signed" | "long" | "int")
                        || self.types.contains(self.word(w))
                };
                let call = open > 0 && (self.tokens[open - 1].is_name() || self.word(open - 1) == ")");
                !call && (self.word(k - 1) == "*" || (open + 1 < k && (open + 1..k).all(is_type)))
            }),
            Some((k, w)) => {
                let operand = self.tokens[k].is_name() && w != "return" && w != "case";
                let literal = w.starts_with(|c: char| c.is_ascii_digit() || c == '"' || c == '\'');
                // `x++ && l`, `x-- && l`
                let step = matches!(w, "+" | "-") && k > 0 && self.word(k - 1) == w && self.adjacent(k - 1);
                !(operand || literal || step || matches!(w, "]" | "}" | "."))
            }
        };
        let is_name = |k: usize| self.word(k) == name.text && self.word(k + 1) == ":";
        let labels = || (1..self.tokens.len()).any(|k| is_name(k) && self.is_label(k + 1));
        if starts && labels() {
            self.replace(self.tokens[i].at, name.end(), &format!("{LABEL}{}", name.text));
        }
    }

    pub(super) fn computed_goto(&mut self, i: usize) {
        let Some(end) = self.find(i + 2, &[";"]) else { return };
        self.replace(self.tokens[i].at, self.tokens[i + 1].end(), &format!("{GOTO}("));
        let at = self.tokens[end].at;
        self.replace(at, at, ")");
    }

    /// Behind a label C23 allows a declaration and the end of a block; the parser wants a statement.
    pub(super) fn behind_label(&mut self, i: usize) {
        let word = self.word(i + 1);
        let declares = match word {
            "}" => true,
            "struct" | "union" | "enum" | "const" | "static" | "volatile" | "register" | "extern" => true,
            "[" => self.word(i + 2) == "[",
            _ if self.types.contains(word) => self.tokens.get(i + 2).is_some_and(|t| t.is_name()),
            _ => crate::implicit_int::is_keyword(word) && !matches!(word, "typeof" | "_Atomic"),
        };
        // `c ? (int)x : y`, bit-fields, `_Generic` and inline assembly have a colon too, but none of these
        // words behind it.
        if declares && i > 0 && self.is_label(i) {
            let at = self.tokens[i + 1].at;
            self.replace(at, at, ";");
        }
    }

    /// Does the colon end a label?
    pub(super) fn is_label(&self, colon: usize) -> bool {
        let begins = |k: usize| match k.checked_sub(1) {
            Some(b) => matches!(self.word(b), ";" | "{" | "}" | ":" | ")" | "else" | "do"),
            None => false,
        };
        if self.word(colon - 1) == "default" {
            return true;
        }
        if self.tokens[colon - 1].is_name() && begins(colon - 1) {
            return true;
        }
        let back = (0..colon).rev().take_while(|&k| !matches!(self.word(k), ";" | "{" | "}"));
        back.take(64).any(|k| self.word(k) == "case")
    }

    /// `__label__ a, b;` makes labels that only their block knows.
    pub(super) fn local_labels(&mut self) {
        if !self.tokens.iter().any(|t| t.text == "__label__") {
            return;
        }
        let mut scopes: Vec<FxHashMap<&str, String>> = vec![FxHashMap::default()];
        let (mut count, mut i) = (0, 0);
        while i < self.tokens.len() {
            let word = self.word(i);
            match word {
                "{" => scopes.push(FxHashMap::default()),
                "}" if scopes.len() > 1 => {
                    scopes.pop();
                }
                "__label__" => {
                    let Some(end) = self.find(i, &[";"]) else { return };
                    for k in i + 1..end {
                        if self.tokens[k].is_name() {
                            count += 1;
                            let mut own = format!("{}{LOCAL}{count}", self.word(k));
                            while self.tokens.iter().any(|t| t.text == own) {
                                own.push('_');
                            }
                            scopes.last_mut().expect("a scope").insert(self.word(k), own);
                        }
                    }
                    self.blank(self.tokens[i].at, self.tokens[end].end());
                    i = end;
                }
                _ => {
                    let own = scopes.iter().rev().find_map(|s| s.get(word)).cloned();
                    let address = i >= 2 && self.word(i - 1) == "&" && self.word(i - 2) == "&";
                    if let Some(own) = own {
                        if address {
                            // The edit of the address becomes one of the new name.
                            let at = self.tokens[i - 2].at;
                            if let Some(e) = self.out.iter_mut().find(|e| e.at == at) {
                                e.text = format!("{LABEL}{own}");
                            }
                        } else if i > 0
                            && (self.word(i - 1) == "goto"
                                || (self.word(i + 1) == ":" && self.is_label(i + 1)))
                        {
                            self.replace_word(i, &own);
                        }
                    }
                }
            }
            i += 1;
        }
    }
}
