# SPDX-License-Identifier: MIT OR Apache-2.0
"""A thin, typed module around the command `palisade`.

    >>> import palisade
    >>> palisade.verify("a.c").verdict
    'TRUE'
"""

from __future__ import annotations

import builtins
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, TypedDict, Union, cast

__all__ = ["Claim", "Invariant", "PalisadeError", "Position", "Result", "Step", "Value", "binary", "verify"]

PathLike = Union[str, "os.PathLike[str]"]


class Position(TypedDict):
    """A place in a source file; lines and columns count from 1."""

    file: str
    line: int
    column: int


class Value(TypedDict):
    """A variable and its value."""

    variable: str
    value: str
    type: Optional[str]
    function: Optional[str]


class Step(TypedDict):
    """A step of a counterexample."""

    step: int
    kind: str
    text: str
    position: Optional[Position]
    function: Optional[str]
    changed: List[Value]
    values: List[Value]
    violation: bool


class Invariant(TypedDict):
    """An invariant, as a C expression."""

    kind: str
    position: Position
    function: str
    expression: str


class Claim(TypedDict):
    """A claim of `verify(..., all=True)` and its verdict."""

    claim: str
    function: str
    statement: str
    result: str
    reason: Optional[str]


class PalisadeError(Exception):
    """There is no result: wrong usage, an input that cannot be read, or a defect."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Result:
    """The end of a run."""

    verdict: str
    """`TRUE`, `FALSE` or `UNKNOWN`."""
    property: Optional[str]
    """The violated property."""
    reason: Optional[str]
    """Why there is no answer."""
    output: str
    """What the command printed."""
    document: Dict[str, Any]
    """The document of the run, see `docs/report.schema.json`."""

    # The field above has the name of the decorator.
    @builtins.property
    def steps(self) -> List[Step]:
        """The counterexample, step by step; empty if there is none."""
        run = self.document["evidence"]["run"]
        return cast(List[Step], run["steps"] if run else [])

    @builtins.property
    def invariants(self) -> List[Invariant]:
        """The invariants of a proof that can be said in C."""
        return cast(List[Invariant], self.document["evidence"]["c_invariants"])

    @builtins.property
    def claims(self) -> List[Claim]:
        """A verdict for every claim, if `all=True` asked for them."""
        return cast(List[Claim], self.document["claims"])


def binary() -> str:
    """The path of the command: `$PALISADE`, the one of this package, or the first of `PATH`."""
    stated = os.environ.get("PALISADE")
    if stated:
        return stated
    name = "palisade" + (sysconfig.get_config_var("EXE") or "")
    for folder in (sysconfig.get_path("scripts"), Path(sys.executable).parent):
        if folder and (Path(folder) / name).is_file():
            return str(Path(folder) / name)
    found = shutil.which(name)
    if not found:
        raise PalisadeError(2, "there is no command `palisade`")
    return found


def verify(*inputs: PathLike, options: Optional[List[str]] = None, **named: Any) -> Result:
    """Verifies a program. Named arguments are options: `check="overflow"` is `--check overflow`,
    `all=True` is `--all`, `claim_timeout=5` is `--claim-timeout 5`."""
    words: List[str] = [binary(), "verify"]
    for name, value in named.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        words += ["--json", str(report), *(options or []), *(os.fspath(i) for i in inputs)]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        if run.returncode not in (0, 10, 20):
            raise PalisadeError(run.returncode, run.stderr.strip())
        document = json.loads(report.read_text(encoding="utf-8"))
    return Result(document["result"], document["property"], document["reason"], run.stdout, document)
