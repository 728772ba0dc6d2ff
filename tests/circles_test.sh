#!/bin/sh
# usage: sh tests/circles_test.sh BUILD
# Finds circles between .c files from their objects: file a depends on file b if a function of a refers to a symbol of
# b. Tables of functions do not count. Only runtime/core/base/devices.c may depend on opencl/ from below.
set -eu
cd "$(dirname "$0")/.."
objects=$1/obj
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The objects below folder $1 whose sources are in folder $2, or beside $1 if they are generated: earlier builds may have
# left others.
objects_of() {
  find "$1" -name '*.o' ! -name '*.avx*.o' ! -path '*/tests/*' ! -path '*/scripts/*' | LC_ALL=C sort |
    while read -r object; do
      source=${object#"$1"/} source=${source%.o}.c
      if [ -e "$2/$source" ] || [ -e "${1%/*}/$source" ]; then echo "$object"; fi
    done
}

# The dependencies among the objects of folder $1 with sources in folder $2, a line each: FILE FILE SYMBOL.
dependencies() {
  objects_of "$1" "$2" >"$scratch/objects"
  xargs nm -A -g --defined-only <"$scratch/objects" | sed -n 's/^\([^:]*\):[^ ]* [A-Z] \(.*\)$/defines \1 \2/p' >"$scratch/symbols"
  LC_ALL=C xargs objdump -r <"$scratch/objects" | awk -v root="$1/" '
    function file(object) { sub("^" root, "", object); sub(/\.o$/, ".c", object); return object }
    $1 == "defines" { home[$3] = file($2); next }
    / file format / { sub(/:$/, "", $1); from = file($1); next }
    /^RELOCATION RECORDS FOR / { code = $4 ~ /^\[\.text/; next }
    code && NF == 3 {
      sub(/[-+]0x[0-9a-f]+$/, "", $3)
      if ($3 in home && home[$3] != from && !seen[from, home[$3]]++) print from, home[$3], $3
    }' "$scratch/symbols" -
}

# Prints the files of circles; nothing if there are none.
circles() { # DEPENDENCIES
  cut -d ' ' -f 1,2 "$1" | LC_ALL=C tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^ ]*\.c\)$/\1/p' | LC_ALL=C sort -u
}

passed=0 failed=0
verdict() { # NAME WRONG: error text; empty: passed
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1:"
    echo "$2" | sed 's/^/  /'
  fi
}

dependencies "$objects" . >"$scratch/all"
files=$(wc -l <"$scratch/objects") arrows=$(wc -l <"$scratch/all")
verdict 'dependencies are found' "$([ "$arrows" -gt "$files" ] || echo "only $arrows among $files files")"
verdict 'files depend on one another in a circle' "$(circles "$scratch/all" | while read -r file; do
  grep "^$file " "$scratch/all" || :
done)"
verdict 'dependencies go downward' "$(grep -E '^(runtime/.* (opencl|lua_bindings)|opencl/.* lua_bindings)/' "$scratch/all" |
  grep -v '^runtime/core/base/devices\.c opencl/[^ ]* opencl_find_devices$' || :)"

# The test finds a planted circle.
mkdir -p "$scratch/planted/runtime" "$scratch/planted/obj/runtime"
for pair in 'one two' 'two one'; do
  # shellcheck disable=SC2086
  set -- $pair
  echo "void $2(void); void $1(void); void $1(void) { $2(); }" >"$scratch/planted/runtime/$1.c"
  ${CC:-cc} -c -o "$scratch/planted/obj/runtime/$1.o" "$scratch/planted/runtime/$1.c"
done
dependencies "$scratch/planted/obj" "$scratch/planted" >"$scratch/planted.txt"
verdict 'a planted circle is found' "$([ "$(circles "$scratch/planted.txt" | wc -l)" = 2 ] || echo 'not found')"

echo "circles: $files files, $arrows dependencies"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
