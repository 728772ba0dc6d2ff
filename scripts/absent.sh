#!/bin/sh
# usage: CC=cc sh scripts/absent.sh PARTS OBJECT...
# Writes the functions of strew.h that these objects lack, for the Lua module of a build with PARTS: calls that can fail
# do, and say why; others return zeros, or an empty text.
set -eu
parts=$1
shift
cat <<'END'
#include "runtime/strew.h"
#include <string.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"
END
{
  nm -g --defined-only "$@" | awk 'NF == 3 { print "has", $3 }'
  ${CC:-cc} -E -P -Iruntime -x c runtime/strew.h | tr '\n' ' ' | sed 's/[;{}]/&\n/g' |
    sed -n 's/^ *__attribute__((visibility("default"))) *\(.*[ *]\)\(strew_[a-z0-9_]*\)(\(.*\)) *;$/declares|\1|\2|\3/p'
} | awk -F'|' -v parts="$parts" '
  /^has / { sub(/^has /, ""); has[$0]; next }
  !($3 in has) {
    printf "%s%s(%s) {\n", $2, $3, $4
    if ($2 ~ /strew_status/ && $4 ~ /strew_error \*error$/)
      printf "  return !error ? STREW_EARGUMENT : strew_error_set(error, STREW_EARGUMENT, NULL, \"is no call of this build, which has PARTS=%s\");\n", parts
    else if ($4 ~ /[^t] char \*text$/)
      print "  return *text = 0, text;"
    else if ($2 !~ /^void *$/)
      printf "  %s none;\n  memset(&none, 0, sizeof none);\n  return none;\n", $2
    print "}"
  }'
