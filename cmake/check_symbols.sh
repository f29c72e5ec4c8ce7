#!/usr/bin/env bash
# Proves that code which runs in a restricted place calls only itself and the functions of an
# allow-list.
#
# usage: check_symbols.sh PLACE ALLOW_LIST OBJECT...
#
# All objects are linked into one (ld -r). A symbol that is still undefined after that comes from
# outside, and a line "symbol  # reason" of ALLOW_LIST must name it, without its version. PLACE ("in
# a signal handler") is part of the message. The environment variables LD and NM name the tools for
# another architecture.
set -euo pipefail
export LC_ALL=C

if (($# < 3)); then
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  exit 2
fi
place=$1
allow_list=$2
shift 2

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
"${NM:-nm}" --undefined-only --format=posix "$work/all.o" | sed 's/[@ ].*//' | sort -u >"$work/used"

comm -12 "$work/allowed" "$work/used" | sed 's/^/uses (allowed): /'
comm -23 "$work/allowed" "$work/used" | sed 's/^/note: allowed, but nothing uses it: /'
comm -13 "$work/allowed" "$work/used" >"$work/forbidden"
[[ -s $work/forbidden ]] || exit 0

while read -r symbol; do
  echo "FORBIDDEN $place: $symbol ($(c++filt "$symbol")), used by:"
  for object in "$@"; do
    if "${NM:-nm}" --undefined-only --format=posix "$object" | grep -q "^$symbol[@ ]"; then
      echo "    $object"
    fi
  done
done <"$work/forbidden"
echo "Do without it, or, if it is safe there for certain, add it with the reason to"
echo "$allow_list (docs/signal-safety.md)."
exit 1
