#!/bin/sh
# usage: CHECKS='scatter ...' SPECS='view ...' DEMOS='karate ...' sh tests/devices.sh BUILD pocl|rusticl|oclgrind|intel|others
# The Check programs, the specs, the demonstrations and the digest on one OpenCL implementation (others: on all devices
# of other implementations), with kernels cached in BUILD/devices. The three lists are in tests.mk. Prints a line with
# counts, or why the implementation is absent. Oclgrind, which finds races and invalid accesses, is slow: it runs a few
# calls of each family.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 kind=$2
here=$PWD/$build/devices/$kind
mkdir -p "$here/cache" "$here/pocl" "$here/vendors"
# PoCL has a cache of its own, and compiles each kernel twice for ours.
cache=$here/cache
[ "$kind" != pocl ] || cache=/dev/null/none
export XDG_CACHE_HOME="$cache" POCL_CACHE_DIR="$here/pocl"
unset STREW_DEVICE STREW_OPENCL_ASSUME STREW_TEST_ALL LUA_INIT LUA_INIT_5_4
# Every kernel is compiled anew, for seconds in all: devices run a sample of what the CPU runs in full, and the compilers
# for the processor a part of that sample (THIN: testing.h). The ways forced on small calls (few) run every $step-th
# expression.
step=1
lua_path="$build/?.so;/usr/lib/$(cc -print-multiarch 2>/dev/null)/lua/5.4/?.so"

# Finds the device of that name: sets `device` to its full name, or fails and sets `said` to the reason.
find_device() {
  said=$("$build/strew" -e 'print(strew.zeros(1, {device = arg[1]}).device)' - "$1" </dev/null 2>&1) || :
  case $said in
    opencl:*) device=$said ;;
    *) return 1 ;;
  esac
}

passed=0 failed=0
count() { # PASSED FAILED NAME LOG
  passed=$((passed + $1)) failed=$((failed + $2))
  [ "$2" = 0 ] || { echo "---- $3 on $device:"; tail -n 60 "$4"; }
}

# check NAME: runs a Check program; its last line has the counts. Without them it was killed.
check() {
  log=$here/$1.log
  case $1 in opencl) XDG_CACHE_HOME=$here/cache ;; *) XDG_CACHE_HOME=$cache ;; esac
  STREW_TEST_DEVICE=$device timeout 900 "$build/tests/check_$1" >"$log" 2>&1
  code=$?
  counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log")
  # shellcheck disable=SC2086
  set -- "$1" $counts
  if [ $# = 4 ] && [ $((code != 0)) = $(($3 + $4 > 0)) ]; then
    count $(($2 - $3 - $4)) $(($3 + $4)) "check_$1" "$log"
  else
    count 0 1 "check_$1 ended with $code" "$log"
  fi
}

specs() {
  log=$here/specs.log
  # shellcheck disable=SC2046
  STREW_DEVICE=$device LUA_CPATH=$lua_path timeout 600 lua5.4 /usr/bin/busted --output=plainTerminal \
    $(for spec in $SPECS; do echo "tests/spec/${spec}_spec.lua"; done) >"$log" 2>&1
  counts=$(sed -n 's/^\([0-9]*\) success[a-z]* \/ \([0-9]*\) failure[a-z]* \/ \([0-9]*\) error.*/\1 \2 \3/p' "$log")
  # shellcheck disable=SC2086
  set -- $counts
  if [ $# = 3 ]; then count "$1" $(($2 + $3)) specs "$log"; else count 0 1 specs "$log"; fi
}

digest() { # CALLS EACH, as of digest.lua
  log=$here/digest.log
  if timeout 900 "$build/strew" tests/digest.lua "$1" "$2" cpu "$device" >"$log" 2>&1; then
    count 1 0
  else
    count 0 1 digest "$log"
  fi
}

# few WORDS [WORD [STEP]]: assumed properties of the device; runs only expressions with WORD, else all, every STEP-th of
# them.
few() {
  log=$here/few.log report=$here/oclgrind.log
  : >"$report"
  if STREW_OPENCL_ASSUME=$1 OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$report OCLGRIND_LOCAL_MEM_SIZE=1048576 \
    timeout 900 "$build/strew" tests/few.lua "$device" "${2-}" "${3-1}" >"$log" 2>&1; then
    count "$(sed -n 's/^\([0-9]*\) passed.*/\1/p' "$log")" 0
  else
    count 0 1 "few.lua ($1)" "$log"
  fi
  [ ! -s "$report" ] || count 0 1 "few.lua ($1), by Oclgrind's report" "$report"
}

demos() {
  mkdir -p "$here/demo"
  for demo in $DEMOS; do
    log=$here/$demo.log
    if timeout 300 "$build/strew" "scripts/demos/$demo.lua" "$here/demo" >"$log" 2>&1 &&
      grep -q '^cpu and opencl:.* agree bit for bit$' "$log"; then
      count 1 0
    else
      count 0 1 "$demo.lua" "$log"
    fi
  done
}

run() { # NAME CALLS EACH: the last two as of digest.lua
  few gpu '' "$step"
  if [ "$kind" = oclgrind ]; then
    few ''
  else
    few 'software noatomics64 shortloops' '' "$step"
    for program in $CHECKS; do check "$program"; done
    specs
  fi
  # ways that small calls do not take by themselves; rusticl's loops are too short for most
  if [ "$kind" != rusticl ]; then
    for way in 'way=partition tiny' 'gpu way=sort' 'gpu way=sort tiny' 'way=walk' 'way=walk order tiny'; do
      few "$way" scatter "$step"
    done
  fi
  # launches so short that small calls need several
  if [ "$kind" != rusticl ] && [ "$kind" != oclgrind ]; then
    few cuts '' $((2 * step))
    few 'cuts gpu' '' $((2 * step))
    for way in 'way=partition tiny' 'gpu way=sort tiny' 'way=walk order tiny' 'gpu way=atomics tiny'; do
      few "cuts $way" scatter $((2 * step))
    done
  fi
  if [ "$kind" != rusticl ] && [ "$kind" != oclgrind ]; then
    few 'gpu way=atomics tiny' scatter "$step" # Oclgrind reports the read before an exchange as a race
    few gpu large
    few '' large
  fi
  [ "$kind" != pocl ] || demos # they use the first device
  digest "$2" "$3"
  echo "$1: $passed passed, $failed failed"
}

case $kind in
  pocl)
    name=PoCL word=opencl:portable package=pocl-opencl-icd
    # kernels are compiled anew after each failure
    export STREW_TEST_STEP=20 STREW_TEST_THIN=3
    step=3
    ;;
  rusticl)
    name='rusticl on llvmpipe' word=opencl:llvmpipe package=mesa-opencl-icd
    export RUSTICL_ENABLE=llvmpipe STREW_TEST_STEP=28 STREW_TEST_THIN=3 # its launches are slow
    step=2
    ;;
  oclgrind)
    name=Oclgrind word=opencl:oclgrind package=oclgrind
    for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so; do
      [ ! -e "$library" ] || echo "$library" >"$here/vendors/oclgrind.icd"
    done
    export OCL_ICD_VENDORS="$here/vendors"
    ;;
  intel)
    name="Intel's OpenCL for CPUs" word='opencl:intel(r) opencl' package='sh scripts/setup.sh intel'
    # kernels are compiled anew after each failure
    export OCL_ICD_VENDORS="$PWD/build/intel" STREW_TEST_STEP=20 STREW_TEST_THIN=3
    step=3
    ;;
  others)
    others=$("$build/strew" tests/other_devices.lua) || exit 1
    for device in $others; do
      passed=0
      run "$device" 200 4
    done
    [ $failed = 0 ]
    exit
    ;;
esac

if find_device "$word"; then
  run "$name" "$([ "$kind" = oclgrind ] && echo 4 || echo 60)" 1
else
  case $said in
  *'cannot build'*)
    echo "$name: installed, but $(echo "$said" | head -n 4)"
    failed=1
    ;;
  *) echo "$name: absent ($package); its tests are left out: $(echo "$said" | head -n 1 | cut -c 1-160)" ;;
  esac
fi
[ $failed = 0 ]
