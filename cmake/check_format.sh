#!/usr/bin/env bash
# Proves that all C++ code is formatted as .clang-format says.
#
# usage: check_format.sh CLANG_FORMAT SOURCE_DIR
# To repair a file: clang-format-14 -i FILE
set -euo pipefail

if (($# != 2)); then
  sed -n '2,5s/^# \{0,1\}//p' "$0"
  exit 2
fi
cd "$2"

folders=()
for folder in src include examples test; do
  if [[ -d $folder ]]; then folders+=("$folder"); fi
done

find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 -r "$1" --style=file --dry-run -Werror
