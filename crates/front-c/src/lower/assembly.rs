//! Inline assembly.
//!
//! Without instructions it changes nothing: an operand that is read and written keeps its value, and one that
//! shares its register with an input gets the value of that.
//!
//! With instructions, its outputs get values that nobody knows, and a violation that follows from them is
//! open ([`Nondet::open`]). By its contract with the compiler it changes nothing else, unless it names
//! `memory` among what it changes. Instructions of which it is known that they change only their operands
//! and go on with the next one ([`PLAIN`]) have that only as a barrier. A single `mov` between two operands
//! of its size is an assignment. Others that name `memory`, have inputs in memory or are given addresses do
//! what a function without body may do that is given the addresses of all operands in memory, and the
//! inputs. Behind an instruction that is not known every violation is open, since it may jump or stop.
//!
//! Unsupported: effects in operands, outputs that are neither integers nor pointers (without instructions, no
//! integers), code that may name an object or a function of the program or is given a function, assembly
//! without operands whose instructions are not known, `asm goto`.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::has_effects;
use super::{Lowerer, Res};
use crate::ir::{Expr, ExprKind, Instr, Nondet, Part, Place};
use crate::options::UndefinedMemory;
use crate::types::{FunctionType, Type};

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
            // Nobody knows what the rest of the register holds.
            let bits = |t: &Type| t.as_int().map_or(self.options.data_model.word(), |t| t.bits);
            if bits(&value.ty) < bits(&place.ty) {
                unknown.push(output);
                continue;
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
        if self.one_move(x)? {
            return Ok(());
        }
        let template = text(&x.template);
        let plain = is_plain(&template);
        let mut reaches = !plain && x.clobbers.iter().any(|c| text(c).contains("memory"));
        let mut values = Vec::new();
        for input in &x.inputs {
            if !in_register(&text(&input.node.constraints)) {
                // It could be written, although it is an input.
                let place = self.place(&input.node.variable_name)?;
                values.push(self.address_of(place, at)?);
                reaches = true;
                continue;
            }
            let value = self.expr(&input.node.variable_name)?;
            // An output may be the address.
            let address = matches!(value.ty, Type::Pointer(_));
            reaches |= address && !is_of_segment(&template) && (!plain || !x.outputs.is_empty());
            let value = self.save(value);
            self.evaluate(value.clone());
            values.push(value);
        }
        // An output that is read as well is an input.
        for output in x.outputs.iter().filter(|o| text(&o.node.constraints).contains('+')) {
            let value = self.expr(&output.node.variable_name)?;
            reaches |= matches!(value.ty, Type::Pointer(_));
            values.push(self.save(value));
        }
        if values.iter().any(is_function) {
            return self.unsupported(at, "inline assembly that is given a function");
        }
        if reaches {
            self.may_reach(x, &template, &values, at)?;
        }
        if !plain {
            self.b().emit(Instr::Open);
        }
        let (given, values): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|v| matches!(v.ty, Type::Pointer(_)));
        for output in &x.outputs {
            let place = self.place(&output.node.variable_name)?;
            match place.ty.clone() {
                // Like what a function without body returns.
                ty @ Type::Pointer(_) if self.options.undefined != UndefinedMemory::Assume => {
                    let (pointers, values, call) = (given.clone(), values.clone(), self.span(at));
                    let value = Nondet::value(None, ty, call);
                    let nondet = Nondet { open: true, foreign: true, pointers, values, ..value };
                    self.b().emit(Instr::Nondet(Some(place), nondet));
                }
                _ => self.forget(output, &values, at)?,
            }
        }
        Ok(())
    }

    /// Instructions that may change what they have the address of, like a function without body.
    fn may_reach(
        &mut self,
        x: &ast::GnuExtendedAsmStatement,
        template: &str,
        inputs: &[Expr],
        at: AstSpan,
    ) -> Res<()> {
        if names_symbol(template) {
            return self.unsupported(at, "inline assembly that may name something of the program");
        }
        let mut given = inputs.to_vec();
        for output in x.outputs.iter().filter(|o| !in_register(&text(&o.node.constraints))) {
            let place = self.place(&output.node.variable_name)?;
            given.push(self.address_of(place, at)?);
        }
        let signature = FunctionType { result: Type::Void, params: None, variadic: false };
        self.unknown_call("inline assembly", &signature, &given, at)?;
        Ok(())
    }

    /// The address of an operand in memory.
    fn address_of(&mut self, place: Place, at: AstSpan) -> Res<Expr> {
        if self.is_bit_field(&place) {
            return self.unsupported(at, "inline assembly on a bit-field");
        }
        let span = place.span;
        Ok(Expr { ty: place.ty.clone().pointer_to(), kind: ExprKind::Address(Box::new(place)), span })
    }

    /// A single `mov` from one operand to another one, both of its size: an assignment. Says whether it is
    /// that.
    fn one_move(&mut self, x: &ast::GnuExtendedAsmStatement) -> Res<bool> {
        let Some((bits, from, to)) = parts_of_move(&text(&x.template)) else { return Ok(false) };
        let operands: Vec<_> = x.outputs.iter().chain(&x.inputs).collect();
        let (Some(from), Some(to)) = (operands.get(from), operands.get(to)) else { return Ok(false) };
        let is_memory = |o: &Ast<ast::GnuAsmOperand>| !in_register(&text(&o.node.constraints));
        let is_written = x.outputs.iter().any(|o| std::ptr::eq(o, *to)) || is_memory(to);
        let others = x.outputs.iter().any(|o| !std::ptr::eq(o, *to) && !std::ptr::eq(o, *from));
        let read = !x.outputs.iter().any(|o| std::ptr::eq(o, *from));
        if !is_written || others || !read || operands.len() != 2 {
            return Ok(false);
        }
        let (source, target) = (&from.node.variable_name, &to.node.variable_name);
        let (given, changed) = (self.dry(|me| me.expr(source))?, self.dry(|me| me.place(target))?);
        let has_size = |t: &Type| t.as_int().is_some_and(|t| t.bits == bits && !t.boolean);
        if !has_size(&given.ty) || !has_size(&changed.ty) || self.is_bit_field(&changed) {
            return Ok(false);
        }
        let value = self.expr(source)?;
        let place = self.place(target)?;
        let value = self.convert(value, place.ty.clone());
        self.assign(place, value);
        Ok(true)
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

/// Is it the address of a function?
fn is_function(e: &Expr) -> bool {
    let mut found = false;
    Part::Expr(e).visit(&mut |part| {
        found |= matches!(part, Part::Expr(Expr { kind: ExprKind::Function(_), .. }));
    });
    found
}

fn text(t: &Ast<ast::StringLiteral>) -> String {
    t.node.iter().map(|s| s.trim_matches('"')).collect()
}

/// Can the operand be in a register, or a constant, or is it an address? In memory it could be written,
/// although it is an input.
fn in_register(constraint: &str) -> bool {
    constraint.chars().any(|c| "rqQRabcdSDAinIJKLMNOeZgpX0123456789".contains(c))
}

/// A move from a segment of memory, whose register says where that is: `movq %%gs:%P1,%0`.
fn is_of_segment(template: &str) -> bool {
    let line = template.trim().trim_end_matches(';');
    let Some((word, operands)) = line.split_once(char::is_whitespace) else { return false };
    let Some((from, to)) = operands.trim().split_once(',') else { return false };
    let from = from.trim().strip_prefix("%%gs:").or_else(|| from.trim().strip_prefix("%%fs:"));
    let (from, to) = (from.and_then(number_of), number_of(to.trim()));
    word.strip_prefix("mov").is_some_and(|s| ["b", "w", "l", "q"].contains(&s))
        && from.is_some()
        && to.is_some()
}

/// May instructions have operands that are symbols: names of objects or functions?
fn names_symbol(template: &str) -> bool {
    let lines = template.replace("\\n", ";").replace("\\t", " ").replace('\n', ";");
    lines.split(';').map(str::trim).any(|line| {
        let line = match line.split_once(':') {
            Some((label, rest)) if label.chars().all(char::is_alphanumeric) => rest.trim(),
            _ => line,
        };
        let line = line.strip_prefix("lock ").unwrap_or(line).trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if matches!(word, ".section" | ".pushsection") {
            return false;
        }
        let mut before = ' ';
        rest.chars().any(|c| {
            let begins = !(before.is_alphanumeric() || matches!(before, '_' | '%' | '['));
            before = c;
            begins && (c.is_alphabetic() || matches!(c, '_' | '"'))
        })
    })
}

/// The number of an operand: `%0`, `%P1`, `%w2`.
fn number_of(operand: &str) -> Option<usize> {
    operand.strip_prefix('%')?.trim_start_matches(['P', 'w', 'k', 'b', 'q']).parse().ok()
}

/// The size in bits, the source and the destination of a template that is one move on x86.
fn parts_of_move(template: &str) -> Option<(u32, usize, usize)> {
    let line = template.trim().trim_end_matches(';');
    let (word, operands) = line.split_once(char::is_whitespace)?;
    let bits = match word {
        "movb" => 8,
        "movw" => 16,
        "movl" => 32,
        "movq" => 64,
        _ => return None,
    };
    let (from, to) = operands.trim().split_once(',')?;
    let plain = |o: &str| o.trim().strip_prefix('%')?.parse().ok();
    Some((bits, plain(from)?, plain(to)?))
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
    // With another modifier it may be the memory that an operand is the address of: `%a0`.
    let of_statement = |o: &str| match o.strip_prefix('%') {
        Some(own) => {
            let own = own.strip_prefix(['b', 'h', 'w', 'k', 'q']).unwrap_or(own);
            let name = own.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
            let name = name.is_some_and(|n| n.chars().all(|c| c.is_alphanumeric() || c == '_'));
            name || (!own.is_empty() && own.chars().all(|c| c.is_ascii_digit()))
        }
        None => o.starts_with('$') && !o.contains(['(', '{', ' ']),
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
    use super::{is_of_segment, is_plain, names_symbol, parts_of_move};

    #[test]
    fn knows_moves() {
        assert_eq!(parts_of_move("movl %1,%0"), Some((32, 1, 0)));
        assert_eq!(parts_of_move("movw %0, %1"), Some((16, 0, 1)));
        for other in ["movl %1, (%0)", "movl $1,%0", "mov %1,%0", "movl %1,%0; ud2", "movzbl %1,%0"] {
            assert_eq!(parts_of_move(other), None, "{other}");
        }
        for symbol in ["incl counter", "call foo", "movl $counter, %0", "nop; incl a(%%rip)", "call *_t+8"] {
            assert!(names_symbol(symbol), "{symbol}");
        }
        for none in
            ["lock; btr %1,%0", "1:\\tbts %2,%1\\n\\tsbb %0,%0", "movl $1,%[out]; jmp 1b", "mov %%gs:%P1,%0"]
        {
            assert!(!names_symbol(none), "{none}");
        }
        assert!(is_of_segment("movq %%gs:%P1,%0"));
        assert!(!is_of_segment("movq %P1,%0") && !is_of_segment("movq %0,%%gs:%P1"));
    }

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
            "incl %a0",
            "incl %c0",
            "movl %1,%P0",
        ] {
            assert!(!is_plain(template), "{template}");
        }
    }
}
