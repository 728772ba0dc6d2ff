#!/bin/sh
# usage: sh tests/endless/pocl.sh BUILD SECONDS LOG2_BYTES WORKERS STEP NAME
# The calls of endless.c that take tensors, on PoCL, with its compiled kernels kept in BUILD/devices.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 seconds=$2 log2_bytes=$3 workers=$4 step=$5 name=${6:-strew.}
here=$PWD/$build/devices/pocl
mkdir -p "$here/cache" "$here/pocl"
export XDG_CACHE_HOME="$here/cache" POCL_CACHE_DIR="$here/pocl"
device=$("$build/strew" -e 'print(strew.zeros(1, {device = "opencl:portable"}).device)' 2>/dev/null) || device=
case $device in
  opencl:*) ;;
  *) echo 'endless on PoCL: left out, it is absent (pocl-opencl-icd)' && exit 0 ;;
esac
"$build/tests/endless/endless" "$device" "$seconds" "$log2_bytes" "$workers" "$step" "$name"
