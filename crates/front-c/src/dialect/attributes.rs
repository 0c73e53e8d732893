//! Attributes: those of GNU C with blanks in them, those of C23, and alignment.

use super::{Edit, Pass};

impl Pass<'_, '_> {
    /// `__attribute__( ( a ) )`: the parser wants the parentheses side by side.
    pub(super) fn attribute(&mut self, i: usize) {
        let (outer, inner) = (i + 1, i + 2);
        if self.word(outer) != "(" || self.word(inner) != "(" {
            return;
        }
        let (Some(last), Some(inner_last)) = (self.closing(outer), self.closing(inner)) else { return };
        if !self.adjacent(outer) {
            let (from, to) = (self.tokens[outer].at, self.tokens[inner].end());
            let blanks: String = self.text[from + 1..to - 1].into();
            self.out.push(Edit { at: from, len: to - from, text: format!("{blanks}((") });
        }
        if inner_last + 1 == last && !self.adjacent(inner_last) {
            let (from, to) = (self.tokens[inner_last].at, self.tokens[last].end());
            let blanks: String = self.text[from + 1..to - 1].into();
            self.out.push(Edit { at: from, len: to - from, text: format!(")){blanks}") });
        }
    }

    /// `[[a, gnu::b(1)]]`. Gives the last token.
    pub(super) fn standard_attribute(&mut self, i: usize) -> usize {
        let Some(last) = self.closing(i) else { return i };
        if self.closing(i + 1) != last.checked_sub(1) {
            return i;
        }
        let mut names = Vec::new();
        let mut k = i + 2;
        while k + 1 < last {
            if self.word(k) == "," {
                k += 1;
                continue;
            }
            let mut name = self.word(k).trim_matches('_').to_string();
            if self.word(k + 1) == ":" && self.word(k + 2) == ":" {
                let prefix = name;
                name = self.word(k + 3).to_string();
                if prefix != "gnu" {
                    name = format!("{prefix}_{name}");
                }
                k += 3;
            } else {
                name = match name.as_str() {
                    "nodiscard" => "warn_unused_result".into(),
                    "maybe_unused" => "unused".into(),
                    "Noreturn" => "noreturn".into(),
                    "unsequenced" | "reproducible" => "pure".into(),
                    other => other.to_string(),
                };
            }
            k += 1;
            if self.word(k) == "(" {
                let Some(close) = self.closing(k) else { return i };
                if name != "warn_unused_result" {
                    name.push_str(self.between(k, close + 1).trim_end());
                }
                k = close + 1;
            }
            names.push(name);
        }
        let text = match names.is_empty() {
            true => String::new(),
            false => format!("__attribute__(({})) ", names.join(", ").replace('\n', " ")),
        };
        self.replace(self.tokens[i].at, self.tokens[last].end(), &text);
        last
    }

    pub(super) fn align_as(&mut self, i: usize, member: bool) {
        let Some(close) = Some(i + 1).filter(|k| self.word(*k) == "(").and_then(|k| self.closing(k)) else {
            return;
        };
        if !member {
            if self.word(i) == "alignas" {
                self.replace_word(i, "_Alignas");
            }
            return;
        }
        let operand = self.between(i + 2, close).trim();
        let is_type =
            self.is_type(i + 2) || matches!(self.word(i + 2), "struct" | "union" | "enum" | "const");
        let operand = if is_type { format!("_Alignof({operand})") } else { operand.to_string() };
        let text = format!("__attribute__((aligned({}))) ", operand.replace('\n', " "));
        self.replace(self.tokens[i].at, self.tokens[close].end(), &text);
    }
}
