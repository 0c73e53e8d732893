#!/usr/bin/env python3
"""Run the harnesses around real C libraries and judge the answers.

What it does: each harness in this folder states the expected verdict in its first line. The expected verdict
is judged by gcc first: the harness is compiled with AddressSanitizer and UBSan and run on the inputs that it
names, on boundary values and on random values. A false property must fail in one of these runs; a true one
must not fail in any. Then palisade is asked. The tables say how many answers are right, wrong and open.

Invariants: nothing of the libraries is copied. An answer of palisade that differs from the stated verdict is
"wrong" (exit code 1). A stated verdict that gcc contradicts is a defect of the harness (exit code 1 too).

Entry point: main(). Limits: runs cannot show that a property is true; they only fail to refute it. The
compiled program has 64-bit pointers, so palisade is called with --64.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Beside the project, or one folder further up.
PLACES = [p / "shared/real-c" for p in (ROOT.parent, ROOT.parent.parent)]
LIBRARIES = next((p for p in PLACES if p.is_dir()), PLACES[0])

# Short name: folder, include folders, groups of files.
CANOPEN = "embedded-office+canopen-stack"
SETUP = {
    "crypto": ("B-Con+crypto-algorithms", ["."], {}),
    "map": ("rxi+map", ["src"], {}),
    "utf8": ("sheredom+utf8.h", ["."], {}),
    "canopen": (
        CANOPEN,
        ["src/core", "src/config", "src/hal", "src/object/basic", "src/object/cia301",
         "src/service/cia301", "src/service/cia305"],
        {"@all": ["src/core/*.c", "src/config/*.c", "src/hal/*.c", "src/object/*/*.c", "src/service/*/*.c"]},
    ),
    "tinyexpr": ("codeplea+tinyexpr", ["."], {}),
    "ini": ("benhoyt+inih", ["."], {}),
    "nanopb": ("nanopb+nanopb", ["."], {}),
}

# The driver of the compiled harness: one process for each run, so that a failure ends only that run.
DRIVER = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int harness_main(void);
static unsigned long state;
static int mode, named, position;
static char **names;
static unsigned long next(void) {
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return state * 2685821657736338717ul;
}
static unsigned long draw(int bits) {
    if (mode < 0)
        return position < named ? strtoul(names[position++], 0, 0) : 0;
    unsigned long r = next(), pick = next() >> 32;
    unsigned long top = bits == 64 ? ~0ul : (1ul << bits) - 1;
    int kind = mode % 5 == 4 ? (int)(pick % 4) : mode % 5;
    switch (kind) {
    case 0: return r & top;
    case 1: {
        unsigned long edges[] = {0, 1, 2, 7, 8, 255, 256, top, top - 1, top >> 1, (top >> 1) + 1, 127, 128};
        return edges[(pick >> 4) % 13] & top;
    }
    case 2: return (r >> 20) % 18;
    default: return 32 + (r >> 20) % 95;
    }
}
#define NONDET(name, type) type __VERIFIER_nondet_##name(void) { return (type)draw(8 * (int)sizeof(type)); }
NONDET(char, char) NONDET(uchar, unsigned char) NONDET(short, short) NONDET(ushort, unsigned short)
NONDET(int, int) NONDET(uint, unsigned) NONDET(long, long) NONDET(ulong, unsigned long)
void __VERIFIER_assume(int condition) { if (!condition) _exit(77); }
int main(int argc, char **argv) {
    int runs = atoi(argv[1]), passed = 0, dropped = 0, slow = 0;
    unsigned long seed = strtoul(argv[2], 0, 0);
    named = argc - 3;
    names = argv + 3;
    for (int run = named > 0 ? -1 : 0; run < runs; run++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            mode = run;
            state = (seed + 1) * 1000003ul + (unsigned long)(run + 7) * 7919ul;
            for (int i = 0; i < 8; i++) next();
            alarm(5);
            harness_main();
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) passed++;
        else if (WIFEXITED(status) && WEXITSTATUS(status) == 77) dropped++;
        else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) slow++;
        else {
            int asserted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
            printf("%s in run %d\n", asserted ? "assertion failed" : "sanitizer report", run);
            return asserted ? 3 : 5;
        }
    }
    printf("passed %d, left out by assumptions %d, too slow %d\n", passed, dropped, slow);
    return passed == 0 ? 4 : 0;
}
"""


@dataclass
class Harness:
    """One file of this folder with what its first lines state."""

    path: Path
    libraries: Path
    expect: str = ""
    library: str = ""
    files: list = field(default_factory=list)
    options: list = field(default_factory=list)
    inputs: list = field(default_factory=list)

    def folder(self):
        return self.libraries / SETUP[self.library][0]

    def includes(self):
        return ["-I", str(HERE)] + [x for i in SETUP[self.library][1] for x in ("-I", str(self.folder() / i))]

    def sources(self):
        found = []
        for name in self.files:
            for pattern in SETUP[self.library][2].get(name, [name]):
                matches = sorted(self.folder().glob(pattern))
                if not matches:
                    raise SystemExit(f"{self.path.name}: no file {pattern} in {self.folder()}")
                found += [str(m) for m in matches]
        return found

    def checks(self):
        lists = [self.options[i + 1] for i, o in enumerate(self.options) if o == "--check"]
        return set(lists[0].split(",")) if lists else {"assert"}


def read(path, libraries):
    """Reads the header: lines `// key: value` up to the first other line."""
    harness = Harness(path, libraries)
    for line in path.read_text().splitlines():
        match = re.match(r"// (expect|library|files|options|input): *(.*)$", line)
        if not match:
            break
        key, value = match.groups()
        if key in ("expect", "library"):
            setattr(harness, key, value)
        elif key == "input":
            harness.inputs += value.split()
        else:
            setattr(harness, key, value.split())
    if harness.expect not in ("true", "false") or harness.library not in SETUP:
        raise SystemExit(f"{path.name}: the header must state `expect` (true, false) and `library`")
    return harness


def ask_gcc(harness, runs, seed, scratch):
    """The verdict of the sanitizers: "true" (not refuted), "false", or a text that says what went wrong."""
    binary = Path(scratch) / harness.path.stem
    driver = Path(scratch) / "driver.c"
    common = ["gcc", "-g", "-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    # Signed shifts into the sign bit are defined by gcc; most libraries rely on it.
    if not harness.checks() & {"shift", "overflow"}:
        common.append("-fno-sanitize=shift")
    parts = []
    for n, source in enumerate([str(harness.path), *harness.sources()]):
        part = f"{binary}.{n}.o"
        rename = ["-Dmain=harness_main"] if n == 0 else []
        done = subprocess.run([*common, *rename, *harness.includes(), "-c", source, "-o", part],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return "not compiled: " + done.stderr.strip().splitlines()[0]
        parts.append(part)
    done = subprocess.run([*common, str(driver), *parts, "-o", str(binary), "-lm"],
                          capture_output=True, text=True)
    for part in parts:
        os.unlink(part)
    if done.returncode != 0:
        return "not linked: " + done.stderr.strip().splitlines()[-1]
    leaks = "1" if harness.checks() & {"leaks", "valid-memcleanup"} else "0"
    env = dict(os.environ, ASAN_OPTIONS=f"detect_leaks={leaks}:abort_on_error=0:exitcode=99")
    done = subprocess.run([str(binary), str(runs), str(seed), *harness.inputs],
                          capture_output=True, text=True, errors="replace", env=env)
    binary.unlink()
    if done.returncode == 0:
        return "true"
    wanted = {3} if harness.checks() == {"assert"} else {3, 5} if "assert" in harness.checks() else {5}
    if done.returncode in wanted:
        return "false"
    report = re.findall(r"runtime error: .*|ERROR: AddressSanitizer: [^ ]*", done.stderr)
    return f"{done.stdout.strip() or done.returncode} {' '.join(report[:1])}".strip()


def ask_palisade(harness, args):
    """Verdict, reason, CPU seconds, wall seconds."""
    command = [args.palisade, "verify", "--64", "--timeout", str(args.timeout), "--memory", str(args.memory),
               *harness.options, *harness.includes(), str(harness.path), *harness.sources()]
    begin = time.time()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    wall = time.time() - begin
    cpu = usage.ru_utime + usage.ru_stime
    if args.logs:
        (Path(args.logs) / f"{harness.path.stem}.log").write_text(" ".join(command) + "\n" + text)
    results = re.findall(r"^RESULT: (\w+)(.*)$", text, re.M)
    if not results:
        lines = [x for x in text.splitlines() if x.strip()]
        errors = [x for x in lines if "error" in x] or lines[-1:] or [f"exit code {process.returncode}"]
        return "open", errors[0].strip(), cpu, wall
    word, rest = results[-1]
    if word in ("TRUE", "FALSE"):
        return word.lower(), "", cpu, wall
    return "open", (rest.strip(" :()") or word), cpu, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--palisade", default="palisade", help="the program to judge")
    parser.add_argument("--timeout", type=int, default=25, help="CPU seconds for each harness (default 25)")
    parser.add_argument("--memory", type=int, default=4000, help="MB for each harness (default 4000)")
    parser.add_argument("--jobs", type=int, default=1, help="harnesses at a time (default 1)")
    parser.add_argument("--filter", default="", help="only harnesses whose name has this text")
    parser.add_argument("--runs", type=int, default=500, help="runs of the compiled harness (default 500)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random values (default 0)")
    parser.add_argument("--gcc-only", action="store_true", help="judge the harnesses, do not ask palisade")
    parser.add_argument("--no-gcc", action="store_true", help="believe the stated verdicts")
    parser.add_argument("--libraries", default=str(LIBRARIES), help="the folder with the libraries")
    parser.add_argument("--csv", default="real-c.csv", help="where the table goes (default real-c.csv)")
    parser.add_argument("--logs", default="", help="a folder for the outputs of palisade")
    args = parser.parse_args()
    libraries = Path(args.libraries)
    if not libraries.is_dir():
        print(f"The libraries are absent ({libraries}): nothing was run.")
        return 0
    if args.logs:
        Path(args.logs).mkdir(parents=True, exist_ok=True)
    harnesses = [read(p, libraries) for p in sorted(HERE.glob("*.c")) if args.filter in p.stem]
    if not harnesses:
        raise SystemExit("no harness has this name")

    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "driver.c").write_text(DRIVER)

        def work(harness):
            judged = harness.expect if args.no_gcc else ask_gcc(harness, args.runs, args.seed, scratch)
            verdict, reason, cpu, wall = "", "", 0.0, 0.0
            if not args.gcc_only:
                verdict, reason, cpu, wall = ask_palisade(harness, args)
            if judged != harness.expect:
                outcome, reason = "bad harness", f"gcc: {judged}"
            elif args.gcc_only:
                outcome = "judged"
            elif verdict == "open":
                outcome = "open"
            else:
                outcome = "right" if verdict == harness.expect else "wrong"
            print(f"{outcome:11} {harness.path.stem:34} expected {harness.expect:5} {cpu:7.1f} s  {reason}",
                  flush=True)
            return [harness.path.stem, harness.library, harness.expect, judged, verdict, outcome,
                    f"{cpu:.1f}", f"{wall:.1f}", reason]

        with ThreadPoolExecutor(max_workers=args.jobs) as pool:
            rows = list(pool.map(work, harnesses))

    with open(args.csv, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["harness", "library", "expected", "gcc", "palisade", "outcome", "cpu_s", "wall_s",
                         "reason"])
        writer.writerows(rows)
    outcomes = ["judged"] if args.gcc_only else ["right", "wrong", "open"]
    print(f"\n| library | harnesses | {' | '.join(outcomes)} | bad harness | CPU s |")
    print("|---|" + "---:|" * (len(outcomes) + 3))
    for name in [*SETUP, "all"]:
        own = [r for r in rows if name in ("all", r[1])]
        counts = [sum(r[5] == o for r in own) for o in [*outcomes, "bad harness"]]
        label = SETUP[name][0] if name in SETUP else "all"
        cells = [label, len(own), *counts, f"{sum(float(r[6]) for r in own):.0f}"]
        print(f"| {' | '.join(map(str, cells))} |")
    return 1 if any(r[5] in ("wrong", "bad harness") for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
