#!/bin/sh
# usage: sh tests/devices.sh BUILD KIND list|name|PART
# The tests on one OpenCL implementation, with kernels cached in BUILD/devices. KIND: pocl, rusticl, oclgrind, intel, or
# the name of any other device, opencl:WORD. PART: few (a few calls of each family), ways (those of ways that small
# calls do not take), digest, demos (each of $DEMOS), counts, a Check program or a spec: run.sh runs each by itself. list
# prints the parts, name implementation, device and driver, or both after a dash why the implementation is absent. Check
# programs and specs run there unless they have a line "devices: no, REASON". Oclgrind, which finds races and invalid accesses, is slow: it runs only few and digest.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 kind=$2 part=$3
here=$PWD/$build/devices/${kind%%:*}
mkdir -p "$here/cache" "$here/pocl" "$here/vendors"
# PoCL has a cache of its own, and compiles each kernel twice for ours.
cache=$here/cache
[ "$kind" != pocl ] || cache=/dev/null/none
export XDG_CACHE_HOME="$cache" POCL_CACHE_DIR="$here/pocl"
unset STREW_DEVICE STREW_OPENCL_ASSUME STREW_TEST_ALL LUA_INIT LUA_INIT_5_4
# Every kernel is compiled anew, for seconds in all: devices run a sample of what the CPU runs in full, and the compilers
# for the processor a part of that sample (THIN: testing.h). few and ways run every $step-th expression, with
# STREW_TEST_FEW half of them; Oclgrind, without it, all.
step=1
lua_path="$build/?.so;/usr/lib/$(cc -print-multiarch 2>/dev/null)/lua/5.4/?.so"

passed=0 failed=0
count() { # PASSED FAILED NAME LOG
  passed=$((passed + $1)) failed=$((failed + $2))
  [ "$2" = 0 ] || { echo "---- $3 on $device:"; cat "$4"; }
}

# calls WORDS [WORD [STEP]]: assumed properties of the device; runs only expressions with WORD, else all, every STEP-th of
# them.
calls() {
  log=$here/$part.log report=$here/$part.races
  : >"$report"
  if STREW_OPENCL_ASSUME=$1 OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$report OCLGRIND_LOCAL_MEM_SIZE=1048576 \
    "$build/strew" tests/few.lua "$device" "${2-}" "${3-1}" >"$log" 2>&1; then
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
    if "$build/strew" "scripts/demos/$demo.lua" "$here/demo" >"$log" 2>&1 &&
      grep -q '^cpu and opencl:.* agree bit for bit$' "$log"; then
      count 1 0
    else
      count 0 1 "$demo.lua" "$log"
    fi
  done
}

few() { # Oclgrind reports the read before an exchange as a race
  if [ "$kind" = oclgrind ]; then
    calls 'gpu noexchange' '' "$step"
    calls '' '' "$step"
    return
  fi
  calls gpu '' "$step"
  calls 'software noatomics64 shortloops' '' "$step"
}

# Ways that small calls do not take by themselves; and launches so short that small calls need several.
ways() {
  for way in 'way=partition tiny' 'gpu way=sort' 'gpu way=sort tiny' 'way=walk' 'way=walk order tiny'; do
    calls "$way" scatter "$step"
  done
  [ "$kind" != oclgrind ] || return 0 # it reports the read before an exchange as a race
  calls 'gpu way=atomics tiny' scatter "$step"
  calls cuts '' $((2 * step))
  calls 'cuts gpu' '' $((2 * step))
  for way in 'way=partition tiny' 'gpu way=sort tiny' 'way=walk order tiny' 'gpu way=atomics tiny'; do
    calls "cuts $way" scatter $((2 * step))
  done
  calls packed expr
  calls gpu large
  calls '' large
}

# What calls ask of OpenCL, on a device taken for a GPU.
counts() {
  log=$here/counts.log
  if STREW_OPENCL_ASSUME=gpu SCALE=50 "$build/tests/counts/counts" tests/counts/counts.lua "$device" >"$log" 2>&1; then
    count 1 0
  else
    count 0 1 counts.lua "$log"
  fi
}

# The Check programs and specs that do not say "devices: no, REASON".
files() {
  grep -L 'devices: no, ' tests/check_*.c tests/spec/*_spec.lua | sed 's|.*/||; s|\.[^.]*$||'
}

digest='60 1' parts='few ways digest' # digest.lua's CALLS and EACH
case $kind in
  pocl)
    title=PoCL word=opencl:portable package=pocl-opencl-icd parts="$parts demos counts $(files)"
    # kernels are compiled anew after each failure
    export STREW_TEST_STEP=20 STREW_TEST_THIN=3
    step=3
    ;;
  rusticl)
    # its loops are too short for most ways, its launches and builds of kernels are slow: each day draws other few calls
    title='rusticl on llvmpipe' word=opencl:llvmpipe package=mesa-opencl-icd parts="few digest $(files)"
    export RUSTICL_ENABLE=llvmpipe STREW_TEST_STEP=28 STREW_TEST_THIN=3 SEED="${SEED:-$(($(date +%s) / 86400))}"
    step=12
    ;;
  oclgrind)
    title=Oclgrind word=opencl:oclgrind package=oclgrind digest='4 1'
    for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so; do
      [ ! -e "$library" ] || echo "$library" >"$here/vendors/oclgrind.icd"
    done
    export OCL_ICD_VENDORS="$here/vendors"
    ;;
  intel)
    title="Intel's OpenCL for CPUs" word='opencl:intel(r) opencl' package='sh scripts/setup.sh intel' parts="$parts $(files)"
    # kernels are compiled anew after each failure; of the few calls those that neither PoCL nor rusticl runs
    export OCL_ICD_VENDORS="$PWD/build/intel" STREW_TEST_STEP=20 STREW_TEST_THIN=3 SEED="${SEED:-1}"
    step=6
    ;;
  *) title=$kind word=$kind package='' digest='200 4' parts="$parts $(files)" ;;
esac

[ -z "${STREW_TEST_FEW-}" ] || [ "$kind" != oclgrind ] || step=2
[ -z "${STREW_TEST_FEW-}" ] || step=$((2 * step))
said=$("$build/strew" -e 'print(strew.zeros(1, {device = arg[1]}).device)' - "$word" </dev/null 2>&1) || :
device=$said
case $said in
  opencl:*) ;;
  *'cannot build'*)
    [ "$part" != list ] || { echo "$kind-few" && exit; }
    echo "$title: installed, but $(echo "$said" | head -n 4)"
    exit 1
    ;;
  *)
    echo "- $title: absent ($package); its tests are left out: $(echo "$said" | head -n 1 | cut -c 1-160)"
    exit
    ;;
esac

# of_device EXPRESSION: of what strew.devices() tells of the device, `one`.
of_device() {
  "$build/strew" -e "for _, one in ipairs(strew.devices()) do if one.name == arg[1] then print($1) end end" - "$device" </dev/null
}

case $part in
  name) echo "$title | $(of_device 'one.description .. " | " .. (one.driver or "")')" ;;
  list)
    but='' driver=''
    [ "$kind" != pocl ] || driver=$(of_device one.driver)
    case $driver in
      6.*)
        but=check_programs
        echo "- $title $driver: its compiler aborts at some of the random programs; $but is left out"
        ;;
    esac
    for part in $parts; do [ "$part" = "$but" ] || echo "$kind-$part"; done
    ;;
  check_*)
    [ "$part" != check_opencl ] || XDG_CACHE_HOME=$here/cache
    [ "$part" != check_opencl ] || [ -z "${THIRD-}" ] || export CK_INCLUDE_TAGS="third_$THIRD"
    # Failing calls of OpenCL: all of the sample on PoCL, half of it with the other compilers.
    [ "$part" != check_opencl ] || [ "$kind" = pocl ] || [ -z "${STREW_TEST_THIN-}" ] || export STREW_TEST_THIN=6
    STREW_TEST_DEVICE=$device exec "$build/tests/$part"
    ;;
  *_spec) STREW_DEVICE=$device LUA_CPATH=$lua_path exec lua5.4 /usr/bin/busted --output=plainTerminal "tests/spec/$part.lua" ;;
  digest)
    # shellcheck disable=SC2086 # two words
    exec "$build/strew" tests/digest.lua $digest cpu "$device"
    ;;
  *)
    "$part"
    echo "$title, $part: $passed passed, $failed failed"
    [ $failed = 0 ]
    ;;
esac
