#!/bin/sh
# Runs all tests. The differential tests compare with z3; where it is missing, it is installed under the target folder.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-$PWD/target}

if ! command -v z3 >/dev/null 2>&1; then
    oracle=$target/oracle
    if [ ! -x "$oracle/bin/z3" ]; then
        echo "test.sh: installing z3 into $oracle" >&2
        if ! { python3 -m venv "$oracle" && "$oracle/bin/pip" install --quiet z3-solver; }; then
            if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
                apt-get install -y -qq z3
            else
                echo "test.sh: z3 could not be installed; install it (Debian: apt install z3) and try again" >&2
                exit 1
            fi
        fi
    fi
    PATH=$oracle/bin:$PATH
    export PATH
fi

exec cargo test --workspace "$@"
