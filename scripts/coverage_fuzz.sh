#!/bin/sh
# Runs the targets of eocc-fuzz under libFuzzer, led by coverage, on stable Rust: coverage comes from LLVM's own pass.
# Usage: scripts/coverage_fuzz.sh SECONDS [TARGET…]     corpora stay in target/coverage-fuzz/corpus, findings in …/findings
set -eu
seconds=${1:?seconds for each target}
shift
root=$(cd "$(dirname "$0")/.." && pwd)
work=${EOCC_FUZZ_FOLDER:-$root/target/coverage-fuzz}
mkdir -p "$work/corpus" "$work/findings"
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags="$flags -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# The target is named, so that build scripts and macros are built without coverage, which they have no use for.
host=$(rustc -vV | sed -n 's/^host: //p')
CARGO_TARGET_DIR="$work/build" RUSTFLAGS="$flags" cargo build --quiet --release --target "$host" \
    --manifest-path "$root/fuzz/Cargo.toml"
program="$work/build/$host/release/eocc-coverage-fuzz"
# libFuzzer calls it a fault that the program ends here.
EOCC_FUZZ_SEEDS="$work/seeds" "$program" -runs=1 -artifact_prefix="$work/" > /dev/null 2>&1 || [ -d "$work/seeds/csv" ]
[ $# -gt 0 ] || set -- $(ls "$work/seeds")
printf '| target | inputs | edges | corpus | slowest, s | memory, MB | findings |\n|---|---|---|---|---|---|---|\n'
for target in "$@"; do
    mkdir -p "$work/corpus/$target" "$work/findings/$target"
    log="$work/$target.log"
    EOCC_FUZZ_TARGET="$target" "$program" "$work/corpus/$target" "$work/seeds/$target" -max_total_time="$seconds" \
        -timeout=2 -rss_limit_mb=900 -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/findings/$target/" \
        > "$log" 2>&1 || true
    stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    kept=$(find "$work/corpus/$target" -type f | wc -l)
    found=$(find "$work/findings/$target" -type f | wc -l)
    echo "| $target | $(stat number_of_executed_units) | ${edges:-0} | $kept | $(stat slowest_unit_time_sec) |" \
        "$(stat peak_rss_mb) | $found |"
done
