#!/bin/sh
# A stand-in for the palisade executable. The first line of the task file says how `verify` behaves. Every
# call is noted beside the task.
command=$1
shift

verify() {
    certificate= engine= file=
    while [ $# -gt 0 ]; do
        case $1 in
            --certificate) certificate=$2; shift ;;
            --engine) engine=$2; shift ;;
            --json) echo '{"counters": {"frontier": 3, "lemmas": 12}}' > "$2"; shift ;;
            --timeout | --memory | --int | --seed) shift ;;
            *) file=$1 ;;
        esac
        shift
    done
    echo "verify $engine $(basename "$file")" >> "$(dirname "$file")/calls.log"
    read -r behaviour < "$file"
    # An engine named `wrong` turns every verdict round.
    if [ "$engine" = wrong ]; then
        case $behaviour in true) behaviour=false ;; false) behaviour=true ;; esac
    fi
    case $behaviour in
        true) echo "$behaviour" > "$certificate"; echo "invariant: x >= 0"; echo "RESULT: TRUE"; exit 0 ;;
        false) echo "$behaviour" > "$certificate"; echo "RESULT: FALSE(unreach-call)"; exit 10 ;;
        unknown) echo "RESULT: UNKNOWN(incomplete)"; exit 20 ;;
        timeout) echo "RESULT: UNKNOWN(timeout)"; exit 20 ;;
        # Fields 14 and 15 are this shell's CPU time in hundredths of a second.
        late) ticks=0
            while [ "$ticks" -lt 130 ]; do
                i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done
                read -r stat < /proc/$$/stat; set -- $stat; ticks=$((${14} + ${15}))
            done
            echo late > "$certificate"; echo "RESULT: TRUE"; exit 0 ;;
        slow) sleep 0.4; echo "$behaviour" > "$certificate"; echo "RESULT: TRUE"; exit 0 ;;
        sleep) sleep 60 ;;
        burn) while :; do :; done ;;
        # `tail` keeps its last line, which has no end.
        allocate) { head -c 300000000 /dev/zero; sleep 60; } | tail > /dev/null ;;
        crash) kill -SEGV $$ ;;
        internal) echo "certificate check failed: edge 3" >&2; exit 70 ;;
        unsupported) echo "x.c:3:1: inline assembly" >&2; exit 3 ;;
        liar) echo "RESULT: TRUE"; exit 10 ;;
        twice) echo "RESULT: TRUE"; echo "RESULT: TRUE"; exit 0 ;;
        nocertificate) echo "RESULT: TRUE"; exit 0 ;;
        badcertificate) echo bad > "$certificate"; echo "RESULT: TRUE"; exit 0 ;;
    esac
    exit 2
}

check() {
    echo "check $(basename "$1")" >> "$(dirname "$1")/calls.log"
    if [ "$(cat "$2")" = bad ]; then
        echo "the invariant is not inductive" >&2
        exit 70
    fi
    exit 0
}

dump() {
    for file; do :; done
    echo "dump $* " | sed "s|$(dirname "$file")/||" >> "$(dirname "$file")/calls.log"
    read -r behaviour < "$file"
    case $behaviour in
        true) echo "sat" ;;
        false) echo "unsat" ;;
        unsupported) echo "not linear" >&2; exit 3 ;;
        internal) exit 70 ;;
        *) echo "unknown" ;;
    esac
}

"$command" "$@"
