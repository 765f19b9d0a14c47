#!/bin/sh
# Runs the targets of eocc-fuzz under libFuzzer, led by coverage, on stable Rust: coverage comes from LLVM's own pass.
# Usage: scripts/coverage_fuzz.sh SECONDS [TARGET…]     corpora stay in target/coverage-fuzz/corpus, findings in …/findings
#        scripts/coverage_fuzz.sh keep [TARGET…]        keeps the smallest inputs of each corpus in testdata/fuzz/kept
set -eu
seconds=${1:?seconds for each target, or keep}
shift
root=$(cd "$(dirname "$0")/.." && pwd)
work=${EOCC_FUZZ_FOLDER:-$root/target/coverage-fuzz}
# Bytes of the inputs that a target keeps, and of the largest of them.
most=150000
largest=6000
mkdir -p "$root/testdata/fuzz/kept" "$work/corpus" "$work/findings"
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags="$flags -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# The target is named, so that build scripts and macros are built without coverage, which they have no use for.
host=$(rustc -vV | sed -n 's/^host: //p')
CARGO_TARGET_DIR="$work/build" RUSTFLAGS="$flags" cargo build --quiet --release --target "$host" \
    --manifest-path "$root/fuzz/Cargo.toml"
program="$work/build/$host/release/eocc-coverage-fuzz"
# libFuzzer calls it a fault that the program ends here. The seeds include what testdata/fuzz keeps.
rm -rf "$work/seeds"
EOCC_FUZZ_SEEDS="$work/seeds" "$program" -runs=1 -artifact_prefix="$work/" > /dev/null 2>&1 || [ -d "$work/seeds/csv" ]
[ $# -gt 0 ] || set -- $(ls "$work/seeds")

# Keeps a small set of inputs that together reach all branches that small inputs of the corpus and the seeds reach.
keep() {
    merged="$work/merged/$1"
    small="$work/small/$1"
    rm -rf "$merged" "$small"
    mkdir -p "$merged" "$small"
    find "$work/corpus/$1" -type f -size "-${largest}c" -exec cp {} "$small" \;
    EOCC_FUZZ_TARGET="$1" "$program" -merge=1 -timeout=1 -rss_limit_mb=900 "$merged" "$small" "$work/seeds/$1" \
        > "$work/$1.merge.log" 2>&1
    bytes=0
    for input in $(ls -Sr "$merged"); do
        bytes=$((bytes + $(wc -c < "$merged/$input")))
        if [ "$bytes" -gt "$most" ]; then rm "$merged/$input"; fi
    done
    archive="$root/testdata/fuzz/kept/$1.tar.gz"
    # The same inputs give the same bytes.
    tar -C "$merged" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -c . | gzip -9n > "$archive"
    echo "$1: $(ls "$merged" | wc -l) inputs, $(wc -c < "$archive") bytes packed"
}

if [ "$seconds" = keep ]; then
    for target in "$@"; do
        if [ -d "$work/corpus/$target" ]; then keep "$target"; fi
    done
    exit
fi
printf '| target | inputs | edges | corpus | slowest, s | memory, MB | findings |\n|---|---|---|---|---|---|---|\n'
for target in "$@"; do
    mkdir -p "$work/corpus/$target" "$work/findings/$target"
    log="$work/$target.log"
    EOCC_FUZZ_TARGET="$target" "$program" "$work/corpus/$target" "$work/seeds/$target" -max_total_time="$seconds" \
        -timeout=1 -rss_limit_mb=900 -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/findings/$target/" \
        > "$log" 2>&1 || true
    stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    kept=$(find "$work/corpus/$target" -type f | wc -l)
    found=$(find "$work/findings/$target" -type f | wc -l)
    echo "| $target | $(stat number_of_executed_units) | ${edges:-0} | $kept | $(stat slowest_unit_time_sec) |" \
        "$(stat peak_rss_mb) | $found |"
done
