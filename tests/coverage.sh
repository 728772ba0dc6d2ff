#!/bin/sh
# usage: sh tests/coverage.sh BUILD
# What of runtime/ and lua_bindings/ the tests have run: their profiles are in BUILD/profiles (see make coverage).
set -eu
build=$1
llvm-profdata merge -sparse -o "$build/profile" "$build"/profiles/*
llvm-cov export -instr-profile="$build/profile" "$build/strew" -object "$build/libstrew.so" >"$build/coverage.json"
lua5.4 tests/coverage.lua "$build" <"$build/coverage.json"
