#!/usr/bin/env bash
# Proves that no file of code has more than MAX_LINES lines, because a longer file contains more
# than one idea.
#
# usage: check_file_size.sh SOURCE_DIR MAX_LINES
set -euo pipefail

if (($# != 2)); then
  sed -n '2,4s/^# \{0,1\}//p' "$0"
  exit 2
fi
cd "$1"
max_lines=$2

folders=()
for folder in src include test cmake scripts; do
  if [[ -d $folder ]]; then folders+=("$folder"); fi
done

find "${folders[@]}" -type f \
  \( -name '*.h' -o -name '*.cc' -o -name '*.def' -o -name '*.java' -o -name '*.py' \
  -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt -o -path 'scripts/*' \) \
  -exec wc -l {} \; |
  awk -v max="$max_lines" '
    $1 > max {
      printf "%s:%d: the file has %d lines, more than %d. Split it by idea.\n", $2, max + 1, $1, max
      found = 1
    }
    END { exit found }'
