#!/bin/sh
# usage: CC=cc sh tests/exports_test.sh BUILD [write]
# The symbols of the libraries, against tests/data/exports.txt: the names that each exports (write: makes the list
# anew), and the objects in writable memory, which are all that could be state outside of a context. Public declarations
# are exported, and exports are declared. Archives export no more than the shared libraries: a host may use any other
# name.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CC=cc}"
build=$1 list=tests/data/exports.txt
passed=0 failed=0

same() { # NAME EXPECTED GOT
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1 (- expected, + found; tests/exports_test.sh $build write makes the list anew):"
    echo "$2" >"$here/expected"
    echo "$3" | diff -u "$here/expected" - | sed '1,2d' | grep '^[-+]'
  fi
}
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT

exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }
declared() { grep -hv '^#' "$@" | tr '\n' ' ' | grep -oE 'STREW_(API|INLINE)[^;]*;' | sed -E 's/^[^(]*\b([a-z_]+)\(.*/\1/' | sort; }
# File and name. (Compilers mark objects of functions, gcc with a number behind, clang with the function before.)
writable() {
  nm -A -f sysv "$1" | awk -F'|' '$7 ~ /\.(bss|data)($|\.[^r])/ && $4 ~ /OBJECT/ { print $1 }' |
    sed -E 's/^[^:]*:([^:]*\.o):/\1 /; s/ *$//; s/\.[0-9]+$//; s/ [a-z_]+\./ /' | sort
}

found() {
  for library in libstrew.so libstrew_lua.so; do
    exported "$build/$library" | sed "s/^/$library /"
  done
  writable "$build/obj/libstrew.a" | sed 's/^/libstrew.a writable /'
  writable "$build/libstrew_lua.a" | sed 's/^/libstrew_lua.a writable /'
}

if [ "${2-}" = write ]; then
  found >"$list"
  exit
fi
same 'exports and writable objects' "$(cat "$list")" "$(found)"
same 'strew.h and strew_core.h are what libstrew.so exports' "$(declared runtime/strew_core.h runtime/strew.h)" "$(exported "$build/libstrew.so")"
{ exported "$build/libstrew.so" && exported "$build/libstrew_lua.so"; } | sort >"$here/both"
same 'strew.so exports what both libraries do' "$(cat "$here/both")" "$(exported "$build/strew.so")"
same 'the program exports both' '' "$(exported "$build/strew" | comm -23 "$here/both" -)"
same 'strew_lua.h is what libstrew_lua.so exports' "$(declared lua_bindings/strew_lua.h)" "$(exported "$build/libstrew_lua.so")"

# ----------------------------------------------------------------------------------------------------------- archives

globals() { nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort; }
for library in libstrew libstrew_lua; do
  same "$library.a shows what $library.so does" "$(exported "$build/$library.so")" "$(globals "$build/$library.a")"
done

# A host with a function for each internal name of the library.
globals "$build/obj/libstrew.a" | grep -v '^strew_' | sort -u >"$here/names"
sed 's/.*/int &(void);\nint &(void) { return 7; }/' "$here/names" >"$here/names.c"
cat >"$here/host.c" <<'END'
#include "strew.h"
#include <stdio.h>
int fail(void);
int main(void) {
  strew_error error = {0};
  strew_context *context = NULL;
  strew_device *device = NULL;
  strew_tensor *tensor = NULL, *sum = NULL;
  strew_scalar value = strew_int(0);
  const int64_t size = 100000;
  if (strew_context_create(NULL, &context, &error) || strew_device_find(context, NULL, &device, &error) ||
      strew_full(device, STREW_INT64, 1, &size, strew_int(fail()), &tensor, &error) ||
      strew_reduce_with(STREW_FOLD_SUM, tensor, NULL, &sum, &error) || strew_item(sum, &value, &error))
    puts(error.message);
  printf("%lld\n", (long long)value.as.i);
  strew_release(tensor);
  strew_release(sum);
  strew_context_release(context);
  return 0;
}
END
link() { $CC -std=c11 -fno-builtin -Iruntime -o "$here/host" "$here/host.c" "$here/names.c" "$1" -lpthreadpool -lm -ldl -pthread; }
same 'the files share names' '' "$([ "$(grep -cx 'fail\|cl\|clock_ns' "$here/names")" -ge 2 ] || cat "$here/names")"
same 'a host with functions of those names runs' 700000 "$(link "$build/libstrew.a" 2>&1 && "$here/host")"

same 'inline functions of headers are STREW_INLINE' '' "$(grep -n '^static inline' runtime/strew.h runtime/strew_core.h)"
# Another language, which has no header, calls the header's inline functions, too.
cat >"$here/foreign.c" <<'END'
#include "strew.h"
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments) {
  void *library = dlopen(arguments[count - 1], RTLD_NOW);
  strew_scalar (*of_int)(int64_t), (*of_float)(double), (*of_bool)(bool);
  strew_operand (*number)(strew_scalar), (*of)(strew_tensor *), (*none)(void);
  *(void **)&of_int = dlsym(library, "strew_int"), *(void **)&of_float = dlsym(library, "strew_float");
  *(void **)&of_bool = dlsym(library, "strew_bool"), *(void **)&number = dlsym(library, "strew_number");
  *(void **)&of = dlsym(library, "strew_of"), *(void **)&none = dlsym(library, "strew_no_operand");
  printf("%d %d %d ", (int)of_int(7).as.i, (int)of_float(2.5).dtype == STREW_FLOAT64, (int)of_bool(true).as.i);
  printf("%d %d %d\n", (int)number(of_int(9)).number.as.i, !of(NULL).tensor, (int)none().number.dtype);
  return 0;
}
END
foreign() { $CC -std=c11 -Iruntime -o "$here/foreign" "$here/foreign.c" -ldl && "$here/foreign" "$(realpath "$build/libstrew.so")"; }
same 'inline functions are symbols' '7 1 1 9 1 0' "$(foreign 2>&1)"

echo "exports: $passed passed, $failed failed"
[ "$failed" = 0 ]
