#!/bin/sh
# usage: sh tests/suites/run.sh BUILD [all]
# What others wrote: queries of SQLite and DuckDB that reduce rows, and samples of the One Billion Row Challenge. Those of
# tests/data, which make_cases.py drew; without SEED, or with all, also those that setup.sh suites fetched to
# build/suites, of sqllogictest every tenth file unless all.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 all=${2-} suites=build/suites passed=0 failed=0
: "${SEED:=}"

count() { # STATUS
  if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

queries() { # DIALECT [-part I/N] FILE...
  "$build/strew" --threads 1 tests/suites/logic_tests.lua "$@"
  count $?
}

queries sqlite tests/data/reductions.sqlite.test
queries duckdb tests/data/reductions.duckdb.test

# The names hold no blanks.
# shellcheck disable=SC2046
fetched() {
  sqllogictest=$suites/sqllogictest/test duckdb=$suites/duckdb/test/sql samples=$suites/1brc/src/test/resources/samples
  tenth='-part 0/10'
  [ -z "$all" ] || tenth=
  # shellcheck disable=SC2086
  queries sqlite $tenth $(find "$sqllogictest" -name '*.test' | LC_ALL=C sort)
  queries duckdb $(find "$duckdb/aggregate" "$duckdb/join/asof" -name '*.test' | LC_ALL=C sort)
  for measurements in "$samples"/*.txt; do
    "$build/strew" scripts/demos/stations.lua "$measurements" | cmp -s - "${measurements%.txt}.out"
    same=$?
    [ $same = 0 ] || echo "$measurements: another answer"
    count $same
  done
}

if [ -n "$SEED" ] && [ -z "$all" ]; then
  :
elif [ -d $suites/duckdb ]; then
  fetched
else
  echo 'suites: sqllogictest, tests of DuckDB and samples of 1BRC are left out, they are not there: scripts/setup.sh suites fetches them by SUITES_FROM'
fi
echo "suites: $passed passed, $failed failed"
[ $failed = 0 ]
