#!/bin/sh
# usage: sh tests/valgrind.sh BUILD [NAME...]
# The Check programs, the specs and a few calls of each family under Valgrind's memcheck: no use of what is not set or not
# there, no leak. Sweeps try a few of their cases (STREW_TEST_FEW, STREW_TEST_STEP): it makes everything many times as
# slow. NAME: only those, of check_NAME, specs and few. Needs a build without OpenCL, whose drivers are not
# clean, and with names (DEBUG=1). Of instruction sets, Valgrind's processor has AVX2 at most.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift
command -v valgrind >/dev/null || { echo "valgrind: absent (Debian: valgrind)" && exit 1; }
logs=$build/valgrind
mkdir -p "$logs"
unset STREW_DEVICE STREW_TEST_DEVICE STREW_TEST_ALL LUA_INIT LUA_INIT_5_4
export STREW_TEST_FEW=1 STREW_TEST_STEP=20
multiarch=$(cc -print-multiarch 2>/dev/null)

# Valgrind's processor knows neither flushed denormals nor exceptions that end a process (float_mode), and rounds an int64
# twice on its way to float32 (scalar).
left_out='opencl float_mode scalar'
names=''
for program in tests/check_*.c; do
  name=$(basename "$program" .c)
  case " $left_out " in *" ${name#check_} "*) ;; *) names="$names ${name#check_}" ;; esac
done
[ $# -gt 0 ] || {
  echo "left out: $left_out"
  # shellcheck disable=SC2086
  set -- $names specs few
}

# Processors are shared out fairly: workers of a pool wait for each other by turning round and round.
under_valgrind() {
  timeout 1800 valgrind -q --fair-sched=try --error-exitcode=9 --num-callers=24 --suppressions=tests/valgrind.supp \
    --leak-check=full --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect "$@"
}

run() {
  case $1 in
    specs)
      LUA_CPATH="$build/?.so;/usr/lib/$multiarch/lua/5.4/?.so" \
        under_valgrind lua5.4 /usr/bin/busted --output=plainTerminal tests/spec
      ;;
    few) under_valgrind "$build/strew" tests/few.lua cpu ;;
    file | pool | progress) under_valgrind "$build/tests/check_$1" ;; # tests that need processes of their own
    *) CK_FORK=no under_valgrind "$build/tests/check_$1" ;;
  esac
}

passed=0 failed=0
for name in "$@"; do
  log=$logs/$name.log
  begin=$(date +%s)
  run "$name" >"$log" 2>&1
  code=$?
  # A test's process that ends with an error is reported by Check; Valgrind's report stands in the log in any case.
  if [ $code = 0 ] && ! grep -q '^==[0-9]*== ' "$log"; then
    passed=$((passed + 1))
    echo "$name: clean, $(($(date +%s) - begin)) s"
  else
    failed=$((failed + 1))
    echo "---- $name ended with $code:"
    tail -n 60 "$log"
  fi
done
echo "valgrind: $passed clean, $failed not"
[ $failed = 0 ]
