#!/usr/bin/env bash
# Opens real flame graphs in headless Chromium and uses them as people do.
#
# usage: browser_test.sh SOURCE_DIR WORK_DIR MAKER
#   WORK_DIR   gets playwright-core (from npm, once), the pages and the screenshots
#   MAKER      make_pages: writes recordings, pages and the truth about them into a folder
# Exit code 77, skipped: no node, no Chromium, or playwright-core cannot be fetched.
set -euo pipefail

if (($# != 3)); then
  sed -n '2,8s/^# \{0,1\}//p' "$0"
  exit 2
fi
source_dir=$1
work_dir=$2
maker=$3

skip() {
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null || skip "no node (scripts/bootstrap --dev)"
command -v npm >/dev/null || skip "no npm (scripts/bootstrap --dev)"
chromium=${JPROF_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[[ -n $chromium ]] || skip "no Chromium (scripts/bootstrap --dev)"

mkdir -p "$work_dir/pages"
cp "$source_dir"/package.json "$source_dir"/*.mjs "$work_dir"
cd "$work_dir"
if [[ ! -d node_modules/playwright-core ]]; then
  npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1 ||
    skip "npm cannot fetch playwright-core: $(tail -n 1 npm.log)"
fi

"$maker" pages
CHROMIUM=$chromium node --test --test-reporter=spec --test-concurrency=1 ./*.test.mjs
