#!/bin/sh
# usage: DEMOS='karate ...' sh tests/faults/run.sh BUILD MODULE MOST
# Fault injection: the Lua suite and the demonstrations, with everything that can fail failing in turn (faults.c): on
# the CPU, and on PoCL, too, the specs that run on devices. MODULE: the build whose Lua module the specs' own processes load,
# which run without a sanitizer. MOST: see faults.c.
set -u
: "${DEMOS:?}"
cd "$(dirname "$0")/../.." || exit 1
build=$1 module=$2 most=$3
here=$(realpath "$build")/tests/faults
mkdir -p "$here/cache" "$here/pocl"
export XDG_CACHE_HOME="$here/cache" POCL_CACHE_DIR="$here/pocl" PYTHON="${PYTHON:-python3}"
LUA_CPATH="$module/?.so;/usr/lib/$(cc -print-multiarch 2>/dev/null)/lua/5.4/?.so"
export LUA_CPATH
export ASAN_OPTIONS=allocator_may_return_null=1
unset STREW_DEVICE STREW_OPENCL_ASSUME LUA_INIT LUA_INIT_5_4
demos=$(for demo in $DEMOS; do echo "scripts/demos/$demo.lua"; done)
failed=0

# shellcheck disable=SC2086
OCL_ICD_VENDORS=/dev/null/none OCL_ICD_FILENAMES='' "$here/faults" -n "$most" tests/spec/*_spec.lua $demos || failed=1

# Leaks of PoCL and of the loader are not counted.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
device=$("$module/strew" -e 'print(strew.zeros(1, {device = "opencl:portable"}).device)' 2>/dev/null)
case $device in
  opencl:*)
    specs=$(grep -L 'devices: no, ' tests/spec/*_spec.lua)
    # shellcheck disable=SC2086
    STREW_DEVICE=$device "$here/faults" -n "$most" $specs $demos || failed=1
    ;;
  *) echo 'faults: OpenCL is left out: PoCL is not there (pocl-opencl-icd)' ;;
esac
exit $failed
