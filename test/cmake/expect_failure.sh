#!/usr/bin/env bash
# Passes if a command fails with the expected output.
#
# usage: expect_failure.sh TEXT... -- COMMAND [ARGUMENT...]
#
# The command must exit with a code other than 0, and its output must contain every TEXT.
set -euo pipefail

texts=()
while (($# > 0)) && [[ $1 != -- ]]; do
  texts+=("$1")
  shift
done
if ((${#texts[@]} == 0 || $# < 2)); then
  sed -n '2,6s/^# \{0,1\}//p' "$0"
  exit 2
fi
shift

code=0
output=$("$@" 2>&1) || code=$?
printf '%s\n' "$output"
echo "--- exit code $code"
if ((code == 0)); then
  echo "expected a failure, but the command succeeded"
  exit 1
fi
for text in "${texts[@]}"; do
  if ! grep -qF -- "$text" <<<"$output"; then
    echo "expected the output to contain: $text"
    exit 1
  fi
done
