#!/usr/bin/env python3
"""Tries `palisade bench --on hq|slurm` on this machine, with workers that are killed.

    contrib/campaign.py hq|slurm [--tasks N] [--palisade FILE] [--kill SECONDS] [--folder DIR] [--workers N]

A suite of N tiny Horn problems, every third of them unsafe, goes to a scheduler that runs here. Every few
seconds a worker is killed with what it runs (SIGKILL) and another one is started; for HyperQueue the server is
killed once and started again from its journal. As a user would, the script starts the same command again when
it ends without all rows. At the end every task must have one row with the right verdict.

HyperQueue: `hq` must be on PATH; server and workers live in the folder and end with the script. Slurm: a
running cluster is used (`sinfo` must answer); in turns, running tasks are put back (`scontrol requeue`), which
Slurm does when their node is lost, and killed for good (`scancel --signal=KILL`).
"""

import argparse
import collections
import csv
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TASK = """(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p {i}))
(assert (forall ((x Int)) (=> (and (p x) {bad}) false)))
(check-sat)
"""


def suite(folder, count):
    """Writes the tasks; returns the verdict of each."""
    folder.mkdir()
    verdicts = {}
    with open(folder / "tasks.csv", "w", encoding="utf-8") as table:
        table.write("file,verdict,property,source\n")
        for i in range(count):
            unsafe = i % 3 == 0
            bad = f"(= x {i})" if unsafe else f"(> x {i})"
            name = f"t{i:05}.smt2"
            (folder / name).write_text(TASK.format(i=i, bad=bad), encoding="utf-8")
            verdicts[name] = "false" if unsafe else "true"
            table.write(f"{name},{verdicts[name]},horn,made\n")
    return verdicts


class Hq:
    """A server and workers of our own."""

    def __init__(self, folder, workers):
        self.env = dict(os.environ, HQ_SERVER_DIR=str(folder / "hq"))
        self.journal = folder / "journal"
        self.log = open(folder / "hq.log", "ab")
        self.server = self.start_server()
        self.workers = [self.start_worker() for _ in range(workers)]

    def start(self, *words):
        return subprocess.Popen(
            ["hq", *words], env=self.env, stdout=self.log, stderr=self.log, start_new_session=True
        )

    def start_server(self):
        server = self.start("server", "start", "--journal", str(self.journal))
        for _ in range(100):
            time.sleep(0.2)
            told = subprocess.run(["hq", "server", "info"], env=self.env, capture_output=True, check=False)
            if told.returncode == 0:
                return server
        sys.exit("the server does not answer")

    def start_worker(self):
        return self.start("worker", "start", "--cpus", "1", "--resource", "mem=sum(4000)")

    def kill_worker(self):
        """Kills a worker with all that it runs."""
        i = random.randrange(len(self.workers))
        try:
            os.killpg(self.workers[i].pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # It ended with the server.
        self.workers[i].wait()
        self.workers[i] = self.start_worker()
        return "a worker"

    def kill_server(self):
        """Kills the server; the next one reads the journal."""
        self.server.kill()
        self.server.wait()
        for worker in self.workers:
            worker.wait()
        self.server = self.start_server()
        self.workers = [self.start_worker() for _ in self.workers]
        return "the server"

    def stop(self):
        for process in [*self.workers, self.server]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Slurm:
    """A cluster that runs already."""

    env = dict(os.environ)

    def __init__(self):
        subprocess.run(["sinfo"], check=True, stdout=subprocess.DEVNULL)
        self.requeue = False

    def kill_worker(self):
        """Takes running tasks from their node; every other time they wait again."""
        self.requeue = not self.requeue
        way = ["scontrol", "requeue"] if self.requeue else ["scancel", "--full", "--signal=KILL"]
        listed = subprocess.run(
            ["squeue", "--me", "-h", "-t", "R", "-o", "%i"], capture_output=True, text=True, check=True
        )
        tasks = listed.stdout.split()
        for task in tasks:
            subprocess.run([*way, task], capture_output=True, check=False)
        return f"{len(tasks)} running tasks, {'put back' if self.requeue else 'for good'}"

    kill_server = None

    def stop(self):
        subprocess.run(["scancel", "--me"], check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scheduler", choices=["hq", "slurm"])
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--palisade", default="palisade")
    parser.add_argument("--kill", type=float, default=20.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", help="a folder that is made; default: a temporary one")
    args = parser.parse_args()
    palisade = str(pathlib.Path(shutil.which(args.palisade) or sys.exit("there is no palisade")).resolve())
    folder = pathlib.Path(args.folder) if args.folder else pathlib.Path(tempfile.mkdtemp(prefix="campaign-"))
    folder.mkdir(exist_ok=True)
    folder = folder.resolve()
    verdicts = suite(folder / "suite", args.tasks)
    scheduler = Hq(folder, args.workers) if args.scheduler == "hq" else Slurm()
    rows = folder / "rows.csv"
    command = [palisade, "bench", "suite", "--engines", "ic3-cfa"]
    command += ["--timeout", "20", "--no-recheck", "--csv", str(rows), "--on", args.scheduler]
    begin, kills, starts = time.monotonic(), collections.Counter(), 0

    def say(text):
        print(f"{time.monotonic() - begin:7.1f} s  {text}", flush=True)

    try:
        server_at = args.tasks // 2
        while True:
            starts += 1
            say(f"start {starts} of palisade bench")
            with open(folder / "bench.log", "ab") as log:
                bench = subprocess.Popen(command, cwd=folder, env=scheduler.env, stdout=log, stderr=log)
            next_kill = time.monotonic() + args.kill
            while bench.poll() is None:
                time.sleep(0.2)
                done = sum(1 for _ in open(rows, encoding="utf-8")) - 2 if rows.exists() else 0
                if scheduler.kill_server and done > server_at:
                    server_at = args.tasks + 1
                    what = scheduler.kill_server()
                elif time.monotonic() > next_kill:
                    what = scheduler.kill_worker()
                else:
                    continue
                next_kill = time.monotonic() + args.kill
                kills[what.split(" ", 1)[1]] += 1
                say(f"{done} rows; killed {what}")
            say(f"palisade bench ended with {bench.returncode}")
            if bench.returncode == 0:
                break
            if starts == 20:
                sys.exit("given up")
    finally:
        scheduler.stop()
    with open(rows, encoding="utf-8") as table:
        lines = csv.DictReader(line for line in table if not line.startswith("#"))
        found = [(pathlib.Path(line["file"]).name, line["verdict"]) for line in lines]
    names = [name for name, _ in found]
    wrong = [pair for pair in found if verdicts[pair[0]] != pair[1]]
    lost, doubled = len(verdicts.keys() - set(names)), len(names) - len(set(names))
    told = ", ".join(f"{n} times {what}" for what, n in kills.items()) or "nothing"
    say(f"{len(names)} rows: {lost} lost, {doubled} doubled, {len(wrong)} wrong; killed: {told}")
    return int(bool(lost or doubled or wrong))


if __name__ == "__main__":
    sys.exit(main())
