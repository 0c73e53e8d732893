#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replays a violation witness of SV-COMP (format 2.0 or 2.1) through gcc, without Palisade.

    contrib/replay_witness.py WITNESS.yml PROGRAM.c

The values of the `function_return` waypoints become the answers of the functions without body, in order; the
program is compiled with them and run. It prints CONFIRMED (exit code 0) if the error function is called.
A witness states neither what memory without a value contains nor where pointers from outside point to: the
program is run with what is there, with a pattern, with zero, and then with pointers from outside that point
to memory. That memory and what is allocated is zero at first, and then full of pointers to more of it.
Every error function and input function of SV-COMP that the program does not define itself is supplied.
Needs PyYAML and gcc.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

FAILED = 107
TYPES = {
    "int": "int", "uint": "unsigned", "unsigned": "unsigned", "u32": "unsigned", "char": "char",
    "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "long": "long",
    "ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long", "bool": "_Bool",
    "size_t": "unsigned long", "u8": "unsigned char", "u16": "unsigned short", "float": "float",
    "double": "double", "pointer": "void *", "pchar": "char *",
}
SAY = f'printf("REACHED\\n"); fflush(0); _exit({FAILED});'
# What memory without a value contains.
CONTENTS = (
    [],
    ["-ftrivial-auto-var-init=pattern"],
    ["-ftrivial-auto-var-init=zero"],
    ["-DCONTENT=0", "-Wl,--wrap=malloc", "-ftrivial-auto-var-init=zero"],
    ["-DCONTENT=&memory[1 << 15]", "-Wl,--wrap=malloc", "-ftrivial-auto-var-init=zero"],
)
# Memory for pointers from outside. They point to its middle, so that small offsets to both sides are inside.
MEMORY = """
#ifdef CONTENT
static void *memory[1 << 16];
static void fill(void **at, unsigned long n) { for (; n > 0; n--) *at++ = CONTENT; }
void *__real_malloc(unsigned long);
void *__wrap_malloc(unsigned long n) {
  void **block = __real_malloc(n + sizeof(void *));
  if (block) fill(block, n / sizeof(void *) + 1);
  return block;
}
static void *from_outside(void) {
  if (!memory[0]) fill(memory, 1 << 16);
  return &memory[1 << 15];
}
#else
static void *from_outside(void) { return 0; }
#endif
"""


def answers(witness, lines):
    """The values for each function in order, and the line of the target."""
    values, target = {}, None
    for segment in witness["content"]:
        for item in segment["segment"]:
            point = item["waypoint"]
            place = point["location"]
            if point["type"] == "target":
                target = place["line"]
            if point["type"] != "function_return" or point["action"] != "follow":
                continue
            before = lines[place["line"] - 1][: place.get("column")]
            assert before.endswith(")"), f"line {place['line']}: column {place.get('column')} is no call"
            name = re.findall(r"(\w+)\s*\([^()]*\)$", before)[-1]
            value = re.fullmatch(r"\\result\s*==\s*(-?\w+)", point["constraint"]["value"])[1]
            values.setdefault(name, []).append(value)
    return values, target


def is_defined(name, text):
    return re.search(rf"\b{name}\s*\([^;{{}}()]*\)\s*\{{", text) is not None


def environment(text, values):
    """What the program needs to be linked."""
    out = ["void _exit(int); int printf(const char *, ...); int fflush(void *);", MEMORY]
    if not is_defined("__assert_fail", text):
        out.append(f"void __assert_fail(const char *a, const char *f, unsigned l, const char *g) {{ {SAY} }}")
    for name in ("reach_error", "__VERIFIER_error"):
        if not is_defined(name, text):
            out.append(f"void {name}(void) {{ {SAY} }}")
    if not is_defined("__VERIFIER_assume", text):
        out.append("void __VERIFIER_assume(int c) { if (!c) _exit(1); }")
    asked = set(re.findall(r"\b__VERIFIER_nondet_\w+", text)) | set(values)
    for name in sorted(n for n in asked if not is_defined(n, text)):
        kind = TYPES.get(name.removeprefix("__VERIFIER_nondet_"), "int")
        if "*" in kind and name not in values:
            out.append(f"{kind} {name}(void) {{ return from_outside(); }}")
            continue
        list_of = values.get(name, ["0"])
        out.append(
            f"{kind} {name}(void) {{ static const long long v[] = {{ {', '.join(list_of)} }}; "
            f"static unsigned i; return ({kind})(i < {len(list_of)} ? v[i++] : 0); }}"
        )
    return "\n".join(out) + "\n"


def build(binary, files, model, content):
    """Compiles the program; variables without a value get this content. Says why it is not possible."""
    words = ["gcc", "-w", "-std=gnu89", "-fgnu89-inline", "-fno-builtin", "-x", "c", *content]
    # The second one is for a system without 32-bit libraries.
    for more in ([model], ["-std=gnu11"]):
        made = subprocess.run(
            [*words, *more, "-o", str(binary), *files], capture_output=True, text=True, check=False
        )
        if made.returncode == 0:
            return None
    return made.stderr.strip()[:400]


def run(binary):
    """The exit code, and whether the error function was called."""
    try:
        ran = subprocess.run([str(binary)], capture_output=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return "none after 20 s", False
    confirmed = ran.returncode == FAILED
    # An error function that the program defines itself usually ends in a failed assertion or abort.
    confirmed |= ran.returncode in (-6, 134) and b"ssert" in ran.stderr
    return ran.returncode, confirmed


def main():
    witness = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))[0]
    text = Path(sys.argv[2]).read_text(encoding="utf-8", errors="replace")
    values, target = answers(witness, text.split("\n"))
    model = "-m32" if witness["metadata"]["task"]["data_model"] == "ILP32" else "-m64"
    codes = []
    with tempfile.TemporaryDirectory() as folder:
        helper, binary = Path(folder, "environment.c"), Path(folder, "program")
        helper.write_text(environment(text, values), encoding="utf-8")
        for content in CONTENTS:
            problem = build(binary, [sys.argv[2], str(helper)], model, content)
            if problem and not codes and not content:
                sys.exit(f"not compiled: {problem}")
            if problem:
                continue
            code, confirmed = run(binary)
            if confirmed:
                how = f" with {content[0]}" if content else ""
                print(f"target {target} CONFIRMED{how}")
                sys.exit(0)
            codes.append(str(code))
    print(f"target {target} NOT confirmed, exit codes {', '.join(codes)}")
    sys.exit(1)


if __name__ == "__main__":
    main()
