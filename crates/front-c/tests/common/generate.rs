//! Random C programs in the supported language. They observe values by calling `observe` and read inputs by
//! `__VERIFIER_nondet_*`.
//!
//! Undefined behaviour is avoided where that is easy; what remains is found by the sanitizer, and such runs
//! are not compared.

use palisade_fuzzing::{INTEGERS, Random};

use super::experiment::INPUTS;

/// The generator.
pub struct Program {
    number: u64,
    random: Random,
    out: String,
    indent: usize,
    names: usize,
    /// Lvalues of integer types in scope.
    scopes: Vec<Vec<String>>,
    /// Pointers in scope, with the type they point to.
    pointers: Vec<Vec<(String, String)>>,
    /// Variables whose address may be taken, with their types.
    targets: Vec<Vec<(String, String)>>,
    functions: Vec<(String, usize)>,
    pointer_functions: Vec<String>,
    structs: Vec<Vec<String>>,
    loops: usize,
    breakable: usize,
    /// Signed overflow is defined: anything goes.
    wrap: bool,
    budget: usize,
}

impl Program {
    /// The program of a number, which is its seed and part of all its names: its main function is
    /// `program<number>`. With `wrap`, signed overflow is expected to wrap around.
    pub fn generate(seed: u64, wrap: bool) -> String {
        let mut p = Program {
            number: seed,
            random: Random::new(seed),
            out: String::new(),
            indent: 0,
            names: 0,
            scopes: vec![Vec::new()],
            pointers: vec![Vec::new()],
            targets: vec![Vec::new()],
            functions: Vec::new(),
            pointer_functions: Vec::new(),
            structs: vec![Vec::new()],
            loops: 0,
            breakable: 0,
            wrap,
            budget: 60,
        };
        p.program();
        p.out
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}_{}", self.number, self.names)
    }

    fn ty(&mut self) -> String {
        (*self.random.one_of(INTEGERS)).to_string()
    }

    fn program(&mut self) {
        for _ in 0..3 {
            let (n, ty) = (self.name("g"), self.ty());
            let init = self.constant();
            self.line(&format!("{ty} {n} = {init};"));
            self.scopes[0].push(n.clone());
            self.targets[0].push((n, ty));
        }
        let n = self.name("ga");
        self.line(&format!("int {n}[8] = {{ 3, 1, -4, [6] = 7 }};"));
        self.array(&n, &[8], "int");
        let n = self.name("gm");
        self.line(&format!("unsigned short {n}[3][4] = {{ {{ 1, 2 }}, {{ 5 }} }};"));
        self.array(&n, &[3, 4], "unsigned short");
        let n = self.name("gs");
        self.line(&format!("struct point {n} = {{ 1, 2u, {{ 4, 5 }}, .flag = 3 }};"));
        self.structure(&n);
        let n = self.name("gp");
        self.line(&format!("struct point {n}[3];"));
        let indexed = format!("{n}[(unsigned)({}) % 3]", self.scopes[0][0].clone());
        self.fields(&indexed);
        for _ in 0..2 {
            self.function();
        }
        self.recursive();
        self.pointer_function();
        self.line(&format!("int program{}(void) {{", self.number));
        self.indent += 1;
        self.enter();
        for _ in 0..4 {
            self.local();
        }
        for _ in 0..6 {
            self.statement(3);
        }
        let all: Vec<String> = self.scopes.iter().flatten().cloned().collect();
        for v in all {
            self.line(&format!("observe({v});"));
        }
        self.line("return 0;");
        self.leave();
        self.indent -= 1;
        self.line("}");
    }

    fn enter(&mut self) {
        self.scopes.push(Vec::new());
        self.pointers.push(Vec::new());
        self.targets.push(Vec::new());
        self.structs.push(Vec::new());
    }

    fn leave(&mut self) {
        self.scopes.pop();
        self.pointers.pop();
        self.targets.pop();
        self.structs.pop();
    }

    fn declare(&mut self, lvalue: String) {
        self.scopes.last_mut().expect("a scope").push(lvalue);
    }

    fn array(&mut self, name: &str, dims: &[usize], ty: &str) {
        let (mut varying, mut fixed) = (name.to_string(), name.to_string());
        for d in dims {
            let i = self.atom();
            varying.push_str(&format!("[(unsigned)({i}) % {d}]"));
            fixed.push_str(&format!("[{}]", self.random.below(*d)));
        }
        self.declare(varying);
        self.declare(fixed.clone());
        self.targets.last_mut().expect("a scope").push((fixed, ty.to_string()));
    }

    fn fields(&mut self, base: &str) {
        let i = self.random.below(4);
        for f in ["x", "y", "in.u", "in.v", "bits", "flag"] {
            self.declare(format!("{base}.{f}"));
        }
        self.declare(format!("{base}.z[{i}]"));
    }

    fn structure(&mut self, name: &str) {
        self.fields(name);
        let targets = self.targets.last_mut().expect("a scope");
        targets.push((format!("{name}.x"), "int".into()));
        targets.push((format!("{name}.y"), "unsigned int".into()));
        self.structs.last_mut().expect("a scope").push(name.to_string());
    }

    fn function(&mut self) {
        let (name, count) = (self.name("f"), 1 + self.random.below(3));
        let params: Vec<(String, String)> = (0..count).map(|_| (self.ty(), self.name("a"))).collect();
        let result = self.ty();
        let list: Vec<String> = params.iter().map(|(t, n)| format!("{t} {n}")).collect();
        self.line(&format!("{result} {name}({}) {{", list.join(", ")));
        self.indent += 1;
        self.enter();
        for (t, n) in params {
            self.declare(n.clone());
            self.targets.last_mut().expect("a scope").push((n, t));
        }
        if self.random.chance(50) {
            let n = self.name("st");
            self.line(&format!("static int {n} = 2;"));
            self.declare(n);
        }
        self.local();
        for _ in 0..3 {
            self.statement(2);
        }
        if self.random.chance(50) {
            let c = self.expr(2);
            let e = self.expr(2);
            self.line(&format!("if ({c}) return {e};"));
        }
        let e = self.expr(2);
        self.line(&format!("return {e};"));
        self.leave();
        self.indent -= 1;
        self.line("}");
        self.functions.push((name, count));
    }

    fn recursive(&mut self) {
        let name = self.name("r");
        let e = self.constant();
        self.line(&format!(
            "unsigned {name}(unsigned n, unsigned m) {{ if ((n & 3) == 0) return m ^ (unsigned)({e}); \
                return {name}((n & 3) - 1, m * 3u + n) + m; }}"
        ));
        self.functions.push((name, 2));
    }

    fn pointer_function(&mut self) {
        let name = self.name("q");
        self.line(&format!("void {name}(int *p, struct point *s, int a[], unsigned n) {{"));
        self.indent += 1;
        self.line("for (unsigned i = 0; i < n; i++) a[i] = a[i] ^ (int)i;");
        self.line("if (p != 0) { *p = (short)*p + 1; s->x = *p; s->z[n & 3] = (signed char)s->y; }");
        self.line("s->in.u++; (*s).y += n;");
        self.indent -= 1;
        self.line("}");
        self.pointer_functions.push(name);
    }

    fn local(&mut self) {
        match self.random.below(8) {
            0 => {
                let (n, ty) = (self.name("a"), self.ty());
                self.line(&format!("{ty} {n}[5] = {{ 1, 2, 3 }};"));
                self.array(&n, &[5], &ty);
            }
            1 => {
                let n = self.name("s");
                let e = self.expr(1);
                self.line(&format!("struct point {n} = {{ .y = {e} }};"));
                self.structure(&n);
            }
            2 => self.pointer(),
            3 => {
                let n = self.name("e");
                self.line(&format!("enum color {n} = GREEN;"));
                self.declare(n);
            }
            _ => {
                let (n, ty, e) = (self.name("v"), self.ty(), self.expr(2));
                self.line(&format!("{ty} {n} = {e};"));
                self.declare(n.clone());
                self.targets.last_mut().expect("a scope").push((n, ty));
            }
        }
    }

    fn pointer(&mut self) {
        let all: Vec<(String, String)> = self.targets.iter().flatten().cloned().collect();
        if all.is_empty() {
            return;
        }
        let (target, ty) = self.random.one_of(&all).clone();
        let n = self.name("p");
        self.line(&format!("{ty} *{n} = &{target};"));
        self.declare(format!("*{n}"));
        self.pointers.last_mut().expect("a scope").push((n, ty));
    }

    fn constant(&mut self) -> String {
        match self.random.below(10) {
            0 => "2147483647".into(),
            1 => "(-2147483647 - 1)".into(),
            2 => "4294967295u".into(),
            3 => "'a'".into(),
            4 => "0x80".into(),
            5 => "BLUE".into(),
            6 => format!("{}L", self.random.bits() as i64 >> 40),
            7 => format!("(-{})", self.random.below(300)),
            _ => format!("{}", self.random.below(20)),
        }
    }

    fn lvalue(&mut self) -> Option<String> {
        let all: Vec<String> = self.scopes.iter().flatten().cloned().collect();
        if all.is_empty() { None } else { Some(self.random.one_of(&all).clone()) }
    }

    fn atom(&mut self) -> String {
        match self.lvalue() {
            Some(v) if self.random.chance(70) => v,
            _ => self.constant(),
        }
    }

    /// A pure expression.
    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(14) {
            0..=3 => self.arithmetic(&a, &b),
            4 => {
                let op = *self.random.one_of(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({a} {op} {b})")
            }
            5 => {
                let op = *self.random.one_of(&["&&", "||"]);
                format!("({a} {op} {b})")
            }
            6 | 7 => {
                let op = *self.random.one_of(&["&", "|", "^"]);
                format!("({a} {op} {b})")
            }
            8 => format!("(~{a})"),
            9 => format!("(!{a})"),
            10 => {
                let t = self.ty();
                format!("(({t}){a})")
            }
            11 => {
                let c = self.expr(depth - 1);
                format!("({c} ? {a} : {b})")
            }
            12 => {
                let t = *self.random.one_of(&["struct point", "int", "short", "long"]);
                format!("({a} + (unsigned)sizeof({t}))")
            }
            _ => format!("(-(short){a})"),
        }
    }

    fn arithmetic(&mut self, a: &str, b: &str) -> String {
        let op = *self.random.one_of(&["+", "-", "*"]);
        match self.random.below(9) {
            0 => format!("((unsigned int){a} {op} (unsigned int){b})"),
            1 => format!("((unsigned long){a} {op} (unsigned long){b})"),
            2 => format!("((signed char){a} {op} (short){b})"),
            3 => format!("((unsigned char){a} {op} (unsigned char){b})"),
            4 if self.wrap => format!("({a} {op} {b})"),
            4 => format!("((short){a} {op} (short){b})"),
            5 => {
                let (op, k) = (*self.random.one_of(&["/", "%"]), 1 + self.random.below(20));
                let divisor = match self.random.below(4) {
                    0 => format!("{k}"),
                    1 => format!("(-{k})"),
                    2 => format!("(({b} & 15) + 1)"),
                    _ => format!("((short){b} | 1)"),
                };
                let dividend = if self.random.chance(50) { format!("(short){a}") } else { a.to_string() };
                format!("({dividend} {op} {divisor})")
            }
            6 => format!("((unsigned){a} << ({b} & 15))"),
            7 => format!("({a} >> ({b} & 15))"),
            _ => format!("((unsigned char){a} << {})", self.random.below(8)),
        }
    }

    fn assignment(&mut self) {
        let Some(v) = self.lvalue() else { return };
        let e = self.expr(3);
        let statement = match self.random.below(9) {
            0 => format!("{v} ^= {e};"),
            1 => format!("{v} |= {e};"),
            2 => format!("{v} &= {e};"),
            3 if self.wrap => format!("{v} += {e};"),
            4 if self.wrap => format!("({v})++;"),
            5 if self.wrap => format!("--{v};"),
            6 => format!("{v} >>= ({e}) & 7;"),
            // The inner assignment must not change which place the outer one is to.
            7 if !v.contains(['[', '*']) => format!("{v} = ({v} = {}, {e});", self.random.below(9)),
            _ => format!("{v} = {e};"),
        };
        self.line(&statement);
    }

    fn block(&mut self, depth: usize, count: usize) {
        self.indent += 1;
        self.enter();
        if self.random.chance(25) {
            self.local();
        }
        for _ in 0..count {
            self.statement(depth);
        }
        self.leave();
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let simple = depth == 0;
        match self.random.below(if simple { 7 } else { 16 }) {
            0 | 1 => self.assignment(),
            2 => {
                if let Some(v) = self.lvalue() {
                    self.line(&format!("observe({v});"));
                }
            }
            3 => {
                if let Some(v) = self.lvalue() {
                    let (name, ..) = *self.random.one_of(INPUTS);
                    self.line(&format!("{v} = __VERIFIER_nondet_{name}();"));
                }
            }
            4 => self.call(),
            5 => self.retarget(),
            6 => self.copy(),
            7..=9 => {
                let c = self.condition();
                self.line(&format!("if ({c}) {{"));
                self.block(depth - 1, 2);
                if self.random.chance(50) {
                    self.line("} else {");
                    self.block(depth - 1, 2);
                }
                self.line("}");
            }
            10 | 11 if self.loops < 2 => self.repeat(depth),
            12 => self.switch(depth),
            13 => {
                let (l, c) = (self.name("L"), self.expr(2));
                self.line(&format!("if ({c}) goto {l};"));
                self.statement(depth - 1);
                self.line(&format!("{l}: ;"));
            }
            14 if self.breakable > 0 && self.loops > 0 => {
                let (c, w) = (self.expr(1), *self.random.one_of(&["break", "continue"]));
                self.line(&format!("if ({c}) {w};"));
            }
            _ => {
                let e = self.expr(2);
                if let Some(v) = self.lvalue() {
                    self.line(&format!("{v} = ({{ int t = (int)({e}); t & 0xff; }});"));
                }
            }
        }
    }

    /// A condition that may have effects.
    fn condition(&mut self) -> String {
        let e = self.expr(2);
        match self.lvalue() {
            Some(v) if self.random.chance(30) => {
                let op = *self.random.one_of(&["&&", "||"]);
                let (name, ..) = *self.random.one_of(INPUTS);
                format!("{e} {op} ({v} = __VERIFIER_nondet_{name}()) > 3")
            }
            _ => e,
        }
    }

    fn call(&mut self) {
        let Some(v) = self.lvalue() else { return };
        if let Some((name, count)) =
            (!self.functions.is_empty()).then(|| self.random.one_of(&self.functions.clone()).clone())
        {
            let args: Vec<String> = (0..count).map(|_| self.expr(2)).collect();
            // C leaves open whether the function runs before the place of the result is determined: it may
            // change an index or a pointer.
            if v.contains(['[', '*']) {
                self.line(&format!("{{ unsigned long long t = {name}({}); {v} = t; }}", args.join(", ")));
            } else {
                self.line(&format!("{v} = {name}({});", args.join(", ")));
            }
        }
        let two: Vec<String> =
            self.functions.iter().filter(|f| f.0.starts_with('r')).map(|f| f.0.clone()).collect();
        if let (Some(f), true) = (two.first(), self.random.chance(30)) {
            let n = self.name("fp");
            let (a, b) = (self.expr(1), self.expr(1));
            self.line(&format!("{{ unsigned (*{n})(unsigned, unsigned) = {f}; {v} = {n}({a}, {b}); }}"));
        }
    }

    fn retarget(&mut self) {
        let pointers: Vec<(String, String)> = self.pointers.iter().flatten().cloned().collect();
        if pointers.is_empty() {
            return;
        }
        let (p, ty) = self.random.one_of(&pointers).clone();
        // The target must outlive the pointer: only what is in scope where the pointer is declared.
        let depth = self.pointers.iter().position(|s| s.iter().any(|x| x.0 == p)).expect("declared");
        let fitting: Vec<String> =
            self.targets[..=depth].iter().flatten().filter(|t| t.1 == ty).map(|t| t.0.clone()).collect();
        if !fitting.is_empty() {
            let t = self.random.one_of(&fitting).clone();
            self.line(&format!("{p} = &{t};"));
        }
    }

    fn copy(&mut self) {
        let all: Vec<String> = self.structs.iter().flatten().cloned().collect();
        if all.is_empty() {
            return;
        }
        let (a, b) = (self.random.one_of(&all).clone(), self.random.one_of(&all).clone());
        if self.random.chance(50) {
            self.line(&format!("{a} = {b};"));
        } else if let Some(q) = self.pointer_functions.first().cloned() {
            let array = self.name("buf");
            self.line(&format!(
                "{{ int {array}[6] = {{ 5, 4 }}; {q}(&{a}.x, &{b}, {array}, 3u); observe({array}[2]); }}"
            ));
        }
    }

    fn repeat(&mut self, depth: usize) {
        self.loops += 1;
        self.breakable += 1;
        let (i, n) = (self.name("i"), 1 + self.random.below(4));
        match self.random.below(3) {
            0 => {
                self.line(&format!("for (int {i} = 0; {i} < {n}; {i}++) {{"));
                self.block(depth - 1, 3);
                self.line("}");
            }
            1 => {
                self.line(&format!("{{ unsigned {i} = {n}; while ({i}--) {{"));
                self.block(depth - 1, 3);
                self.line("} }");
            }
            _ => {
                self.line(&format!("{{ int {i} = 0; do {{"));
                self.block(depth - 1, 3);
                self.line(&format!("}} while (++{i} < {n}); }}"));
            }
        }
        self.breakable -= 1;
        self.loops -= 1;
    }

    fn switch(&mut self, depth: usize) {
        let e = self.expr(2);
        let continued = std::mem::replace(&mut self.breakable, 0);
        self.line(&format!("switch (({e}) & 7) {{"));
        for case in 0..4 {
            let label = match case {
                3 => "default:".to_string(),
                0 => "case 0: case 5:".to_string(),
                k => format!("case {}:", k + 1),
            };
            self.line(&format!("{label} {{"));
            self.block(depth - 1, 1);
            self.line("}");
            if self.random.chance(60) {
                self.line("  break;");
            }
        }
        self.line("}");
        self.breakable = continued;
    }
}
