#!/bin/sh
# usage: CC=cc sh tests/core_test.sh BUILD
# The core alone, in a build with PARTS=core: strew_core.h declares what libstrew_core exports, and a program needs no
# other header and no other library.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CC=cc}"
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

cp runtime/strew_core.h "$here"
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
host() { $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$here" -o "$here/host" "$here/host.c" "$@" && LD_LIBRARY_PATH="$build" "$here/host"; }
same 'a program with strew_core.h and libstrew_core.so' "$expected" "$(host -L"$build" -lstrew_core 2>&1)"
same 'with libstrew_core.a' "$expected" "$(host "$build/libstrew_core.a" -lpthreadpool -lm -ldl -pthread 2>&1)"

echo "core: $passed passed, $failed failed"
[ "$failed" = 0 ]
