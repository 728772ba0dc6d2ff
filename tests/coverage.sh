#!/bin/sh
# usage: sh tests/coverage.sh BUILD
# What of runtime/ and lua_bindings/ the tests have run: their profiles are in BUILD/profiles (see make coverage). A table
# of branches, each of which counts twice, taken and not; the branches that were left out are in BUILD/uncovered.
set -eu
build=$1
llvm-profdata merge -sparse -o "$build/profile" "$build"/profiles/*
llvm-cov export -format=lcov -instr-profile="$build/profile" "$build/strew" -object "$build/libstrew.so" \
  "$PWD/runtime" "$PWD/lua_bindings" >"$build/coverage"

# A line of a file that is included several times (*.inc) has its branches once for each; what one of them took counts.
awk -F '[:,]' -v here="$PWD/" -v list="$build/uncovered" '
  /^SF:/ { file = substr($0, 4); sub(here, "", file) }
  /^BRDA:/ {
    branch = file ":" $2 ":" $3 ":" $4
    if (!(branch in taken)) taken[branch] = 0
    if ($5 != "-" && $5 > 0) taken[branch] = 1
  }
  END {
    for (branch in taken) {
      split(branch, part, ":")
      all[part[1]]++; sum++
      if (taken[branch]) { covered[part[1]]++; covered_sum++ }
      else print part[1] ":" part[2] >list
    }
    for (file in all) printf "%6.1f %%  %5d of %5d  %s\n", 100 * covered[file] / all[file], covered[file], all[file], file
    printf "%6.1f %%  %5d of %5d  all branches\n", 100 * covered_sum / sum, covered_sum, sum >(list ".sum")
  }' "$build/coverage" | sort -n
sort -u -t : -k 1,1 -k 2,2n -o "$build/uncovered" "$build/uncovered"
cat "$build/uncovered.sum"
echo "coverage: lines with branches that no test took are listed in $build/uncovered"
