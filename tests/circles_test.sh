#!/bin/sh
# usage: sh tests/circles_test.sh BUILD
# Finds circles between .c files from their objects: file a depends on file b if a function of a refers to a symbol of
# b. Rooms of runtime/, and those of opencl/, depend on rooms below them only, in their tables of functions, too; of the
# 45 arrows that the ten rooms of runtime/ could have, at most MOST are there. Through the tables below, which are NULL in
# a build without their room, a room may call rooms above it: they do not count. Only runtime/core/base/devices.c may
# depend on opencl/ from below.
set -eu
cd "$(dirname "$0")/.."
objects=$1/obj
rooms='core text_time elementwise reduce order groups linalg programs files interchange'
tables='^(text_ops|exact_scatters|row_ops|(cpu|opencl)_(elementwise|random|reduce|exact|order|linalg|group|combine)_ops)$'
MOST=20
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

# The dependencies among the objects of folder $1 with sources in folder $2, a line each: FILE FILE SYMBOL code, or table.
dependencies() {
  objects_of "$1" "$2" >"$scratch/objects"
  xargs nm -A -g --defined-only <"$scratch/objects" | sed -n 's/^\([^:]*\):[^ ]* [A-Z] \(.*\)$/defines \1 \2/p' >"$scratch/symbols"
  LC_ALL=C xargs objdump -r <"$scratch/objects" | awk -v root="$1/" -v tables="$tables" '
    function file(object) { sub("^" root, "", object); sub(/\.o$/, ".c", object); return object }
    $1 == "defines" { home[$3] = file($2); next }
    / file format / { sub(/:$/, "", $1); from = file($1); next }
    /^RELOCATION RECORDS FOR / { kind = $4 ~ /^\[\.text/ ? "code" : $4 ~ /^\[\.data/ ? "table" : ""; next }
    kind && NF == 3 {
      sub(/[-+]0x[0-9a-f]+$/, "", $3)
      if ($3 !~ tables && $3 in home && home[$3] != from && !seen[from, home[$3], kind]++) print from, home[$3], $3, kind
    }' "$scratch/symbols" -
}

# Prints the files of circles; nothing if there are none.
circles() { # DEPENDENCIES
  sed -n 's/^\([^ ]* [^ ]*\) .* code$/\1/p' "$1" | LC_ALL=C tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^ ]*\.c\)$/\1/p' | LC_ALL=C sort -u
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
files=$(wc -l <"$scratch/objects") arrows=$(grep -c 'code$' "$scratch/all")
verdict 'dependencies are found' "$([ "$arrows" -gt "$files" ] || echo "only $arrows among $files files")"
verdict 'files depend on one another in a circle' "$(circles "$scratch/all" | while read -r file; do
  grep "^$file .* code$" "$scratch/all" || :
done)"
verdict 'dependencies go downward' "$(grep -E '^(runtime/.* (opencl|lua_bindings)|opencl/.* lua_bindings)/' "$scratch/all" |
  grep -v '^runtime/core/base/devices\.c opencl/[^ ]* opencl_find_devices ' || :)"

# The arrows between rooms of folder $2, a line each: FROM TO FILE FILE SYMBOL.
arrows() { # DEPENDENCIES FOLDER
  awk -v top="$2" '{
    split($1, from, "/"); split($2, to, "/")
    if (from[1] == top && to[1] == top && from[2] != to[2] && !seen[from[2], to[2]]++) print from[2], to[2], $0
  }' "$1"
}
upward() {
  awk -v rooms="$rooms" 'BEGIN { for (i = split(rooms, name, " "); i; i--) place[name[i]] = i } place[$1] < place[$2]'
}
verdict 'rooms depend downward' "$({ arrows "$scratch/all" runtime; arrows "$scratch/all" opencl; } | upward)"
between=$(arrows "$scratch/all" runtime | wc -l)
verdict "there are at most $MOST arrows between rooms" "$([ "$between" -le $MOST ] || arrows "$scratch/all" runtime)"

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
# And an arrow that goes up through a table.
mkdir -p "$scratch/planted/runtime/core" "$scratch/planted/runtime/groups" "$scratch/planted/obj/runtime/core" "$scratch/planted/obj/runtime/groups"
echo 'void three(void); void three(void) {}' >"$scratch/planted/runtime/groups/three.c"
echo 'void three(void); void (*const table[])(void) = {three};' >"$scratch/planted/runtime/core/four.c"
for file in groups/three core/four; do
  ${CC:-cc} -fPIC -c -o "$scratch/planted/obj/runtime/$file.o" "$scratch/planted/runtime/$file.c"
done
dependencies "$scratch/planted/obj" "$scratch/planted" >"$scratch/planted.txt"
verdict 'a planted table is found' "$([ "$(arrows "$scratch/planted.txt" runtime | upward | wc -l)" = 1 ] || echo 'not found')"

echo "circles: $files files, $arrows dependencies; $between of 45 arrows between rooms of runtime/"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
