#!/bin/sh
# usage: CC=cc CXX=c++ MAKE=make sh tests/hosts_test.sh BUILD [SANITIZE]
# strew for other programs: installed in a folder of its own, and found through pkg-config. The installed files, and
# uninstalling; the headers alone, in C and in C++; scripts/hosts, built and run. With SANITIZE (thread): only the hosts
# with threads, under that sanitizer.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 sanitize=${2-}
: "${CC=cc}" "${CXX=c++}" "${MAKE=make}"
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
prefix="$here/a place"
passed=0 failed=0
version=$(sed -n 's/^#define STREW_VERSION_[MP][A-Z]* *//p' "$root/runtime/strew_core.h" | paste -sd.)

# same NAME EXPECTED GOT
same() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: expected\n%s\nnot\n%s\n' "$1" "$2" "$3"
  fi
}

make_target() { (cd "$root" && $MAKE ${sanitize:+SANITIZE=$sanitize} BUILD="$build" PREFIX="$prefix" "$@") 2>&1; }
files() { (cd "$1" && find . ! -type d | sort); }

# ------------------------------------------------------------------------------------- installed and taken away again

mpi=$([ ! -e "$root/$build/modules/strew/mpi.so" ] || echo built)
all_files="./bin/strew
./include/strew.h
./include/strew.hpp
./include/strew_core.h
./include/strew_lua.h
./lib/cmake/strew/strewConfig.cmake
./lib/cmake/strew/strewConfigVersion.cmake
./lib/libstrew.a
./lib/libstrew.so
./lib/libstrew.so.0
./lib/libstrew.so.$version
./lib/libstrew_lua.a
./lib/libstrew_lua.so
./lib/libstrew_lua.so.0
./lib/libstrew_lua.so.$version
./lib/lua/5.4/strew.so${mpi:+
./lib/lua/5.4/strew/mpi.so}
./lib/pkgconfig/strew-lua.pc
./lib/pkgconfig/strew.pc
./share/doc/strew/LICENSE
./share/doc/strew/c.html
./share/doc/strew/index.html
./share/man/man1/strew.1
./share/strew/luacats/strew.lua"

# The archive of a commit has the same bytes whenever it is made, and a checksum that sha256sum takes.
test_dist() {
  [ -e "$root/.git" ] || { echo 'not in a clone: make dist is left out'; return; }
  make_target dist >"$here/log" && sums=$(cat "$build"/strew-*.sha256) && sleep 1 && make_target dist >"$here/log"
  same 'make dist again' "$sums" "$(cat "$build"/strew-*.sha256)"
  same 'its checksum' 'OK' "$(cd "$build" && sha256sum -c "strew-$version.tar.gz.sha256" 2>&1 | sed 's/.*: //')"
}

test_install() {
  stage="$here/stage"
  mkdir -p "$prefix/lib/lua/5.4" "$stage"
  echo other >"$prefix/lib/lua/5.4/other.so"
  same 'make install DESTDIR= says where' "installed: $stage$prefix/bin/strew" \
    "$(make_target install DESTDIR="$stage" | grep -v '^  ' | cut -d, -f1)"
  same 'what is staged' "$all_files" "$(files "$stage$prefix")"
  same 'no word of the stage' '' "$(grep -rl "$stage" "$stage")"
  same 'make uninstall DESTDIR=' '' "$(make_target uninstall DESTDIR="$stage")"
  same 'nothing is left' '' "$(files "$stage")"
  (umask 077 && make_target install) >"$here/log" || cat "$here/log"
  make_target uninstall
  same "another's file stays" './lib/lua/5.4/other.so' "$(files "$prefix")"
  rm "$prefix/lib/lua/5.4/other.so"
  (umask 077 && make_target install) >"$here/log" || cat "$here/log"
  same 'what is installed again' "$all_files" "$(files "$prefix")"
  same 'everybody may read it' '' "$(find "$prefix" ! -perm -a=r ! -type l)"
  same 'it has a name for the loader' 'libstrew.so.0' "$(readelf -d "$prefix/lib/libstrew.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')"
  world='local mpi = require "strew.mpi" print(mpi.zeros(3):collect():numel(), mpi.size())'
  [ -z "$mpi" ] || same 'it has strew.mpi' '3	1' "$("$prefix/bin/strew" -e "$world")"
  [ -z "$mpi" ] || same 'lua5.4 has strew.mpi' '3	1' "$(LUA_CPATH="$prefix/lib/lua/5.4/?.so" lua5.4 -e "$world")"
  same 'the program runs there' '42' "$("$prefix/bin/strew" -e 'print(strew.tensor{42}:item())')"
}

# ------------------------------------------------------------------------------------------------------------ headers

strict='-Wall -Wextra -Wpedantic -Wshadow -Werror'
# (pkg-config quotes blanks in paths with backslashes.)
flags() { pkg-config "$@"; }
compile() { eval "$*" || echo "failed: $*"; }

test_headers() {
  cat >"$here/alone.c" <<'END'
#include <strew.h>
#if STREW_VERSION_MAJOR != 0 || STREW_VERSION_MINOR < 1 || STREW_VERSION_PATCH < 0
#error "the version is not of this library's number"
#endif
static const char version[] = "strew " STREW_VERSION;
int main(void) {
  return !strew_version() || version[0] != 's';
}
END
  cp "$here/alone.c" "$here/alone.cpp"
  for compiler in "$CC" gcc clang; do
    command -v "${compiler%% *}" >/dev/null || { echo "hosts: $compiler is left out: it is not installed"; continue; }
    same "strew.h by $compiler" '' "$(compile "$compiler" -std=c11 "$strict" -Wmissing-prototypes -Wstrict-prototypes -fsyntax-only "$(flags --cflags strew)" "$here/alone.c" 2>&1)"
  done
  for compiler in "$CXX" g++ clang++; do
    command -v "${compiler%% *}" >/dev/null || { echo "hosts: $compiler is left out: it is not installed"; continue; }
    same "strew.h by $compiler" '' "$(compile "$compiler" -std=c++17 "$strict" -Wold-style-cast -fsyntax-only "$(flags --cflags strew)" "$here/alone.cpp" 2>&1)"
    same "strew.h in C++11 by $compiler" '' "$(compile "$compiler" -std=c++11 "$strict" -Wold-style-cast -fsyntax-only "$(flags --cflags strew)" "$here/alone.cpp" 2>&1)"
    for standard in 17 20; do
      same "strew.hpp in C++$standard by $compiler" 'wrapper: 81 passed, 0 failed' \
        "$(compile "$compiler" -std=c++$standard "$strict" -Wold-style-cast "$root/tests/wrapper_test.cpp" "$(flags --cflags --libs strew)" -o "$here/wrapper" 2>&1 && OCL_ICD_VENDORS=/dev/null/none "$here/wrapper" 2>&1)"
    done
  done
  echo '#include <strew.hpp>' >"$here/old.cpp"
  same 'strew.hpp in C++14' 'strew.hpp needs C++17' "$(compile "$CXX" -std=c++14 -fsyntax-only "$(flags --cflags strew)" "$here/old.cpp" 2>&1 | sed -n 's/.*#error "\(.*\)"$/\1/p' | sort -u)"
  # The header's names: its own prefix, and three standard headers.
  echo '#include <strew.h>' | compile "$CC" -std=c11 -E -dM "$(flags --cflags strew)" - | sort >"$here/with"
  printf '#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n' | $CC -std=c11 -E -dM - | sort >"$here/without"
  same 'macros without prefix' '' "$(comm -23 "$here/with" "$here/without" | grep -v '^#define STREW_')"
}

# -------------------------------------------------------------------------------------------------------------- hosts

# host NAME EXPECTED COMMAND...: builds scripts/hosts/NAME and runs it.
host() {
  name=$1 expected=$2
  shift 2
  same "$name" "$expected" "$(cd "$here" && compile "$*" 2>&1)"
}

wrapped='before   0 0 0 0
added    2.75 0 5 4
scatter: '\''index'\'' has value 7 at [4], out of range for dim 0 of self (size 4, valid 0..3)
  self   float32[4] cpu
  index  int32[6] cpu
  src    float32[6] cpu
still    2.75 0 5 4
3 arrays given back'
shared=' 2 2 0 2
 0.5 3 0 7.5
the vector: 2.5 0 1 8 3.5 7'
grouped='station 0: 4.00, a share of 0.34; most was 2.50, in reading 4
station 1: 3.00, a share of 0.26; most was 3.00, in reading 2
station 2: 4.75, a share of 0.40; most was 4.00, in reading 3
mul: '\''out'\'' has shape [3], the result has [6]
  self  float32[6] cpu
  out   float32[3] cpu (shape)'
filtered='before
|--------================================|
|--------===============+++++++++++======|
|--------==============+++++++++++++=====|
|--------=============+++++++++++++++====|
|--------=============+++++++++++++++====|
|--------=============+++++++++++++++====|
|--------==============+++++++++++++=====|
|--------===============+++++++++++======|
|--------================================|
|--------================================|
equalise
|      ....::::----====++++++++++******##|
|      ....::::----====+###########****##|
|      ....::::----====#############***##|
|      ....::::----===###############**##|
|      ....::::----===###############**##|
|      ....::::----===###############**##|
|      ....::::----====#############***##|
|      ....::::----====+###########****##|
|      ....::::----====++++++++++******##|
|      ....::::----====++++++++++******##|
blur
|     ....::::----====+++***************#|
|     ....::::----====++********##******#|
|     ....::::----===++*############****#|
|     ....::::----===+*##############***#|
|     ....::::----===+*##############***#|
|     ....::::----===+*##############***#|
|     ....::::----===++*############****#|
|     ....::::----====++********##******#|
|     ....::::----====+++***************#|
|     ....::::----====++++++++++********#|
lent 2 times, given back 2 times; 240 of 240 bytes between the rows as before'
served='4.5
time limit of 1 s exceeded
time limit of 1 s exceeded
out of memory: 2 MiB
'\''index'\'' has value 9 at [1], out of range for dim 0 of self (size 4, valid 0..3)
neither files nor processes
stopped, it continued after exceeding a limit
4 clients, 7 scripts each, 0 answers differ'
required="strew $version, Lua 5.4
int64[3] cpu
 1  2  3
require.lua:7: gather: 'index' has value 6 at [0], out of range for dim 0 of self (size 6, valid 0..5)
  self   int64[6] cpu
  index  int64[1] cpu
  hint   was it counted from 1? index - 1 counts from 0"
formulas='uint8[2, 4] cpu
   8   39   68   75
  98  156  185  165
uint8[2, 12] cpu
   0    0    2   30    0   10  195    0   25  165    0   47
 120  255   77  150  255  113   75  255  157   45  255  207
formula: '\''text'\'' has '\'')'\'', expected a value
  text  clamp(r * 2, 0, )
                        ^
bitwise_and: '\''self'\'' is float32, bitwise_and takes integers and bools
  self  float32[2, 4] cpu
  text  (r > 0.5) + (r & 1)
                       ^
formula: '\''z'\'' is unknown, expected r, g, b, x or y'
shown='script 1
  | heights	int64[] cpu  10
  smoothing, 25 %
  smoothing, 50 %
  smoothing, 75 %
  smoothing, 100 %
script 2
script:2: gather: '\''index'\'' has value 3 at [0], out of range for dim 0 of self (size 3, valid 0..2)
  self   int64[3] cpu
  index  int64[1] cpu
  hint   was it counted from 1? index - 1 counts from 0
stack traceback:
	script:2: in function '\''part'\''
	script:5: in function '\''whole'\''
	script:7: in main chunk
script 3
cancelled
script 4
  | as before'
solved='step 0: 0.8026 left, 0.0000 right
step 1: 1.5175 left, 0.0000 right
step 2: 2.1645 left, 0.0000 right
step 3: 1.9515 left, 0.8026 right
step 4: 1.7761 left, 1.5175 right
step 5: 1.6239 left, 2.1645 right
[string "function source(x) x[0] = 7 end"]:1: t[i] = v: '\''self'\'' is read-only memory of the host, it cannot be written
  self  float64[8000] cpu
  hint  self:clone() may be written
x[0] is 0'
heard=' 0 0.35 E
 1 0.36 E
 2 0.36 E
 3 0.35 E
 4 0.35 E
 5 0.35 E
 6 0.36 E
 7 0.35 b
 8 0.35 b
 9 0.36 b
10 0.35 b
11 0.35 b
12 0.35 A
13 0.35 A
14 0.35 A
15 0.35 A
16 0.35 A
17 0.35 e
18 0.00 quiet 1
19 0.00 quiet 2'
by_python='4.0 3.0 4.75
scatter_sum: '\''index'\'' has value 7 at [4], out of range for dim 0 of out (size 3, valid 0..2)
  src    float32[6] cpu
  index  int64[6] cpu
  out    float32[3] cpu
4.0 3.0 4.75'
plugged='loaded 10000 times, the answer is 572, others 0; libstrew is gone
since the 999th time: no memory, thread, file or mapping more'

test_hosts() {
  cp "$root"/scripts/hosts/* "$here"
  c="$CC -std=c11 $strict -pthread" cc="$CXX -std=c++17 $strict"
  strew=$(flags --cflags --libs strew) lua=$(flags --cflags --libs strew-lua)
  static=$(flags --cflags --libs --static strew-lua | sed -E 's/-lstrew(_lua)?/-l:libstrew\1.a/g')
  host wrap.c "$wrapped" "$c wrap.c $strew -o wrap && ./wrap"
  host share.cpp "$shared" "$cc share.cpp $lua -o share && ./share"
  # As everywhere except Debian 12, whose Lua headers have extern "C".
  mkdir "$here/lua" && cp "$(pkg-config --cflags-only-I lua5.4 | sed 's/^-I//; s/ .*//')"/*.h "$here/lua"
  sed -i 's/^\(#define LUA_API[[:blank:]]*extern\) "C"/\1/' "$here/lua/luaconf.h"
  host stations.cpp "$grouped" "$cc -Wold-style-cast stations.cpp $strew -o stations && ./stations"
  host pixels.c "$filtered" "$c pixels.c $lua -o pixels && ./pixels"
  host "share.cpp, by Lua's own headers" "$shared" "$cc share.cpp -Ilua $lua -o share && ./share"
  host 'share.cpp, by static libraries' "$shared" "$cc share.cpp $static -o share && env -u LD_LIBRARY_PATH ./share"
  host server.c "$served" "$c server.c $lua -o server && ./server"
  host console.c "$shown" "$c console.c $lua -o console && ./console | grep -v '\[C\]'"
  host solver.c "$solved" "$c solver.c $lua -o solver && ./solver"
  host blocks.c "$heard" "$c blocks.c $lua -lm -o blocks && ./blocks"
  if command -v python3 >/dev/null; then
    host arrays.py "$by_python" 'python3 -B arrays.py'
  else
    echo 'hosts: arrays.py is left out: python3 is not installed'
  fi
  host require.lua "$required" "LUA_CPATH=\"\$prefix/lib/lua/5.4/?.so\" lua5.4 require.lua"
  cat >"$here/formula.sh" <<'END'
"$prefix/bin/strew" -e 'strew.save("in.png", (strew.arange(24) * 10):view(2, 4, 3):to "uint8")'
./formula in.png out.png '(r + g + b) / 3 * (1 - (x - 0.5)^2)' && "$prefix/bin/strew" -e 'print(strew.load "out.png")'
./formula in.png out.png 'where(x < 0.5, r, 1 - r)' y b^2 && "$prefix/bin/strew" -e 'print(strew.load("out.png"):flatten(1))'
for text in 'clamp(r * 2, 0, )' '(r > 0.5) + (r & 1)' 'r + z'; do ./formula in.png out.png "$text"; done
:
END
  host formula.c "$formulas" "$c formula.c $strew -o formula && . ./formula.sh"
  host plug_in.c "$plugged" "$c -shared -fPIC -DPLUG_IN plug_in.c $strew -o plug_in.so && $c plug_in.c -ldl -o plug_in && ./plug_in ./plug_in.so"
}

# The same hosts, which CMake builds with the installed package file.
test_cmake() {
  command -v cmake >/dev/null || { echo 'hosts: find_package(strew) is left out: cmake is not installed' && return; }
  mkdir "$here/project"
  cp "$root"/scripts/hosts/wrap.c "$root"/scripts/hosts/share.cpp "$here/project"
  series=${version%.*}
  cat >"$here/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(hosts C CXX)
find_package(strew ${SERIES} REQUIRED COMPONENTS lua)
find_package(strew) # a second time
foreach(kind "" _static)
  add_executable(wrap${kind} wrap.c)
  target_link_libraries(wrap${kind} strew::strew${kind})
  add_executable(share${kind} share.cpp)
  target_link_libraries(share${kind} strew::strew_lua${kind})
endforeach()
foreach(version 0.0.9 0.1.0 ${SERIES} ${SERIES}.0 ${SERIES}.99 0.99 1.0)
  unset(strew_DIR CACHE)
  find_package(strew ${version} QUIET)
  list(APPEND answers "${version} ${strew_FOUND}")
endforeach()
message(STATUS "${answers}")
END
  (cd "$here/project" && env CC="$CC" CXX="$CXX" cmake -DCMAKE_PREFIX_PATH="$prefix" -DSERIES="$series" . && $MAKE) >"$here/log" 2>&1 || cat "$here/log"
  same 'versions that find_package takes' "0.0.9 0;0.1.0 0;$series 1;$series.0 1;$series.99 0;0.99 0;1.0 0" "$(grep -o '0\.0\.9 .*' "$here/log")"
  for host in wrap wrap_static; do same "$host by CMake" "$wrapped" "$("$here/project/$host" 2>&1)"; done
  for host in share share_static; do same "$host by CMake" "$shared" "$("$here/project/$host" 2>&1)"; done
  needed() { readelf -d "$1" | grep -c 'libstrew'; }
  same 'static libraries are static' '0 0' "$(needed "$here/project/wrap_static") $(needed "$here/project/share_static")"
}

# The Lua module alone, by luarocks from the checkout, which builds in its usual folder.
test_rock() {
  command -v luarocks >/dev/null || { echo 'hosts: the rock is left out: luarocks is not installed' && return; }
  [ "$build" = build ] || { echo "hosts: the rock is left out: it is built in build, not in $build" && return; }
  (cd "$root" && luarocks --lua-version 5.4 --tree "$here/rock" make scripts/packaging/strew-dev-1.rockspec) >"$here/log" 2>&1 || cat "$here/log"
  same 'the rock' "$required" "$(cd "$here" && LUA_CPATH="$here/rock/lib/lua/5.4/?.so" lua5.4 require.lua 2>&1)"
  (cd "$here" && luarocks --lua-version 5.4 --tree "$here/rock" pack strew) >"$here/log" 2>&1 || cat "$here/log"
  luarocks --lua-version 5.4 --tree "$here/other" install "$here"/strew-*.rock >"$here/log" 2>&1 || cat "$here/log"
  same 'the packed rock' "$required" "$(cd "$here" && LUA_CPATH="$here/other/lib/lua/5.4/?.so" lua5.4 require.lua 2>&1)"
  luarocks --lua-version 5.4 --tree "$here/rock" remove strew >"$here/log" 2>&1 || cat "$here/log"
  same 'the rock is removed' '' "$(find "$here/rock" -name 'strew*')"
}

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"
if [ -n "$sanitize" ]; then
  make_target install >"$here/log" || cat "$here/log"
  cp "$root"/scripts/hosts/server.c "$here"
  # The instrumented code is slow: with 1 s, a script that allocates may reach the time limit first.
  host server.c "$(echo "$served" | sed 's/ 1 s / 4 s /')" "$CC -std=c11 $strict -g -fsanitize=$sanitize -DSECONDS=4 -pthread server.c $(flags --cflags --libs strew-lua) -o server && ./server"
else
  test_install
  test_dist
  test_headers
  test_hosts
  test_cmake
  test_rock
fi
echo "hosts: $passed passed, $failed failed"
[ "$failed" = 0 ]
