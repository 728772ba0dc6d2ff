#!/bin/sh
# Compiles every kernel for hardware that this machine need not have, with any of these compilers that are installed:
#   NVIDIA   clang-15 and libclc-15, then ptxas of a CUDA toolkit
#   AMD      clang-15 and rocm-device-libs
#   Intel    ocloc of intel-opencl-icd; OCLOC is its path, if it is only unpacked
# Prints for each target the number of compiled files, spills, the maximum of local memory and stack of a kernel, and
# the number of files with a fused multiply-add, which would change the bits of results.
# usage: sh scripts/compile_kernels.sh [DTYPE...]     after make; TARGETS="nvidia:sm_75 amd:gfx90a intel:dg2" selects
#        sh scripts/compile_kernels.sh --one TARGET SOURCE
# The sources are those that a driver receives in calls of every family (kernel_calls.lua) on the OpenCL device DEVICE,
# which is assumed to be a GPU. Results, listings and compiler output are in build/kernels/.
set -eu
cd "$(dirname "$0")/.."
folder=build/kernels
: "${TARGETS:=nvidia:sm_75 nvidia:sm_90 amd:gfx90a amd:gfx1030 intel:dg2 intel:pvc}" "${OCLOC:=ocloc}" "${DEVICE:=opencl}"
export OCLOC
clang="clang-15 -x cl -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -O2 -Wno-linker-warnings -S"
rocm=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
libclc=/usr/lib/clc/nvptx64--nvidiacl.bc
PATH=$PATH:/usr/local/cuda/bin

nvidia() { # MODEL SOURCE LISTING [OPTION...]
  source=$2 listing=$3
  shift 3
  # later ptxas versions read sm_75 and PTX 6.3, for later models, too; libclc's library of this target lacks 64-bit
  # atomics, which are only declared then (ptxas -c)
  $clang -target nvptx64-nvidia-cuda -march=sm_75 -Xclang -target-feature -Xclang +ptx63 -Xclang -cl-ext=+cl_khr_int64_base_atomics \
    -Xclang -mlink-builtin-bitcode -Xclang $libclc "$@" "$source" -o "$listing"
}

amd() { # MODEL SOURCE LISTING [OPTION...]
  model=$1 source=$2 listing=$3
  shift 3
  $clang -target amdgcn-amd-amdhsa -mcpu="$model" --rocm-device-lib-path=$rocm "$@" "$source" -o "$listing"
}

# The sum or the maximum of the numbers that follow a word in a text.
total() { sed -nE "s/.*$1.*/\1/p" "$2" | awk '{ sum += $1 } END { print sum + 0 }'; }
maximum() { sed -nE "s/.*$1.*/\1/p" "$2" | awk '$1 > max { max = $1 } END { print max + 0 }'; }

# Prints 1 if the vendor's compiler fuses operations: the listing differs when an option forbids fusing.
fused() { # VENDOR MODEL SOURCE LISTING
  "$1" "$2" "$3" "$4.unfused" -ffp-contract=off
  cmp -s "$4" "$4.unfused" && echo 0 || echo 1
  rm -f "$4.unfused"
}

# Print numbers of kernels and spills, local memory, stack, and whether operations are fused.
numbers_of_nvidia() { # MODEL SOURCE LISTING
  nvidia "$@"
  fused=$(fused nvidia "$@")
  ptxas -c -arch="$1" -v "$3" -o "$3.cubin" >"$3.log" 2>&1 || return
  rm -f "$3.cubin"
  echo "$(grep -c '\.entry' "$3") $(total ' ([0-9]+) bytes spill stores' "$3.log") \
    $(maximum ' ([0-9]+) bytes smem' "$3.log") $(maximum ' ([0-9]+) bytes stack frame' "$3.log") $fused"
}

numbers_of_amd() { # MODEL SOURCE LISTING
  amd "$@"
  fused=$(fused amd "$@")
  echo "$(grep -c '\.amdhsa_kernel ' "$3") $(total 'gpr_spill_count: +([0-9]+)' "$3") \
    $(maximum 'group_segment_fixed_size: +([0-9]+)' "$3") $(maximum 'private_segment_fixed_size: +([0-9]+)' "$3") $fused"
}

# True if a SPIR-V file has fused operations (instruction 26 or 42 of the set that opcode 12 calls), or products (opcode
# 133) and sums (129, 131) with an entry point without execution mode (16) ContractionOff (31). Kernels without floats
# never set the mode. Instructions start with their length and opcode. (Listings do not show it: integers are divided by
# fused operations.)
contracted() { # FILE
  od -An -v -tu4 -w4 "$1" | awk 'NR <= 5 { next }
    left == 0 {
      left = int($1 / 65536) - 1; opcode = $1 % 65536; word = 0
      products += opcode == 133; sums += opcode == 129 || opcode == 131
      next
    }
    {
      left--; word++
      off += opcode == 16 && word == 2 && $1 == 31
      fused += opcode == 12 && word == 4 && ($1 == 26 || $1 == 42)
    }
    END { print (fused > 0 || (products > 0 && sums > 0 && off == 0)) + 0 }'
}

numbers_of_intel() { # MODEL SOURCE LISTING
  case $1 in dg2) float64= ;; *) float64=HAS_FLOAT64 ;; esac
  sed "s/^#define HAS_FLOAT64\$/#define ${float64:-STREW_NO_FLOAT64}/" "$2" >"$3.cl"
  "$OCLOC" compile -file "$3.cl" -device "$1" -output_no_suffix -output "$3.bin" -options "-cl-std=CL1.2 \
    -cl-fp32-correctly-rounded-divide-sqrt" >"$3.log" 2>&1 || return
  rm -rf "$3.asm"
  mkdir "$3.asm"
  "$OCLOC" disasm -file "$3.bin" -device "$1" -dump "$3.asm" >>"$3.log" 2>&1 || return
  cat "$3.asm"/*.asm >"$3"
  kernels=$(find "$3.asm" -name '*.asm' -type f | wc -l)
  fused=$(contracted "$3.bin.spv")
  rm -rf "$3.asm" "$3.cl" "$3.bin" "$3.bin.spv"
  echo "$kernels $(grep -c 'spilled around' "$3.log" || :) - - $fused"
}

# Compiles one source for one target; prints a line of results.
if [ "${1:-}" = --one ]; then
  vendor=${2%:*} model=${2#*:} name=$(basename "$3" .cl)
  case $2:$(grep -cE '^#define [A-Z]+ (f64|double)$' "$3") in intel:dg2:[1-9]*) exit ;; esac # no float64
  family=$(sed -n 's/^#line 1 "\(.*\)"/\1/p' "$3" | head -1)
  out=$folder/$vendor-$model
  mkdir -p "$out"
  numbers=$("numbers_of_$vendor" "$model" "$3" "$out/$name" 2>"$out/$name.errors") || numbers=
  # shellcheck disable=SC2086
  echo "$2 $family $name" ${numbers:-failed}
  [ -n "$numbers" ] && rm -f "$out/$name.errors"
  exit 0
fi

missing_parts() { # VENDOR: prints the missing parts of its compiler
  case $1 in
    nvidia)
      command -v clang-15 >/dev/null || echo clang-15
      [ -e $libclc ] || echo libclc-15
      command -v ptxas >/dev/null || echo "ptxas of CUDA"
      ;;
    amd)
      command -v clang-15 >/dev/null || echo clang-15
      [ -d $rocm ] || echo rocm-device-libs
      ;;
    intel) command -v "$OCLOC" >/dev/null || echo "ocloc of intel-opencl-icd" ;;
  esac
}

rm -rf $folder
mkdir -p $folder/sources $folder/cache
${CC:-cc} -std=c11 -O1 -fPIC -shared -fvisibility=hidden -o $folder/sources.so scripts/kernel_sources.c
XDG_CACHE_HOME=$PWD/$folder/cache OPENCL_LAYERS=$PWD/$folder/sources.so STREW_KERNEL_SOURCES=$PWD/$folder/sources \
  STREW_OPENCL_ASSUME=gpu build/strew -d "$DEVICE" scripts/kernel_calls.lua "$@"
echo "$(find $folder/sources -name '*.cl' | wc -l) sources"

for target in $TARGETS; do
  missing=$(missing_parts "${target%:*}" | paste -sd, -)
  if [ -n "$missing" ]; then
    echo "$target left out: there is no $missing"
    continue
  fi
  find $folder/sources -name '*.cl' -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" sh scripts/compile_kernels.sh --one "$target"
done >$folder/results
grep 'left out' $folder/results || :

# The families of each result, and the totals.
awk '$2 != "left" {
    key = $1 " " $2
    if (!(key in sources)) keys[++count] = key
    sources[key]++
    if ($4 == "failed") failed[key]++
    else {
      kernels[key] += $4; spills[key] += $5; fused[key] += $8
      if ($6 > shared[key]) shared[key] = $6
      if ($7 > stack[key]) stack[key] = $7
    }
  }
  END {
    form = "%-16s %-22s %7s %7s %6s %6s %6s %6s %6s\n"
    printf form, "target", "family", "sources", "kernels", "failed", "spills", "local", "stack", "fused"
    for (i = 1; i <= count; i++) {
      k = keys[i]; split(k, parts, " ")
      printf form, parts[1], parts[2], sources[k], kernels[k] + 0, failed[k] + 0, spills[k] + 0, shared[k] + 0, stack[k] + 0, fused[k] + 0
    }
  }' $folder/results
! grep -q ' failed$' $folder/results
