#!/bin/sh
# usage: CC=cc MAKE=make sh tests/core_test.sh BUILD
# The core alone, in a build with PARTS=core: strew_core.h declares what libstrew_core exports, a program needs no other
# header and no other library, and the Lua module has the calls of core_spec.lua. MODULES: the folder of busted's.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CC=cc}" "${MAKE=make}"
build=$1 passed=0 failed=0
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT

same() { # NAME EXPECTED GOT
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: expected\n%s\nnot\n%s\n' "$1" "$2" "$3"
  fi
}

exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }
declared() { grep -hv '^#' "$@" | tr '\n' ' ' | grep -oE 'STREW_(API|INLINE)[^;]*;' | sed -E 's/^[^(]*\b([a-z_]+)\(.*/\1/' | sort; }
declared runtime/strew_core.h >"$here/declared"
exported "$build/libstrew_core.so" >"$here/exported"
same 'strew_core.h is what libstrew_core.so exports' '' "$(diff "$here/declared" "$here/exported" | grep '^[<>]')"

"$MAKE" PARTS=core BUILD="$build" PREFIX="$here/place" install >"$here/log" 2>&1 || cat "$here/log"
same 'the headers that are installed' strew_core.h "$(ls "$here/place/include")"
PKG_CONFIG_PATH="$here/place/lib/pkgconfig" && export PKG_CONFIG_PATH
cat >"$here/host.c" <<'END'
#include "strew_core.h"
#include <stdio.h>
int main(void) {
  strew_error error = {0};
  strew_context *context = NULL;
  strew_device *cpu = NULL;
  strew_tensor *src = NULL, *index = NULL, *sums = NULL, *first = NULL;
  const strew_scatter_options adds = {.reduction = STREW_SUM};
  const int64_t size = 4, three = 3;
  const float values[] = {1, 2, 3, 4};
  const int64_t places[] = {2, 0, 2, 0};
  float sum[3] = {0};
  if (strew_context_create(NULL, &context, &error) || strew_device_find(context, "cpu", &cpu, &error) ||
      strew_from(cpu, STREW_FLOAT32, 1, &size, values, &src, &error) ||
      strew_from(cpu, STREW_INT64, 1, &size, places, &index, &error) ||
      strew_full(cpu, STREW_FLOAT32, 1, &three, strew_int(0), &sums, &error) ||
      strew_scatter(sums, 0, index, strew_of(src), &adds, &sums, &error) || strew_read(sums, sum, sizeof sum, &error))
    puts(error.message);
  printf("%g %g %g\n", sum[0], sum[1], sum[2]);
  if (strew_narrow(sums, 0, 2, 2, &first, &error)) puts(error.message);
  strew_release(src);
  strew_release(index);
  strew_release(sums);
  strew_context_release(context);
  return 0;
}
END
expected='6 0 4
narrow: '\''length'\'' is 2, out of range from start 2 in dim 0 of self (size 3, valid 0..1)
  self  float32[3] cpu'
# shellcheck disable=SC2046 # flags are words
host() { $CC -std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags strew-core) -o "$here/host" "$here/host.c" "$@" && LD_LIBRARY_PATH="$here/place/lib" "$here/host"; }
# shellcheck disable=SC2046
same 'a program with strew_core.h and libstrew_core.so' "$expected" "$(host $(pkg-config --libs strew-core) 2>&1)"
same 'with libstrew_core.a' "$expected" "$(host "$here/place/lib/libstrew_core.a" -lpthreadpool -lm -ldl -pthread 2>&1)"

: "${MODULES=$(pkg-config --variable=INSTALL_CMOD lua5.4)}"
spec=$(STREW_TEST_PARTS=core LUA_CPATH="$build/?.so;$MODULES/?.so" lua5.4 /usr/bin/busted --output=plainTerminal tests/spec/core_spec.lua 2>&1)
case $spec in *' 0 failures / 0 errors'*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) && echo "FAILED the Lua module: $spec" ;; esac

page=$here/place/share/doc/strew/c.html
same 'the page has these functions alone' 'strew_scatter' "$(grep -oE 'id="strew_(scatter|sort_with|expr_parse)"' "$page" | cut -d'"' -f2)"
"$MAKE" PARTS=core BUILD="$build" PREFIX="$here/place" uninstall >"$here/log" 2>&1 || cat "$here/log"
same 'nothing is left of it' '' "$(find "$here/place" ! -type d)"

echo "core: $passed passed, $failed failed"
[ "$failed" = 0 ]
