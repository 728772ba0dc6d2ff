#!/bin/sh
# usage: sh tests/watched.sh valgrind|thread|oclgrind BUILD [NAME...]
# The Check programs, the specs and a few calls of each family under a checking tool: Valgrind's memcheck (no invalid
# read, uninitialised value or leak), ThreadSanitizer (no data race), Oclgrind (no race between work-items, no access
# outside of a buffer). Sweeps run a sample of their cases (STREW_TEST_FEW, STREW_TEST_STEP), because all three are
# slow. NAME: only those, of check_NAME, specs and few. BUILD is without OpenCL and with debug symbols for Valgrind
# (DEBUG=1), without OpenCL and with SANITIZE=thread, or the usual one.
set -u
cd "$(dirname "$0")/.." || exit 1
watcher=$1 build=$2
shift 2
mkdir -p "$build/watched/$watcher" || exit 1
logs=$(realpath "$build/watched/$watcher")
unset STREW_DEVICE STREW_TEST_DEVICE STREW_TEST_ALL STREW_OPENCL_ASSUME LUA_INIT LUA_INIT_5_4
export STREW_TEST_FEW=1 STREW_TEST_STEP=20
lua_path=";/usr/lib/$(cc -print-multiarch 2>/dev/null)/lua/5.4/?.so"
busted='/usr/bin/busted --output=plainTerminal'
specs=tests/spec device=cpu
absent() { echo "$watcher: absent (Debian: $watcher)" && exit 1; }

# watch COMMAND...; specs: busted; is_clean LOG: true if the tool reported nothing.
case $watcher in
  valgrind)
    command -v valgrind >/dev/null || absent
    # Valgrind supports neither flushed denormals nor trapped exceptions (float_mode), rounds an int64 twice on its way
    # to float32 (scalar), and has AVX2 at most. OpenCL's drivers are not clean.
    left_out='opencl float_mode scalar'
    # Fair scheduling: a pool's workers spin while they wait for each other.
    watch() {
      timeout 1800 valgrind -q --fair-sched=try --error-exitcode=9 --num-callers=24 --suppressions=tests/valgrind.supp \
        --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect "$@"
    }
    # shellcheck disable=SC2086
    specs() { LUA_CPATH="$build/?.so$lua_path" watch lua5.4 $busted $specs; }
    is_clean() { ! grep -q '^==[0-9]*== ' "$1"; }
    ;;
  thread)
    left_out=opencl
    export TSAN_OPTIONS=allocator_may_return_null=1:halt_on_error=0:exitcode=9
    watch() { timeout 1800 "$@"; }
    # The processes that specs start are stock ones, with the usual build's module.
    # shellcheck disable=SC2086
    specs() { LUA_CPATH="build/?.so$lua_path" watch "$build/strew" $busted $specs; }
    is_clean() { ! grep -q 'WARNING: ThreadSanitizer' "$1"; }
    ;;
  oclgrind)
    for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so; do
      [ ! -e "$library" ] || echo "$library" >"$logs/oclgrind.icd"
    done
    [ -e "$logs/oclgrind.icd" ] || absent
    report=$logs/report
    export OCL_ICD_VENDORS="$logs" OCLGRIND_LOG="$report" OCLGRIND_DATA_RACES=1 OCLGRIND_LOCAL_MEM_SIZE=1048576
    export XDG_CACHE_HOME="$logs" STREW_TEST_DEVICE=opencl:oclgrind
    device=opencl:oclgrind
    # Oclgrind has 65,535 buffers at most, and one of the specs of files needs more.
    specs=$(grep -L 'devices: no, ' tests/spec/*_spec.lua | grep -v /file_)
    # Of the others, some test the CPU alone, and some make OpenCL's functions fail, thousands of times.
    left_out=$(for program in tests/check_*.c; do basename "$program" .c | sed 's/^check_//'; done | grep -vxE \
      'scatter|group|elementwise|elementwise_rules|reduce|sort|random|matmul|view|copy|scalar|overlap|misuse')
    watch() { : >"$report" && timeout 1800 "$@"; }
    # shellcheck disable=SC2086
    specs() { STREW_DEVICE=$device LUA_CPATH="$build/?.so$lua_path" watch lua5.4 $busted $specs; }
    is_clean() { [ ! -s "$report" ] || { cat "$report" >>"$1" && false; }; }
    ;;
esac

if [ $# = 0 ]; then
  for program in tests/check_*.c; do
    name=$(basename "$program" .c)
    echo "$left_out" | grep -qw "${name#check_}" || set -- "$@" "${name#check_}"
  done
  set -- "$@" specs few
  # shellcheck disable=SC2086
  echo "left out:" $left_out
fi

run() {
  case $1 in
    specs) specs ;;
    few) watch "$build/strew" tests/few.lua $device ;;
    file | pool | progress | float_mode | memory) watch "$build/tests/check_$1" ;; # tests that need processes of their own
    *) CK_FORK=no watch "$build/tests/check_$1" ;;
  esac
}

passed=0 failed=0
for name in "$@"; do
  log=$logs/$name.log
  begin=$(date +%s)
  run "$name" >"$log" 2>&1
  code=$?
  # Check reports a test process that exits with an error; the tool's report is always in the log.
  if is_clean "$log" && [ $code = 0 ]; then
    passed=$((passed + 1))
    echo "$name: clean, $(($(date +%s) - begin)) s"
  else
    failed=$((failed + 1))
    echo "---- $name ended with $code:"
    tail -n 60 "$log"
  fi
done
echo "$watcher: $passed clean, $failed not"
[ $failed = 0 ]
