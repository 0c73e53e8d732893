# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests of the module, against the command that `palisade.binary` finds: `python3 -m unittest`, here.

`PALISADE_EXAMPLES` is the folder `examples` of the repository, unless this file is still in it.
"""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

import palisade

USUAL = Path(__file__).resolve().parents[3] / "examples"
EXAMPLES = Path(os.environ.get("PALISADE_EXAMPLES", USUAL))

# Bounded model checking never comes to an end here.
ENDLESS = """(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))
(check-sat)
"""


class Verify(unittest.TestCase):
    def test_a_proof_has_invariants(self) -> None:
        result = palisade.verify(EXAMPLES / "sum.c", timeout=60)
        self.assertEqual((result.verdict, result.property, result.reason), ("TRUE", None, None))
        self.assertEqual([i["expression"] for i in result.invariants], ["x == y"])
        self.assertEqual(result.steps, [])
        self.assertTrue(result.output.endswith("RESULT: TRUE\n"), result.output)

    def test_a_violation_has_steps(self) -> None:
        result = palisade.verify(str(EXAMPLES / "off_by_one.c"), timeout=60)
        self.assertEqual((result.verdict, result.property), ("FALSE", "assert"))
        last = result.steps[-1]
        assert last["position"] is not None
        self.assertEqual((last["violation"], last["position"]["line"]), (True, 13))
        self.assertEqual(result.invariants, [])

    def test_options_and_claims(self) -> None:
        result = palisade.verify(
            EXAMPLES / "off_by_one.c", all=True, cache="none", check="assert", options=["--64"], function=None
        )
        self.assertEqual([c["result"] for c in result.claims], ["FALSE"])
        self.assertEqual(result.document["data_model"], "LP64")

    def test_no_answer_has_a_reason(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            clauses = Path(folder) / "endless.smt2"
            clauses.write_text(ENDLESS, encoding="utf-8")
            result = palisade.verify(clauses, engine="bmc", timeout=1)
        self.assertEqual((result.verdict, result.reason), ("UNKNOWN", "timeout"))

    def test_what_cannot_be_read_is_an_error(self) -> None:
        with self.assertRaises(palisade.PalisadeError) as caught:
            palisade.verify("there is no such file.c")
        self.assertEqual(caught.exception.code, 3)
        self.assertIn("there is no such file.c", str(caught.exception))
        with self.assertRaises(palisade.PalisadeError) as caught:
            palisade.verify(EXAMPLES / "sum.c", engine="no such engine")
        self.assertEqual(caught.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
