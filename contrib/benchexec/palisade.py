# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tool-info module of BenchExec for Palisade.

Run BenchExec with PYTHONPATH set to the root of the project, and name the module
`contrib.benchexec.palisade`:

    PYTHONPATH=. python3 -m benchexec.test_tool_info contrib.benchexec.palisade --no-container \\
        --tool-directory target/release

`demo.xml` beside this file is a benchmark of two tasks with a score of 3.
"""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Palisade answers with one line `RESULT: ...`; everything else is evidence."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("palisade")

    def name(self):
        return "Palisade"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="palisade")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        data_model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
        if data_model == "LP64":
            command.append("--64")
        elif data_model == "ILP32":
            command.append("--32")
        return command + list(task.input_files_or_identifier)

    def determine_result(self, run):
        last = ""
        for line in run.output:
            if line.startswith("RESULT: "):
                last = line[len("RESULT: "):].strip()
        if last == "TRUE":
            return result.RESULT_TRUE_PROP
        if last.startswith("FALSE("):
            prop = last[len("FALSE("):-1]
            if prop == "overflow":
                return result.RESULT_FALSE_OVERFLOW
            if prop in ("unreach-call", "assert", "unreach-label"):
                return result.RESULT_FALSE_REACH
            return f"{result.RESULT_FALSE_PROP}({prop})"
        if last.startswith("UNKNOWN("):
            reason = last[len("UNKNOWN("):-1]
            if reason == "timeout":
                return "TIMEOUT"
            if reason == "memory":
                return "OUT OF MEMORY"
            return f"{result.RESULT_UNKNOWN}({reason})"
        if run.exit_code.value == 3:
            return f"{result.RESULT_ERROR}(input)"
        if run.exit_code.value == 70:
            return f"{result.RESULT_ERROR}(internal)"
        return result.RESULT_ERROR
