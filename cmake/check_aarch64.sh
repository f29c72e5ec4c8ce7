#!/usr/bin/env bash
# Proves that TARGET (`processor_code`, or `all` for the library and jprof) compiles with the preset
# aarch64, and that its signal-safe objects and its library pass the same checks as on the host.
#
# usage: check_aarch64.sh SOURCE_DIR BUILD_DIR MAX_GLIBC TARGET
# Exit code 77 (skipped) if there is no cross compiler.
set -euo pipefail

if (($# != 4)); then
  sed -n '2,6s/^# \{0,1\}//p' "$0"
  exit 2
fi
source_dir=$1
build_dir=$2
max_glibc=$3
target=$4
prefix=aarch64-linux-gnu

if ! command -v "$prefix-g++" >/dev/null; then
  echo "skipped: no $prefix-g++. Install it with scripts/bootstrap."
  exit 77
fi

cd "$source_dir"
# Compiles with -O1, which is faster. The result of the checks does not depend on the level.
cmake --preset aarch64 -B "$build_dir" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -DNDEBUG"
cmake --build "$build_dir" --target "$target"
# Removes objects whose sources no longer exist, which would define everything twice.
ninja -C "$build_dir" -t cleandead >/dev/null

mapfile -t objects < <(find "$build_dir/src" -path '*/jprof_sigsafe_*.dir/*' -name '*.o')
LD=$prefix-ld NM=$prefix-nm "$source_dir/cmake/check_symbols.sh" "in a signal handler" \
  "$source_dir/cmake/signal_safe_symbols.txt" "${objects[@]}"

mapfile -t -O ${#objects[@]} objects < <(
  find "$build_dir/src" -path '*/jprof_loader_lock.dir/*' -name '*.o')
LD=$prefix-ld NM=$prefix-nm "$source_dir/cmake/check_symbols.sh" \
  "under the dynamic linker's lock" "$source_dir/cmake/loader_lock_symbols.txt" "${objects[@]}"

if [[ -e $build_dir/lib/libprofiler.so ]]; then
  READELF=$prefix-readelf "$source_dir/cmake/check_library.sh" \
    "$build_dir/lib/libprofiler.so" "$source_dir/cmake/profiler.map" "$max_glibc"
fi
