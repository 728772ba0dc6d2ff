#!/bin/sh
# usage: sh tests/include_rules.sh [ROOT]
# The rules of #include: OpenCL's headers stay in opencl/, Lua's in lua_bindings/ and tests/; of the runtime the
# bindings include strew.h, the tables and embedded.h; the core includes strew_core.h; a folder includes only from itself and from the levels below, a
# room (runtime/ROOM, opencl/ROOM) only from itself and from the rooms below; runtime/core/base and the CPU's loops know
# no call; headers form no circle. Two of layout and language: a divider, a comment of
# dashes and a title, ends on its line or has text after an empty line; what OpenCL C reads has no variadic macro. One of
# Lua: the library's own calls no method of strings.
set -eu
cd "${1:-$(dirname "$0")/..}"
edges=$(mktemp) includes=$(mktemp)
trap 'rm -f "$edges" "$includes"' EXIT
passed=0 failed=0

verdict() { # error text; empty: passed
  if [ -z "$1" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1"
  fi
}

# Levels of the folders: each may include from those below.
level_of() {
  case $1 in
    runtime*) echo 1 ;;
    opencl*) echo 2 ;;
    lua_bindings*) echo 3 ;;
    *) echo 4 ;;
  esac
}

# The number of the room of file $1, which may include from those with lower numbers; nothing outside of rooms.
rooms='core text_time elementwise reduce order groups linalg programs files interchange'
room_of() {
  case $1 in runtime/*/* | opencl/*/*) ;; *) return ;; esac
  number=0 name=${1#*/}
  for room in $rooms; do
    number=$((number + 1))
    [ "$room" != "${name%%/*}" ] || echo $number
  done
}

# The file that #include "$2" names in a file of folder $1; nothing if the build generates it.
find_header() {
  for folder in "$1" . runtime lua_bindings tests; do
    if [ -e "$folder/$2" ]; then
      echo "$folder/$2" | sed 's|^\./||'
      return
    fi
  done
}

# The error in file $1 including <$2>, or nothing.
check_system() {
  case $1:$2 in
    opencl/*:CL/* | tests/fake_opencl.c:CL/*) ;;
    *:CL/*) echo 'OpenCL is known in opencl/ only' ;;
    runtime/files/archive.c:zip.h) ;;
    runtime/files/png.c:png.h) ;;
    runtime/files/gzip.c:zlib.h | lua_bindings/core/texts.c:zlib.h) ;;
    *:zlib.h) echo 'zlib is known in gzip.c and texts.c only' ;;
    *:png.h) echo 'libpng is known in png.c only' ;;
    *:zip.h) echo 'libzip is known in archive.c only' ;;
    lua_bindings/*:lua.h | lua_bindings/*:lauxlib.h | lua_bindings/*:lualib.h) ;;
    tests/*:lua.h | tests/*:lauxlib.h | tests/*:lualib.h) ;;
    *:lua.h | *:lauxlib.h | *:lualib.h | *:luaconf.h) echo 'Lua is known in lua_bindings/ and tests/ only' ;;
    lua_bindings/mpi/*:mpi.h) ;;
    *:mpi.h) echo 'MPI is known in lua_bindings/mpi/ only' ;;
    runtime/strew_core.h:stddef.h | runtime/strew_core.h:stdint.h | runtime/strew_core.h:stdbool.h | runtime/strew.h:strew_core.h) ;;
    runtime/strew*.h:*) echo 'strew_core.h needs stddef.h, stdint.h and stdbool.h alone' ;;
  esac
}

# The error in file $1 including file $2 of a room above it, or nothing.
check_rooms() {
  case $1:$2 in # programs are described, though not computed, in the core; and where a device runs them all, computed
    runtime/core/cpu/program.h:runtime/elementwise/cpu/elementwise_loops.h | opencl/core/instructions.c:runtime/programs/combine_ops.h) return ;;
    opencl/core/kernels/*:runtime/elementwise/shared/* | runtime/elementwise/random.c:runtime/order/order_ops.h) return ;;
  esac
  from=$(room_of "$1") to=$(room_of "$2")
  [ "${from:-99}" -ge "${to:-0}" ] || echo "rooms depend downward: $rooms"
}

# The error in file $1 including "$2", which is the file $3, or nothing.
check_own() {
  case $1:$3 in
    runtime/strew.h:runtime/strew_core.h) ;;
    runtime/strew*.h:*) echo 'strew.h stands alone, strew_core.h below it' ;;
    lua_bindings/mpi/*:lua_bindings/mpi/* | lua_bindings/mpi/*:lua_bindings/strew_lua.h | lua_bindings/mpi/*:runtime/core/base/embedded.h) ;;
    lua_bindings/mpi/*:?*) echo 'strew.mpi sees strew_lua.h, strew.h with it, and embedded.h alone' ;;
    *:lua_bindings/mpi/*) echo 'strew.mpi is a module of its own' ;;
    lua_bindings/*:lua_bindings/* | lua_bindings/*:runtime/strew.h | lua_bindings/*:runtime/core/shared/tables.h) ;;
    lua_bindings/*:runtime/core/base/embedded.h) ;;
    lua_bindings/*:?*) echo 'the bindings see strew.h, tables.h and embedded.h alone' ;;
    runtime/core/base/devices.c:runtime/core/cpu/cpu.h) ;;
    runtime/core/base/operations.h:runtime/strew.h | runtime/core/base/elementwise_ops.h:runtime/strew.h | runtime/core/base/steps.h:runtime/strew.h) ;;
    runtime/core/*:runtime/strew.h | opencl/core/*:runtime/strew.h) echo 'the core sees strew_core.h alone, but where it names what other rooms compute' ;;
    runtime/core/base/*:runtime/core/base/* | runtime/core/base/*:runtime/core/shared/* | runtime/core/base/*:runtime/strew_core.h) ;;
    runtime/core/base/*:runtime/core/*) echo 'what every call stands on knows no call' ;;
    runtime/*/cpu/*:runtime/*/cpu/* | runtime/*/cpu/*:runtime/*/shared/* | runtime/*/cpu/*:runtime/*/*_ops.h) check_rooms "$1" "$3" ;;
    runtime/*/cpu/*:runtime/core/base/* | runtime/groups/cpu/*:runtime/groups/key_table.h) ;;
    runtime/*/cpu/*:?*) echo 'a device knows plans, not calls' ;;
    runtime/*:runtime/* | opencl/*:runtime/* | opencl/*:opencl/*) check_rooms "$1" "$3" ;;
    *:?*) [ "$(level_of "$3")" -le "$(level_of "$1")" ] || echo 'dependencies go downward' ;;
    *) ;;
  esac
}

for folder in runtime opencl lua_bindings tests; do
  [ ! -d "$folder" ] || grep -rEn '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' --include='*.inc' "$folder" || :
done |
  sed -nE 's/^([^:]*):([0-9]+):[^<"]*([<"])([^>"]*)[>"].*/\1 \2 \3 \4/p' >"$includes"

while read -r file line mark header; do
  # Headers of other projects are treated alike in both spellings: <lua.h> and "lua.h".
  wrong=$(check_system "$file" "$header")
  if [ -z "$wrong" ] && [ "$mark" = '"' ]; then
    target=$(find_header "$(dirname "$file")" "$header")
    wrong=$(check_own "$file" "$header" "$target")
    case $file:$target in *.h:*.h) echo "$file $target" >>"$edges" ;; esac
  fi
  verdict "${wrong:+$file:$line: $header: $wrong}"
done <"$includes"

[ -s "$includes" ] || verdict 'no include was found at all'
if circle=$(tsort "$edges" 2>&1 >/dev/null); then circle=; fi
verdict "${circle:+headers include one another in a circle: $(echo "$circle" | sed -n 's|^tsort: \([^ ]*\)$|\1|p' | tr '\n' ' ')}"

# Prints FILE:LINE of each divider that is too wide, or whose end stands alone on the next line, where some versions of
# clang-format put it.
wrong_dividers() {
  for folder in runtime opencl lua_bindings tests scripts; do
    [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -o -name '*.inc' -o -name '*.cl' -o -name '*.[ch]pp'
  done | LC_ALL=C sort | xargs awk '
    FNR == 1 { is_open = 0 }
    /----------/ && length > 120 { print FILENAME ":" FNR ": a divider of more than 120 columns" }
    is_open && /^[[:space:]]*\*\/[[:space:]]*$/ { print FILENAME ":" FNR - 1 ": a divider without its end on its line" }
    { is_open = /^[[:space:]]*\/\* ?----------/ && !/\*\// }'
}
verdict "$(wrong_dividers)"

# OpenCL C 1.2 has no variadic macros (6.9.e): NVIDIA's compiler refuses them, others accept them without a warning.
# Files that C compiles as well may have them where OpenCL C does not look.
variadic() { # FOLDER...: FILE:LINE of each such macro
  grep -nE '^[[:space:]]*#[[:space:]]*define.*(\.\.\.\)|__VA_ARGS__)' "$@" | cut -d: -f1,2 | sed 's/$/: a variadic macro in OpenCL C/'
}
kernels=$(find opencl/*/kernels runtime/*/shared -type f 2>/dev/null) || :
# shellcheck disable=SC2086
verdict "${kernels:+$(variadic $kernels)}"

# A step in the arguments of STEP: if it fails, the call still runs, with NULL.
nested_steps() {
  # shellcheck disable=SC2016 # awk has its own
  [ ! -d runtime ] || find runtime -name '*.c' | LC_ALL=C sort | xargs awk '
    FNR == 1 { text = "" }
    text == "" && /(^|[^A-Z_])STEP\(/ { text = " "; line = FNR; sub(/.*STEP\(/, "") }
    text != "" { text = text $0 }
    text != "" && /;/ { if (text ~ /[^a-z_]step_[a-z_]+\(/) print FILENAME ":" line ": a step in the arguments of STEP"; text = "" }'
}
verdict "$(nested_steps)"

# Lua of the library calls string.find(text, ...): text:find(...) is what a script has put in its place.
string_methods() {
  find lua_bindings -name '*.lua' ! -path '*/program/*' ! -name which.lua ! -name recipes.lua ! -name strew.lua | LC_ALL=C sort | xargs grep -nE \
    "[])A-Za-z0-9_\"']:(byte|find|format|gmatch|gsub|len|lower|match|rep|reverse|sub|upper) *[({\"'[]" /dev/null |
    cut -d: -f1,2 | sed 's/$/: a method of strings, which scripts may replace/'
}
verdict "$(string_methods)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
