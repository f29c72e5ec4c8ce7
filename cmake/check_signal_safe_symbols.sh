#!/usr/bin/env bash
# Proves that what a signal handler may run calls nothing but itself and the allow-list.
#
# usage: check_signal_safe_symbols.sh ALLOW_LIST OBJECT...
#
# All objects of the SIGNAL_SAFE modules are linked into one (ld -r); a symbol that is undefined
# then comes from outside. Each must be named in ALLOW_LIST ("symbol  # reason" a line).
# LD and NM name the tools of another architecture.
set -euo pipefail
export LC_ALL=C

if (($# < 2)); then
  sed -n '2,8s/^# \{0,1\}//p' "$0"
  exit 2
fi
allow_list=$1
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^\([^#[:space:]]\{1,\}\).*/\1/p' "$allow_list" | sort -u >"$work/allowed"
if unexplained=$(grep -nvE '^[[:space:]]*(#|$)|^[^#[:space:]]+[[:space:]]+#[[:space:]]*[^[:space:]]' \
  "$allow_list"); then
  echo "$allow_list: every line is 'symbol  # reason'; these are not:"
  echo "$unexplained"
  exit 1
fi

"${LD:-ld}" -r -o "$work/all.o" "$@"
"${NM:-nm}" --undefined-only --format=posix "$work/all.o" | cut -d ' ' -f 1 | sort -u >"$work/used"

comm -12 "$work/allowed" "$work/used" | sed 's/^/uses (allowed): /'
comm -23 "$work/allowed" "$work/used" | sed 's/^/note: allowed, but nothing uses it: /'
comm -13 "$work/allowed" "$work/used" >"$work/forbidden"
[[ -s $work/forbidden ]] || exit 0

while read -r symbol; do
  echo "FORBIDDEN in a signal handler: $symbol ($(c++filt "$symbol")), used by:"
  for object in "$@"; do
    if "${NM:-nm}" --undefined-only --format=posix "$object" | grep -q "^$symbol "; then
      echo "    $object"
    fi
  done
done <"$work/forbidden"
echo "Do without it, or, if it is async-signal-safe for certain, add it with the reason to"
echo "$allow_list (docs/signal-safety.md)."
exit 1
