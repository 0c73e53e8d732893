//! Inline assembly.
//!
//! Without instructions it changes nothing: an operand that is read and written keeps its value, and one that
//! shares its register with an input gets the value of that.
//!
//! With instructions, its outputs get values that nobody knows, and a violation that follows from them is
//! open ([`Nondet::open`]). By its contract with the compiler it changes nothing else, unless it names
//! `memory` among what it changes. Instructions of which it is known that they change only their operands and
//! go on with the next one ([`PLAIN`]) have that only as a barrier. Otherwise the statement is unsupported.
//! Behind an instruction that is not known every violation is open, since it may jump or stop.
//!
//! Unsupported, too: effects in operands, outputs that are no integers, inputs in memory (code that names
//! `memory` does write them), addresses given to instructions that are not known, assembly without operands
//! whose instructions are not known, `asm goto`.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::has_effects;
use super::{Lowerer, Res};
use crate::ir::{Expr, Instr, Nondet};
use crate::types::Type;

/// Instructions of other processors that wait, or order what others see, or allow interrupts.
const ELSEWHERE: [&str; 26] = [
    "cpsid i",
    "cpsie i",
    "cpsid f",
    "cpsie f",
    "cpsid if",
    "cpsie if",
    "dsb",
    "dsb sy",
    "dsb st",
    "dsb ish",
    "dsb ishst",
    "isb",
    "isb sy",
    "dmb",
    "dmb sy",
    "dmb st",
    "dmb ish",
    "dmb ishst",
    "wfi",
    "wfe",
    "sev",
    "yield",
    "fence",
    "fence rw, rw",
    "fence rw,rw",
    "fence.i",
];

/// Instructions of x86, without suffixes for the size, that change only the operands that they name (and
/// flags) and go on with the next instruction.
const PLAIN: [&str; 32] = [
    "inc", "dec", "add", "sub", "adc", "sbb", "and", "or", "xor", "not", "neg", "mov", "xchg", "xadd",
    "cmpxchg", "bsf", "bsr", "bswap", "test", "cmp", "nop", "pause", "mfence", "lfence", "sfence", "shl",
    "shr", "rol", "ror", "cli", "sti", "lock",
];

impl Lowerer<'_> {
    /// Lowers a statement of inline assembly.
    pub(super) fn assembly(&mut self, a: &ast::AsmStatement, at: AstSpan) -> Res<()> {
        match a {
            ast::AsmStatement::GnuBasic(t) if is_blank(t) => Ok(()),
            // Here registers are named, not operands.
            ast::AsmStatement::GnuBasic(t) if is_plain(&text(t)) && !text(t).contains('%') => Ok(()),
            ast::AsmStatement::GnuBasic(_) => self.unsupported(at, "inline assembly"),
            ast::AsmStatement::GnuExtended(x) => {
                let mut operands = x.outputs.iter().chain(&x.inputs);
                if operands.any(|o| has_effects(&o.node.variable_name.node)) {
                    return self.unsupported(at, "inline assembly with effects in its operands");
                }
                match is_blank(&x.template) {
                    true => self.no_instructions(x, at),
                    false => self.instructions(x, at),
                }
            }
        }
    }

    fn no_instructions(&mut self, x: &ast::GnuExtendedAsmStatement, at: AstSpan) -> Res<()> {
        let mut stores = Vec::new();
        let mut unknown = Vec::new();
        for (k, output) in x.outputs.iter().enumerate() {
            if text(&output.node.constraints).contains('+') {
                continue;
            }
            let name = output.node.symbolic_name.as_ref().map(|n| format!("[{}]", n.node.name));
            let same = x.inputs.iter().find(|i| {
                let constraint = text(&i.node.constraints);
                constraint == k.to_string() || Some(&constraint) == name.as_ref()
            });
            let Some(input) = same else {
                unknown.push(output);
                continue;
            };
            let value = self.expr(&input.node.variable_name)?;
            let place = self.place(&output.node.variable_name)?;
            if !place.ty.is_scalar() {
                return self.unsupported(at, "inline assembly on something that is no number");
            }
            let value = self.b().save(value);
            stores.push((place, value));
        }
        for (place, value) in stores {
            self.assign(place, value);
        }
        unknown.into_iter().try_for_each(|output| self.forget(output, &[], at))
    }

    fn instructions(&mut self, x: &ast::GnuExtendedAsmStatement, at: AstSpan) -> Res<()> {
        let plain = is_plain(&text(&x.template));
        if !plain && x.clobbers.iter().any(|c| text(c).contains("memory")) {
            return self.unsupported(at, "inline assembly that changes memory");
        }
        let mut values = Vec::new();
        for input in &x.inputs {
            if !in_register(&text(&input.node.constraints)) {
                return self.unsupported(at, "inline assembly with an input in memory");
            }
            let value = self.expr(&input.node.variable_name)?;
            // An output may be the address.
            if (!plain || !x.outputs.is_empty()) && matches!(value.ty, Type::Pointer(_)) {
                return self.unsupported(at, "inline assembly that is given an address");
            }
            let value = self.save(value);
            self.evaluate(value.clone());
            values.push(value);
        }
        if !plain {
            self.b().emit(Instr::Open);
        }
        x.outputs.iter().try_for_each(|output| self.forget(output, &values, at))
    }

    /// An output gets a value that nobody knows. It may be computed from the inputs.
    fn forget(&mut self, output: &Ast<ast::GnuAsmOperand>, inputs: &[Expr], at: AstSpan) -> Res<()> {
        let place = self.place(&output.node.variable_name)?;
        if !matches!(place.ty, Type::Int(_)) {
            return self.unsupported(at, "inline assembly with an output that is no integer");
        }
        let (ty, call) = (place.ty.clone(), self.span(at));
        let nondet = Nondet { open: true, values: inputs.to_vec(), ..Nondet::value(None, ty, call) };
        self.b().emit(Instr::Nondet(Some(place), nondet));
        Ok(())
    }
}

fn text(t: &Ast<ast::StringLiteral>) -> String {
    t.node.iter().map(|s| s.trim_matches('"')).collect()
}

/// Is the operand in a register, or a constant? In memory it could be written, although it is an input.
fn in_register(constraint: &str) -> bool {
    constraint.chars().all(|c| "rqQRabcdSDAinIJKLMNOeZ%0123456789".contains(c))
}

fn is_blank(t: &Ast<ast::StringLiteral>) -> bool {
    text(t).trim().is_empty()
}

/// Are these instructions that change only their operands, which are those of the statement or constants?
fn is_plain(template: &str) -> bool {
    let lines = template.replace("\\n", ";").replace("\\t", " ").replace('\n', ";");
    let lines = lines.replace("rep; nop", "pause").replace("rep;nop", "pause").replace("rep nop", "pause");
    let mut in_data = false;
    for line in lines.split(';').map(str::trim) {
        // A label in front.
        let line = match line.split_once(':') {
            Some((label, rest)) if label.chars().all(char::is_alphanumeric) => rest.trim(),
            _ => line,
        };
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" => {}
            ".section" | ".pushsection" => in_data = rest.trim().starts_with(".smp_locks"),
            ".previous" | ".popsection" => in_data = false,
            ".balign" | ".align" | ".long" if in_data => {}
            _ if in_data => return false,
            // A prefix of the next instruction, on this line or behind a semicolon.
            "lock" if rest.is_empty() => {}
            "lock" if is_instruction(rest.trim()) => {}
            _ if is_instruction(line) || ELSEWHERE.contains(&line.to_ascii_lowercase().as_str()) => {}
            _ => return false,
        }
    }
    true
}

fn is_instruction(line: &str) -> bool {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let of_statement = |o: &str| {
        let own =
            o.strip_prefix('%').is_some_and(|r| r.starts_with(|c: char| c.is_alphanumeric() || c == '['));
        (own || o.starts_with('$')) && !o.contains(['(', '{', ' '])
    };
    is_known(word) && (rest.trim().is_empty() || rest.split(',').all(|o| of_statement(o.trim())))
}

fn is_known(word: &str) -> bool {
    let stem = |w: &str| PLAIN.contains(&w);
    let set = word.strip_prefix("set").is_some_and(|c| !c.is_empty() && c.len() <= 2);
    set || stem(word) || word.strip_suffix(['b', 'w', 'l', 'q']).is_some_and(stem)
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn knows_instructions() {
        let locked = ".section .smp_locks,\\\"a\\\"\\n.balign 4\\n.long 671f - .\\n.previous\\n671:\\n\\t\
            lock; decl %0; sete %1";
        for template in [
            locked,
            "lock; incl %0",
            "lock incl %0",
            "nop\\n\\tnop",
            "cpsid i",
            "dsb sy\\n\\tISB",
            "addl %1,%0",
            "mfence",
            "rep; nop",
            "bswap %[x]",
            "sbb %0,%0",
        ] {
            assert!(is_plain(template), "{template}");
        }
        for template in [
            "incl counter",
            "mov $0, %%esp",
            "btsl %1,%0",
            "ud2",
            "hlt",
            "jmp 1f",
            "movl %1, (%0)",
            "call *%0",
            "1: jmp 1b",
            ".byte 0xf4",
            "int $3",
            "rep movsb",
        ] {
            assert!(!is_plain(template), "{template}");
        }
    }
}
