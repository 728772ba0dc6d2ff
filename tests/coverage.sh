#!/bin/sh
# usage: sh tests/coverage.sh BUILD
# Branch coverage of runtime/ and lua_bindings/ from the profiles in BUILD/profiles (see make coverage).
set -eu
build=$1
llvm-profdata merge -sparse -o "$build/profile" "$build"/profiles/*
llvm-cov export -instr-profile="$build/profile" "$build/strew" -object "$build/libstrew.so" >"$build/coverage.json"
lua5.4 tests/coverage.lua "$build" <"$build/coverage.json"
