#!/bin/sh
# Runs all tests. The differential tests compare with z3; where it is missing or old, it is installed under
# the target folder. Nothing is installed system-wide without consent: on a terminal this script asks;
# otherwise PALISADE_INSTALL=yes is the consent. Without z3 the comparisons with it are left out, which each
# test says.
#
# PALISADE_TEST_SCALE=10 ./test.sh runs the random tests ten times as long (see CONTRIBUTING.md).
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-$PWD/target}
oracle=$target/oracle

# z3 in a Python environment of its own; where Python has no venv module, in a plain folder.
install_locally() {
    echo "test.sh: installing z3 into $oracle" >&2
    if python3 -m venv "$oracle" && "$oracle/bin/pip" install --quiet z3-solver; then return 0; fi
    python3 -m pip install --quiet --target "$oracle" z3-solver
}

# Does the user agree that z3 is installed system-wide?
agreed() {
    case ${PALISADE_INSTALL:-ask} in
        yes) return 0 ;;
        ask) ;;
        *) return 1 ;;
    esac
    [ -t 0 ] || return 1
    echo "test.sh: z3 could not be installed under $target." >&2
    printf 'Run "apt-get install z3" as root? [y/N] ' >&2
    read -r answer
    [ "$answer" = y ] || [ "$answer" = yes ]
}

install_system_wide() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" = 0 ] || return 1
    agreed || return 1
    apt-get install -y -qq z3
}

# Debian 12 has z3 4.8, which leaves many questions open and takes minutes for others: newer than 4.11.
recent() {
    command -v z3 >/dev/null 2>&1 || return 1
    z3 --version | awk '{ split($3, v, "."); exit !(v[1] > 4 || v[1] == 4 && v[2] > 11) }'
}

if ! recent; then
    if [ ! -x "$oracle/bin/z3" ] && ! install_locally >&2 && ! install_system_wide >&2; then
        echo "test.sh: there is no recent z3; the tests run without the comparisons with it" >&2
    fi
    PATH=$oracle/bin:$PATH
    export PATH
fi

# What judges our reports and runs our module for BenchExec. The tests say what they leave out without it.
judges=$target/judges
if ! python3 -c 'import benchexec, check_jsonschema' 2>/dev/null; then
    if [ ! -x "$judges/bin/check-jsonschema" ]; then
        { python3 -m venv "$judges" && "$judges/bin/pip" install --quiet benchexec check-jsonschema; } >&2 ||
            echo "test.sh: check-jsonschema and BenchExec cannot be had; the tests run without them" >&2
    fi
    PATH=$judges/bin:$PATH
    export PATH
fi

exec cargo test --workspace "$@"
