//! Models of `sprintf` and `snprintf` for one format.
//!
//! A format that is a literal is known before anything runs, so its model has nothing left of it: its text
//! becomes assignments, and every conversion the code for that conversion. Other formats are read by the
//! model of `vsnprintf`, which does the same for what is read here.
//!
//! **Limits**: no `#`, no `%n`, no width that is an argument, and a precision that is one only for strings.
//!
//! Entry points: [`Format::of`] reads a format, [`definitions`] writes the models for those of a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use lang_c::ast::{CallExpression, Expression, TranslationUnit};
use lang_c::span::Span;
use lang_c::visit::{self, Visit};

use super::PREFIX;
use crate::lower::bytes_of;

/// Longer formats are read by the model of `vsnprintf`.
const LONGEST: usize = 200;

/// A larger width or precision is left to `vsnprintf`, too.
const WIDEST: u32 = 1000;

/// Text of a format of at most so many characters needs no loop where the end of the buffer may come.
const SHORT: usize = 2;

/// A format, and where the text goes: into as many bytes as it needs, or into a buffer with a size.
pub(crate) struct Format {
    bytes: Vec<u8>,
    bounded: bool,
    pieces: Vec<Piece>,
}

enum Piece {
    Text(Vec<u8>),
    Conversion(Conversion),
}

struct Conversion {
    left: bool,
    zero: bool,
    plus: bool,
    blank: bool,
    width: u32,
    precision: Option<Precision>,
    /// 0 to 4: `char`, `short`, `int`, `long`, `long long`.
    size: u8,
    letter: u8,
}

#[derive(Clone, Copy)]
enum Precision {
    Fixed(u32),
    Given,
}

/// The place of the format among the arguments, and whether the buffer has a size.
pub(crate) fn place(name: &str) -> Option<(usize, bool)> {
    match name {
        "sprintf" => Some((1, false)),
        "snprintf" => Some((2, true)),
        _ => None,
    }
}

/// The models for all literals that are formats in these trees.
pub(super) fn definitions(trees: &[Arc<TranslationUnit>]) -> String {
    struct Formats(BTreeMap<String, Format>);
    impl<'ast> Visit<'ast> for Formats {
        fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast Span) {
            if let Expression::Identifier(i) = &call.callee.node {
                let name = i.node.name.strip_prefix("__builtin_").unwrap_or(&i.node.name);
                let format = Format::of_call(name, &call.arguments);
                self.0.extend(format.map(|f| (f.model(), f)));
            }
            visit::visit_call_expression(self, call, span);
        }
    }
    let mut formats = Formats(BTreeMap::new());
    trees.iter().for_each(|t| formats.visit_translation_unit(t));
    formats.0.values().map(Format::definition).collect()
}

impl Format {
    /// The format of a call of the function with this name, if it is a literal that can be read.
    pub(crate) fn of_call(name: &str, args: &[lang_c::span::Node<Expression>]) -> Option<Format> {
        let (place, bounded) = place(name)?;
        let Expression::StringLiteral(literal) = &args.get(place)?.node else { return None };
        Format::of(&bytes_of(&literal.node)?, bounded)
    }

    /// Reads a format, with the final zero.
    fn of(bytes: &[u8], bounded: bool) -> Option<Format> {
        let end = bytes.iter().position(|&b| b == 0)?;
        let mut rest = &bytes[..end];
        let mut pieces = Vec::new();
        while let Some((&first, behind)) = rest.split_first() {
            let mut text = |b: u8| match pieces.last_mut() {
                Some(Piece::Text(t)) => t.push(b),
                _ => pieces.push(Piece::Text(vec![b])),
            };
            rest = behind;
            match (first, behind.first()) {
                (b'%', Some(b'%')) => {
                    text(b'%');
                    rest = &behind[1..];
                }
                (b'%', _) => pieces.push(Piece::Conversion(Conversion::read(&mut rest)?)),
                _ => text(first),
            }
        }
        (end <= LONGEST).then(|| Format { bytes: bytes[..end].to_vec(), bounded, pieces })
    }

    /// The name of the model.
    pub(crate) fn model(&self) -> String {
        let hex: String = self.bytes.iter().map(|b| format!("{b:02x}")).collect();
        format!("{PREFIX}{}printf_{hex}", if self.bounded { "sn" } else { "s" })
    }

    fn definition(&self) -> String {
        let (mut parameters, mut body) = (String::new(), String::new());
        let mut count = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => self.write_text(&mut body, text),
                Piece::Conversion(c) => {
                    if let Some(Precision::Given) = c.precision {
                        let _ = write!(parameters, ", int most{count}");
                    }
                    let _ = write!(parameters, ", {} a{count}", c.parameter());
                    match c.letter {
                        b'c' => self.write_character(&mut body, c, count),
                        b's' => self.write_string(&mut body, c, count),
                        _ => self.write_number(&mut body, c, count),
                    }
                    count += 1;
                }
            }
        }
        let (size, end) = match self.bounded {
            true => (", SIZE n", "if (n > 0) to[at < n ? at : n - 1] = 0;"),
            false => ("", "to[at] = 0;"),
        };
        let name = self.model();
        format!("int {name}(char *to{size}{parameters}) {{ SIZE at = 0;\n{body}{end} return (int)at; }}\n")
    }

    /// The statement that writes one character.
    fn put(&self, what: &str) -> String {
        match self.bounded {
            true => format!("{{ if (at + 1 < n) to[at] = {what}; at++; }}\n"),
            false => format!("{{ to[at] = {what}; at++; }}\n"),
        }
    }

    /// The statement that writes a character as often as `k` says.
    fn fill(&self, with: char) -> String {
        format!("for (; k > 0; k--) {}", self.put(&format!("'{with}'")))
    }

    fn write_text(&self, out: &mut String, text: &[u8]) {
        let code = |b: u8| format!("(char){b}");
        if !self.bounded || text.len() <= SHORT {
            text.iter().for_each(|&b| out.push_str(&self.put(&code(b))));
            return;
        }
        let length = text.len();
        let _ = writeln!(out, "if (at + {length} < n) {{");
        for (k, &b) in text.iter().enumerate() {
            let _ = writeln!(out, "to[at + {k}] = {};", code(b));
        }
        let all: Vec<String> = text.iter().map(|&b| code(b)).collect();
        let _ = write!(
            out,
            "at += {length}; }} else {{ static const char t[{length}] = {{ {} }}; int j = 0;\n\
             while (j < {length}) {{ {} j++; }} }}\n",
            all.join(", "),
            self.put("t[j]")
        );
    }

    fn write_character(&self, out: &mut String, c: &Conversion, argument: usize) {
        let fill = match c.width {
            0 | 1 => String::new(),
            w => format!("int k = {}; {}", w - 1, self.fill(' ')),
        };
        let put = self.put(&format!("(char)a{argument}"));
        let (before, after) = if c.left { ("", fill.as_str()) } else { (fill.as_str(), "") };
        let _ = writeln!(out, "{{ {before}{put}{after} }}");
    }

    fn write_string(&self, out: &mut String, c: &Conversion, argument: usize) {
        let text = format!("a{argument}");
        let limit = match c.precision {
            None => String::new(),
            Some(Precision::Fixed(p)) => format!("count < {p} && "),
            Some(Precision::Given) => format!("(most{argument} < 0 || count < most{argument}) && "),
        };
        let _ = writeln!(out, "{{ int count = 0, j = 0; if ({text} == 0) __palisade_no_format();");
        let _ = writeln!(out, "while ({limit}{text}[count] != 0) count++;");
        if c.width > 0 {
            let _ = writeln!(out, "int k = {} - count;", c.width);
        }
        if c.width > 0 && !c.left {
            out.push_str(&self.fill(' '));
        }
        let _ = writeln!(out, "while (j < count) {{ {} j++; }}", self.put(&format!("{text}[j]")));
        let overlap = match self.bounded {
            true => format!("n > 0 && {text} < to + (at < n ? at : n - 1) && to < {text} + count"),
            false => format!("{text} < to + at && to < {text} + count"),
        };
        let _ = writeln!(out, "if ({overlap}) __palisade_no_overlap();");
        if c.width > 0 && c.left {
            out.push_str(&self.fill(' '));
        }
        out.push_str("}\n");
    }

    fn write_number(&self, out: &mut String, c: &Conversion, argument: usize) {
        let long = if c.size >= 3 { " long long" } else { "" };
        let digits = if c.size >= 3 { 22 } else { 11 };
        let signed = matches!(c.letter, b'd' | b'i');
        let (base, ten) = match c.letter {
            b'x' => (16, 'a'),
            b'X' => (16, 'A'),
            b'o' => (8, '0'),
            _ => (10, '0'),
        };
        let cut = match (c.size, signed) {
            (0, true) => "(signed char)",
            (0, false) => "(unsigned char)",
            (1, true) => "(short)",
            (1, false) => "(unsigned short)",
            _ => "",
        };
        let _ = writeln!(out, "{{ char digits[{digits}]; int first = {digits};");
        if signed {
            let _ = writeln!(out, "{long} int number = {cut}a{argument};", long = long.trim_start());
            let _ = writeln!(
                out,
                "unsigned{long} value = number < 0 ? 0 - (unsigned{long})number : (unsigned{long})number;"
            );
        } else {
            let _ = writeln!(out, "unsigned{long} value = {cut}a{argument};");
        }
        let digit = match base {
            16 => format!("(char)(d < 10 ? '0' + d : '{ten}' + d - 10)"),
            _ => "(char)('0' + d)".to_string(),
        };
        let next = format!(
            "{{ int d = (int)(value % {base}u); first--; digits[first] = {digit}; value /= {base}u; }}"
        );
        // Without a precision, zero has a digit.
        let precision = match c.precision {
            Some(Precision::Fixed(p)) => Some(p),
            _ => None,
        };
        let _ = match precision {
            None => writeln!(out, "do {next} while (value != 0);"),
            Some(_) => writeln!(out, "while (value != 0) {next}"),
        };
        let length = match precision {
            None | Some(0) => format!("({digits} - first)"),
            Some(p) => format!("({digits} - first < {p} ? {p} : {digits} - first)"),
        };
        // The sign that numbers have that are not negative.
        let positive = match (signed, c.plus, c.blank) {
            (true, true, _) => "'+'",
            (true, false, true) => "' '",
            _ => "0",
        };
        let sign = match (signed, positive) {
            (false, _) => None,
            (true, "0") => Some("if (number < 0)"),
            (true, _) => Some(""),
        };
        let signs = match sign {
            None => "0",
            Some("") => "1",
            Some(_) => "(number < 0)",
        };
        if c.width > 0 {
            let _ = writeln!(out, "int k = {} - {length} - {signs};", c.width);
        }
        let zeros = c.zero && !c.left && precision.is_none();
        if c.width > 0 && !c.left && !zeros {
            out.push_str(&self.fill(' '));
        }
        if let Some(when) = sign {
            let what = if when.is_empty() { format!("number < 0 ? '-' : {positive}") } else { "'-'".into() };
            let _ = write!(out, "{when} {}", self.put(&what));
        }
        if c.width > 0 && zeros {
            out.push_str(&self.fill('0'));
        }
        if let Some(p) = precision.filter(|p| *p > 0) {
            let _ = write!(out, "for (int z = {p} - ({digits} - first); z > 0; z--) {}", self.put("'0'"));
        }
        let _ = writeln!(out, "while (first < {digits}) {{ {} first++; }}", self.put("digits[first]"));
        if c.width > 0 && c.left {
            out.push_str(&self.fill(' '));
        }
        out.push_str("}\n");
    }
}

impl Conversion {
    /// Reads what stands behind `%`.
    fn read(rest: &mut &[u8]) -> Option<Conversion> {
        let mut c = Conversion {
            left: false,
            zero: false,
            plus: false,
            blank: false,
            width: 0,
            precision: None,
            size: 2,
            letter: 0,
        };
        while let Some(flag) = take(rest, b"-0+ ") {
            match flag {
                b'-' => c.left = true,
                b'0' => c.zero = true,
                b'+' => c.plus = true,
                _ => c.blank = true,
            }
        }
        c.width = number(rest)?;
        if take(rest, b".").is_some() {
            c.precision = Some(match take(rest, b"*") {
                Some(_) => Precision::Given,
                None => Precision::Fixed(number(rest)?),
            });
        }
        c.size = match take(rest, b"hlztj") {
            None => 2,
            Some(b'h') if take(rest, b"h").is_some() => 0,
            Some(b'h') => 1,
            Some(b'l') if take(rest, b"l").is_some() => 4,
            Some(b'j') => 4,
            Some(_) => 3,
        };
        c.letter = take(rest, b"csdiuxXo")?;
        let known = match (c.letter, c.precision) {
            (b'c', precision) => c.size == 2 && precision.is_none(),
            (b's', _) => c.size == 2,
            (_, precision) => !matches!(precision, Some(Precision::Given)),
        };
        known.then_some(c)
    }

    /// The type of the argument.
    fn parameter(&self) -> &'static str {
        match (self.letter, self.size) {
            (b's', _) => "const char *",
            (b'd' | b'i', 4) => "long long",
            (b'd' | b'i', 3) => "long",
            (b'c' | b'd' | b'i', _) => "int",
            (_, 4) => "unsigned long long",
            (_, 3) => "unsigned long",
            _ => "unsigned",
        }
    }
}

/// One of some bytes, if it stands here.
fn take(rest: &mut &[u8], of: &[u8]) -> Option<u8> {
    let (&first, behind) = rest.split_first()?;
    of.contains(&first).then(|| {
        *rest = behind;
        first
    })
}

/// A number, 0 if there is none; `None`: it is too large.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let mut out = 0;
    while let Some(digit) = take(rest, b"0123456789") {
        out = out * 10 + u32::from(digit - b'0');
        if out > WIDEST {
            return None;
        }
    }
    Some(out)
}
