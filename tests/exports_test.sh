#!/bin/sh
# usage: sh tests/exports_test.sh BUILD [write]
# What the libraries show of themselves, against tests/data/exports.txt: the names that each exports, so that none comes
# or goes unnoticed (write: makes the list anew), and the objects in writable memory, which are all that could be state
# outside of a context. What is declared as public is exported, and the other way round.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 list=tests/data/exports.txt
passed=0 failed=0

same() { # NAME DUE GOT
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1 (- due, + found; tests/exports_test.sh $build write makes the list anew):"
    echo "$2" >"$here/due"
    echo "$3" | diff -u "$here/due" - | sed '1,2d' | grep '^[-+]'
  fi
}
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT

exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }
declared() { grep -hv '^#' "$1" | tr '\n' ' ' | grep -oE 'STREW_API[^;]*;' | sed -E 's/^[^(]*\b([a-z_]+)\(.*/\1/' | sort; }
# File and name. (Compilers mark objects of functions, gcc with a number behind, clang with the function before.)
writable() {
  nm -A -f sysv "$1" | awk -F'|' '$7 ~ /\.(bss|data)($|\.[^r])/ && $4 ~ /OBJECT/ { print $1 }' |
    sed -E 's/^[^:]*:([^:]*\.o):/\1 /; s/ *$//; s/\.[0-9]+$//; s/ [a-z_]+\./ /' | sort
}

found() {
  for library in libstrew.so libstrew_lua.so strew.so; do
    exported "$build/$library" | sed "s/^/$library /"
  done
  writable "$build/libstrew.a" | sed 's/^/libstrew.a writable /'
  writable "$build/libstrew_lua.a" | sed 's/^/libstrew_lua.a writable /'
}

if [ "${2-}" = write ]; then
  found >"$list"
  exit
fi
same 'exports and writable objects' "$(cat "$list")" "$(found)"
same 'strew.h is what libstrew.so exports' "$(declared runtime/strew.h)" "$(exported "$build/libstrew.so")"
same 'strew_lua.h is what libstrew_lua.so exports' "$(declared lua_bindings/strew_lua.h)" "$(exported "$build/libstrew_lua.so")"
echo "exports: $passed passed, $failed failed"
[ "$failed" = 0 ]
