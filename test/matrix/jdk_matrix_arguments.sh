#!/usr/bin/env bash
# Tests the answers of scripts/jdk-matrix to its arguments. usage: jdk_matrix_arguments.sh
# <jdk-matrix>
set -uo pipefail

script=$1
failures=0

# expect <exit code> <part of the output> <argument>...
expect() {
  local code=$1 text=$2 output status
  shift 2
  output=$("$script" "$@" 2>&1)
  status=$?
  if ((status != code)) || [[ $output != *"$text"* ]]; then
    printf 'jdk-matrix %s: expected %s and "%s", got %s and:\n%s\n' \
      "$*" "$code" "$text" "$status" "$output"
    failures=$((failures + 1))
  fi
}

expect 0 'usage: scripts/jdk-matrix' --help
expect 2 "no JDK '9': known are 8,11" --jdk 8,9
expect 2 "no JDK '9': known are 8,11" jfr 17,9
expect 2 "no JDK '24': known are 8,11" context 24
expect 2 "no collector 'CMS'" run --gc CMS
expect 2 "no mode 'C2'" --mode C2
expect 2 '--seconds 1s is no number of seconds' --seconds 1s
expect 2 '--jdk needs a value' --jdk
expect 2 'unknown option --all' --all yes
expect 2 'unknown command help' help
expect 2 'list takes no more words' list 17

# A JDK that has several paths is listed once.
homes=$(mktemp -d)
trap 'rm -rf "$homes"' EXIT
mkdir -p "$homes/jdk/bin"
printf '#!/bin/sh\n' >"$homes/jdk/bin/javac"
chmod +x "$homes/jdk/bin/javac"
printf 'JAVA_VERSION="99.1"\n' >"$homes/jdk/release"
ln -s jdk "$homes/same"
export JPROF_JDKS=$homes/jdk:$homes/same
expect 0 $'99.1\t'"$homes/jdk" list
(($("$script" list | grep -c '^99.1') == 1)) || { echo 'list: a JDK twice'; failures=$((failures + 1)); }

# Without root, jdk-matrix cannot make a root file system, and says so. As root this is not tested,
# because it would need a mirror.
if ((EUID != 0)); then
  expect 1 'needs root' setup
fi
exit $((failures > 0))
