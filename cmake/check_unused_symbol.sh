#!/usr/bin/env bash
# Proves that no object uses a symbol.
#
# usage: check_unused_symbol.sh SYMBOL HINT OBJECT...
#
# HINT is the end of the message. It says what to do instead of using the symbol.
set -euo pipefail
export LC_ALL=C

if (($# < 3)); then
  sed -n '2,6s/^# \{0,1\}//p' "$0"
  exit 2
fi
symbol=$1
hint=$2
shift 2

users=$(nm --print-file-name --undefined-only --format=posix "$@" |
  sed -n "s/^\(.*\): $symbol U.*/\1/p")
if [[ -z $users ]]; then exit 0; fi
while read -r object; do
  echo "$object uses $symbol: $hint"
done <<<"$users"
exit 1
