#!/bin/sh
# usage: sh tests/drivers.sh BUILD   (by make drivers, which sets run.sh's environment)
# Runs the tests on each OpenCL implementation that is here, and writes its row of tests/drivers.md: device, version,
# date, and how many of its runners passed, failed and were left out. Rows of implementations that are not here stay.
# RUNNERS='few|digest|check_scatter': only these runners; else all, which are those of make nightly. KINDS: only these
# implementations, of pocl, intel, rusticl, oclgrind and the names of other devices.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 page=tests/drivers.md failures=0
row=$(mktemp) || exit 1
trap 'rm -f "$row"' EXIT
version=$("$build/strew" --version | sed 's/^strew \([0-9.]*\).*/\1/')
# shellcheck disable=SC2046 # names of devices
for kind in ${KINDS:-pocl intel rusticl oclgrind $("$build/strew" tests/other_devices.lua)}; do
  name=$(sh tests/devices.sh "$build" "$kind" name) || { echo "$name" && failures=$((failures + 1)) && continue; }
  case $name in
    -*) echo "$name" && continue ;;
  esac
  echo "$name"
  all=$(sh tests/devices.sh "$build" "$kind" list | grep -c '^[^-]')
  counts=$(sh tests/run.sh run "devices-$kind" | sed -n '/^FAILED/p; $p' | tee -a /dev/stderr |
    sed -n 's/^\([0-9]*\) of [0-9]* passed, \([0-9]*\) failed, \([0-9]*\) left out: .*/\1 of '"$all"' | \2 | \3/p')
  case $counts in *'| 0 | '*) ;; *) failures=$((failures + 1)) ;; esac
  echo "| $name | $version | $(date +%F) | ${counts:-no runner ended | |} |" >"$row"
  first=$(cut -d'|' -f2 "$row" | sed 's/^ *//; s/ *$//')
  awk -v row="$row" -v first="| $first |" '
    /^## / { ended = 1 }
    index($0, first) == 1 && !ended { next }
    { print }
    /^\|---/ && !done { while ((getline line <row) > 0) print line; done = 1 }' "$page" >"$row.page" && cat "$row.page" >"$page"
  rm -f "$row.page"
done
[ $failures = 0 ] && echo "drivers: $page is written"
