#!/usr/bin/env bash
# Lets spin look at every state of a model and compares the verdict with the expected one.
#
# usage: check_model.sh [--trace] [--model context.pml] holds|<what must not happen> [-D<setting>...]
#
#   holds                            no state in which anything goes wrong
#   use_after_free, stale_epoch,     a run in which exactly this goes wrong; --trace prints the
#   push_after_drain, ...            shortest one
#
# Exit code 77, skipped: spin is not installed.
set -euo pipefail
models=$(cd "$(dirname "$0")" && pwd)
trace=
if [[ $1 == --trace ]]; then trace=yes && shift; fi
model=rotation.pml
if [[ $1 == --model ]]; then model=$2 && shift 2; fi
expected=$1 && shift
command -v spin >/dev/null || { echo "spin is not installed: run scripts/bootstrap" && exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$models"/*.pml .
spin -a "$@" "$model"
# Depth first through all states, compared in full; breadth first for the shortest run to a bad one.
# There are few on the way to it: compiling would take longer than running.
search=(-O2 -DCOLLAPSE)
if [[ $expected != holds ]]; then search=(-O0 -DBFS); fi
"${CC:-cc}" -w -DSAFETY "${search[@]}" -o pan pan.c
./pan -m100000 >verdict || true

found=holds
if ! grep -q 'errors: 0' verdict; then
  found=$(sed -n 's/^pan:1: \(assertion violated *!(\)\?\([^)]*\)).*/\2/p' verdict)
fi
if grep -qE 'max search depth too small|Search not completed|out of memory' verdict &&
    [[ $found == holds ]]; then
  found='not all states seen'
fi
printf '%-40s %s: %s states, errors: %s\n' "${*:-(no settings)}" "$found" \
  "$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' verdict)" \
  "$(sed -n 's/.*errors: //p' verdict)"
if [[ -n $trace ]]; then spin -t -T -B "$@" "$model" | grep '^  [a-z]' || true; fi
[[ $found == "$expected" ]] || { echo "expected: $expected" && cat verdict && exit 1; }
