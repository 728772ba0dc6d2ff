#!/bin/sh
# usage: sh tests/fuzz/run.sh BUILD TARGET RUNS|replay
# Runs libFuzzer on fuzz_TARGET, as long as RUNS says (its own options). It keeps its corpus in BUILD/corpus for the
# next run, and findings in BUILD/found. replay: runs the seeds and earlier findings, and $INPUTS random inputs of the
# generators of scripts.
set -u
build=$1 target=$2 runs=$3
set -- "tests/fuzz/seeds/$target" "tests/fuzz/found/$target"
case $target in
  np*) set -- "$@" tests/data/numpy ;;
  png) set -- "$@" tests/data/png ;;
  arrow | calls | dlpack | expr | tensor | views) [ "$runs" != replay ] || set -- "$@" "random=$INPUTS" ;;
esac
[ "$runs" != replay ] || exec "$build/tests/fuzz/fuzz_$target" "$@"
corpus=$build/corpus/$target log=$build/fuzz_$target.log
mkdir -p "$corpus" "$build/found"
for seeds in "$@"; do [ ! -d "$seeds" ] || set -- "$@" "$seeds"; shift; done

case $target in
  arrow | calls | dlpack | expr | tensor | views) options='-max_len=200' ;;
  *) options='-max_len=1500' ;;
esac
# A Lua state outlives a run: its leaks are found at the end.
case $target in calls | tensor) options="$options -detect_leaks=0" ;; esac

# shellcheck disable=SC2086 # words on purpose
if "$build/tests/fuzz/fuzz_$target" $options $runs -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
  -artifact_prefix="$build/found/$target-" "$corpus" "$@" >"$log" 2>&1; then
  printf '%s: %s, nothing found\n' "fuzz_$target" "$(sed -n 's/^Done \(.*\) runs in \(.*\) second.*/\1 inputs in \2 s/p' "$log")"
else
  grep -v -e '^#' -e NEW_FUNC -e 'Uses:' "$log" | tail -n 60
  echo "fuzz_$target: broken by $(sed -n 's/.*Test unit written to //p' "$log"); all that was said is in $log"
  exit 1
fi
