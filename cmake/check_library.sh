#!/usr/bin/env bash
# Proves properties of the linked library. For a program, proves that it runs wherever the library
# does.
#
# usage: check_library.sh LIBRARY VERSION_SCRIPT MAX_GLIBC
#        check_library.sh --program PROGRAM MAX_GLIBC        (only the checks needed and glibc)
#
#   binding   has BIND_NOW, RELRO and NODELETE: no lazy resolver runs in a handler, no slot is
#             writable, and dlclose does not unmap code that a pending signal will run
#   text      has no TEXTREL: code pages stay shared and read-only
#   tls       does not use __tls_get_addr, whose first call in a thread can allocate, in a handler
#   needed    needs only libraries of glibc, so that the file loads wherever glibc is new enough
#   glibc     uses no symbol version above MAX_GLIBC (for example 2.17)
#   exports   exports exactly the global names of VERSION_SCRIPT
#
# The environment variable READELF names the tool for another architecture.
set -euo pipefail
export LC_ALL=C

if (($# != 3)); then
  sed -n '2,15s/^# \{0,1\}//p' "$0"
  exit 2
fi
library=$1
version_script=$2
if [[ $1 == --program ]]; then
  library=$2
  version_script=
fi
max_glibc=$3
readelf=${READELF:-readelf}
violations=0

violation() {
  echo "$library: $*"
  violations=$((violations + 1))
}

dynamic=$("$readelf" --wide --dynamic "$library")
segments=$("$readelf" --wide --program-headers "$library")
versions=$("$readelf" --wide --version-info "$library")
symbols=$("$readelf" --wide --dyn-syms "$library")

has_dynamic_flag() { grep -Eq "\((FLAGS|FLAGS_1)\).*[ :]$1( |\$)" <<<"$dynamic"; }

check_binding() {
  has_dynamic_flag NOW || has_dynamic_flag BIND_NOW ||
    violation "binding: symbols are bound lazily. Link with -Wl,-z,now."
  grep -q GNU_RELRO <<<"$segments" ||
    violation "binding: the GOT stays writable. Link with -Wl,-z,relro."
  has_dynamic_flag NODELETE ||
    violation "binding: dlclose would unmap it. Link with -Wl,-z,nodelete."
}

check_text() {
  if grep -q '(TEXTREL)' <<<"$dynamic" || has_dynamic_flag TEXTREL; then
    violation "text: relocations in code (TEXTREL). Compile everything with -fPIC."
  fi
}

check_tls() {
  if grep -q '__tls_get_addr' <<<"$symbols"; then
    violation "tls: imports __tls_get_addr. Compile with -ftls-model=initial-exec, and look for" \
      "a thread-local of a linked archive."
  fi
}

check_needed() {
  local name
  while read -r name; do
    case $name in
      libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux-*.so.*) ;;
      *) violation "needed: loads $name. Link it statically or do without it." ;;
    esac
  done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
}

# Prints the highest version on standard input; 0 if there is none.
highest_version() { { echo 0; cat; } | sort -V | tail -n 1; }

check_glibc() {
  local highest
  highest=$(sed -n 's/.*Name: GLIBC_\([0-9.]*\).*/\1/p' <<<"$versions" | highest_version)
  echo "glibc: needs $highest, declared $max_glibc"
  if [[ $(printf '%s\n' "$highest" "$max_glibc" | highest_version) != "$max_glibc" ]]; then
    violation "glibc: needs $highest, declared is $max_glibc, because of:"
    sed -n "s/.* \([^ ]*@GLIBC_${highest//./\\.}\)\( .*\)*$/    \1/p" <<<"$symbols"
  fi
}

# Prints the names that the dynamic symbol table defines. These have a section in Ndx, the 7th
# column, and not UND or ABS.
exported() { awk '$7 ~ /^[0-9]+$/ && $5 != "LOCAL" { sub(/@.*/, "", $8); print $8 }' <<<"$symbols"; }

declared() {
  sed -n '/global:/,/local:/s/^[[:space:]]*\([A-Za-z_][A-Za-z0-9_]*\);.*/\1/p' "$version_script"
}

check_exports() {
  local name
  while read -r name; do
    violation "exports: $name is not in $version_script. Link with that version script."
  done < <(comm -13 <(declared | sort -u) <(exported | sort -u))
  while read -r name; do
    violation "exports: $name of $version_script is missing. Define it with default visibility."
  done < <(comm -23 <(declared | sort -u) <(exported | sort -u))
}

check_needed
check_glibc
if [[ -n $version_script ]]; then
  check_binding
  check_text
  check_tls
  check_exports
fi
((violations == 0))
