#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Every format that `palisade verify` writes, judged by tools that are not Palisade.

    contrib/formats.py SUITE... [--palisade FILE] [--each N] [--invariants N] [--timeout S] [--folder DIR]
        [--only TEXT]

The suites are folders with a tasks.csv (`../shared/benchmarks/c/svcomp/*`). Of tasks whose property is the
call of an error function, N of each verdict are taken that Palisade answers in S seconds of CPU time, one of
each suite in turns; then --invariants N more safe ones whose witness has an invariant. Each is verified with
all formats:

    json       check-jsonschema with docs/report.schema.json
    sarif      check-jsonschema with the schema of SARIF 2.1.0 that the crate serde-sarif ships
    witness    check-jsonschema with ../shared/formats/witness-2.x.schema.json, if that is there
    validate   `palisade validate` gives the same answer
    replay     unsafe: contrib/replay_witness.py, which runs the compiled program
    c          safe: gcc compiles the program with its invariants as tests, without a warning about them
    runs       safe: no test fails and no sanitizer complains in ten runs with random inputs
    html       Chromium shows the page with the verdict, and its scripts do not fail

The last lines are a table. Exit code 1 if something is not good. A tool that is absent is said.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {"true": 0, "false": 10}
JUDGES = ["json", "sarif", "witness", "validate", "replay", "c", "runs", "html"]
FAILED = 107


def run(words, seconds=300):
    """What a command says and its exit code; -1 if it does not end."""
    try:
        made = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"no end after {seconds} s"
    return made.returncode, made.stdout + made.stderr


def in_turns(lists):
    """One of each list, then the next of each."""
    lists = [iter(one) for one in lists]
    while lists:
        for one in list(lists):
            task = next(one, None)
            if task is None:
                lists.remove(one)
            else:
                yield task


def tasks(suites, verdict):
    """The tasks of a verdict: file and error function."""
    found = []
    for suite in suites:
        with open(suite / "tasks.csv", encoding="utf-8") as table:
            wanted = (verdict, "unreach-call")
            rows = [r["file"] for r in csv.DictReader(table) if (r["verdict"], r["property"]) == wanted]
        found.append([suite / file for file in rows])
    for file in in_turns(found):
        text = file.read_text(encoding="utf-8", errors="replace")
        yield file, "reach_error" if "reach_error" in text else "__VERIFIER_error"


def sarif_schema():
    """The schema of SARIF, from the sources of the crate that writes it."""
    words = ["cargo", "metadata", "--format-version", "1", "--locked"]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    crate = next(p for p in json.loads(made.stdout)["packages"] if p["name"] == "serde-sarif")
    return pathlib.Path(crate["manifest_path"]).parent / "src/schema.json"


def follows(schema, *options):
    """A judge: does the file follow the schema?"""
    return lambda file: run(["check-jsonschema", *options, "--schemafile", str(schema), str(file)])


def condition(text, at):
    """Where the condition of the loop at an offset begins: the loop, its parenthesis, and the condition."""
    keyword = re.match(r"(for|while)\s*\(", text[at:])
    if not keyword:
        return None
    i = at + keyword.end()
    if keyword[1] == "while":
        return i
    depth = 0
    while text[i] != ";" or depth:
        depth += (text[i] in "([{") - (text[i] in ")]}")
        i += 1
    return i + 1


def tested(text, invariants):
    """The program with its invariants as tests: of a loop in its condition, else before a statement, as a
    prefix of it that can stand where a statement without braces does."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits = []
    for i in invariants:
        at = starts[i["in_input"]["line"] - 1] + i["in_input"]["column"] - 1
        test = f"({i['expression']}) || __palisade_wrong()"
        if i["kind"] == "loop":
            at = condition(text, at)
            if at is None:
                return None
            rest = re.match(r"\s*;", text[at:])
            edits.append((at, f"{test}{', 1' if rest else ','} "))
        elif text[:at].rstrip().endswith(("{", "}", ";", ":")):
            edits.append((at, f"(void)({test}); "))
        else:
            edits.append((at, f"if ({test}) "))
    for at, test in sorted(edits, reverse=True):
        text = text[:at] + test + text[at:]
    return "int __palisade_wrong(void);\n" + text


STUBS = """#include <stdlib.h>
#include <unistd.h>
#include <time.h>
static unsigned long long state;
static unsigned long long next(void) {
  if (!state) state = 88172645463325252ULL + 0x9E3779B97F4A7C15ULL * strtoull(getenv("SEED"), 0, 10);
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  unsigned long long bits = state >> 11;
  return bits & 3 ? (bits >> 2) % 5 : bits >> 2;
}
int __palisade_wrong(void) { _exit(FAILED); return 0; }
__attribute__((weak)) void __VERIFIER_assume(int c) { if (!c) _exit(0); }
__attribute__((weak)) void reach_error(void) { _exit(FAILED + 1); }
__attribute__((weak)) void __VERIFIER_error(void) { _exit(FAILED + 1); }
""".replace("FAILED", str(FAILED))
TYPES = {
    "uint": "unsigned", "char": "char", "uchar": "unsigned char", "short": "short", "long": "long",
    "ushort": "unsigned short", "ulong": "unsigned long", "bool": "_Bool", "pointer": "void *",
    "float": "float", "double": "double",
}


def compiled(folder, file, model, invariants):
    """Compiles the program with its tests: the exit code, what gcc says, and the objects."""
    text = file.read_text(encoding="utf-8", errors="replace")
    source, stubs, program = folder / "tested.c", folder / "stubs.c", folder / "program"
    with_tests = tested(text, invariants)
    if with_tests is None:
        return 1, "an invariant is not at a loop", None
    source.write_text(with_tests, encoding="utf-8")
    asked = sorted(set(re.findall(r"\b__VERIFIER_nondet_(\w+)", text)))
    inputs = ""
    for name in asked:
        kind = TYPES.get(name, "int")
        inputs += f"__attribute__((weak)) {kind} __VERIFIER_nondet_{name}(void)"
        inputs += f" {{ return ({kind})next(); }}\n"
    stubs.write_text(STUBS + inputs, encoding="utf-8")
    words = ["gcc", model, "-std=gnu17", "-w", "-Wimplicit-function-declaration", "-Wsign-compare"]
    words += ["-Woverflow", "-Wint-conversion", "-I", str(file.parent), "-fno-builtin", "-c"]
    code, said = run([*words, "-o", str(folder / "tested.o"), str(source)])
    # Warnings about the program itself are not ours.
    ours = [line for line in said.split("\n") if "__palisade" in line]
    if code != 0 or ours:
        return 1, "\n".join(ours) or said, None
    words = ["gcc", model, "-std=gnu17", "-w", "-I", str(file.parent), "-fno-builtin", "-fsanitize=undefined",
             "-fno-sanitize=signed-integer-overflow", "-fno-sanitize-recover=all"]
    linked, said = run([*words, "-o", str(program), str(source), str(stubs)])
    return 0, said, program if linked == 0 else None


def random_runs(program):
    """Ten runs: does an invariant fail?"""
    for seed in range(10):
        env = dict(os.environ, SEED=str(seed))
        try:
            made = subprocess.run([str(program)], capture_output=True, timeout=2, env=env, check=False)
        except subprocess.TimeoutExpired:
            continue  # Programs need not end.
        if made.returncode in (FAILED, FAILED + 1) or b"runtime error" in made.stderr:
            return 1, f"seed {seed}: exit code {made.returncode} {made.stderr[:200]!r}"
    return 0, ""


def browser():
    return next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)


def shown(page, verdict, folder):
    """Does the browser show the page?"""
    words = [browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000"]
    words += ["--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    words.append(f"file://{page}#step=2")
    code, said = run(words, 120)
    errors = [line for line in said.split("\n") if ":CONSOLE" in line and "rror" in line]
    good = code == 0 and f'id="verdict" class="{verdict.upper()}"' in said and not errors
    return int(not good), "\n".join(errors) or said[-300:]


def judged(args, judges, file, function, verdict, folder, least):
    """Verifies a task with all formats; what each judge says and the number of invariants. Nothing without
    the answer or with fewer invariants than `least`."""
    stem = str(folder / file.name)
    names = {kind: pathlib.Path(f"{stem}.{kind}") for kind in ("json", "sarif", "yml", "html")}
    words = [args.palisade, "verify", "--check", f"call({function})", "--undefined", "arbitrary",
             "--timeout", str(args.timeout), "--json", names["json"], "--sarif", names["sarif"],
             "--witness", names["yml"], "--html", names["html"], str(file)]
    code, said = run([str(w) for w in words])
    if code != CODE[verdict]:
        return None
    document = json.loads(names["json"].read_text(encoding="utf-8"))
    invariants = document["evidence"].get("c_invariants") or []
    if len(invariants) < least:
        return None
    out = {}
    for kind, name in (("json", "json"), ("sarif", "sarif"), ("witness", "yml")):
        if kind in judges:
            out[kind] = judges[kind](names[name])
    words = [args.palisade, "validate", "--timeout", str(2 * args.timeout), str(names["yml"]), str(file)]
    code, said = run(words)
    out["validate"] = (int(code != CODE[verdict]), said[-300:])
    if verdict == "false":
        replay = str(ROOT / "contrib/replay_witness.py")
        out["replay"] = run([sys.executable, replay, str(names["yml"]), str(file)])
    else:
        model = "-m32" if document["data_model"] == "ILP32" else "-m64"
        code, said, program = compiled(folder, file, model, invariants)
        out["c"] = (code, said)
        if program:
            out["runs"] = random_runs(program)
    if browser():
        out["html"] = shown(names["html"], verdict, folder)
    return out, len(invariants)


def main():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("suites", nargs="+", type=pathlib.Path)
    parser.add_argument("--palisade", default="palisade")
    parser.add_argument("--each", type=int, default=25, help="tasks of each verdict")
    parser.add_argument("--invariants", type=int, default=0, help="more safe tasks, with invariants")
    parser.add_argument("--timeout", type=float, default=8, help="CPU seconds for one answer")
    parser.add_argument("--only", default="", help="files whose names contain this")
    parser.add_argument("--folder", type=pathlib.Path, help="where what is written stays")
    args = parser.parse_args()
    args.palisade = shutil.which(args.palisade) or sys.exit("there is no palisade")
    judges = {}
    if shutil.which("check-jsonschema"):
        judges["json"] = follows(ROOT / "docs/report.schema.json")
        judges["sarif"] = follows(sarif_schema(), "--regex-variant", "nonunicode")
        shared = next((p for p in (ROOT.parent, ROOT.parent.parent) if (p / "shared/formats").exists()), None)
        if shared:
            judges["witness"] = follows(shared / "shared/formats/witness-2.x.schema.json")
    for tool in ("check-jsonschema", "gcc", browser() or "chromium"):
        if not shutil.which(tool):
            print(f"there is no {tool}: its part is left out")
    suites = [s.resolve() for s in args.suites if (s / "tasks.csv").exists()]
    folder = args.folder or pathlib.Path(tempfile.mkdtemp(prefix="formats-"))
    folder.mkdir(parents=True, exist_ok=True)
    good = {j: 0 for j in JUDGES}
    asked = dict(good)
    families = set()
    done = set()
    invariants = 0
    rounds = [("true", args.each, 0), ("false", args.each, 0), ("true", args.invariants, 1)]
    for verdict, wanted, least in rounds:
        count = 0
        for file, function in tasks(suites, verdict):
            if count == wanted:
                break
            if args.only not in file.name or file in done:
                continue
            name = f"{file.parent.name}/{file.name}"
            out = judged(args, judges, file, function, verdict, folder.resolve(), least)
            done.add(file)
            if out is None:
                print(f"  left out   {name}", flush=True)
                continue
            out, written = out
            count += 1
            invariants += written
            families.add(file.parent.name)
            for judge, (code, said) in out.items():
                asked[judge] += 1
                good[judge] += code == 0
                if code != 0:
                    print(f"  NOT GOOD   {judge} {name}: {said.strip()[:600]}", flush=True)
            print(f"{count:3} {verdict} {name}, {written} invariants", flush=True)
    print(f"\n{len(families)} families, {invariants} invariants\n\n| judge | good |\n|---|---:|")
    for judge in JUDGES:
        print(f"| {judge} | {good[judge]} of {asked[judge]} |")
    if not args.folder:
        shutil.rmtree(folder)
    return int(good != asked)


if __name__ == "__main__":
    sys.exit(main())
