#!/bin/sh
# usage: sh tests/lua_test.sh BUILD
# Builds for the Lua 5.5 that setup.sh lua5.5 fetched, beside BUILD; runs the specs under it, and compares the digest of
# random calls with BUILD's.
set -eu
cd "$(dirname "$0")/.."
build=$1 lua=$PWD/build/lua5.5
if [ ! -x "$lua/bin/lua5.5" ]; then
  echo 'lua5.5: left out, it is not there: sh scripts/setup.sh lua5.5 fetches it'
  exit
fi
mine=$lua/strew
export PATH="$lua/bin:$PATH" PKG_CONFIG_PATH="$lua/lib/pkgconfig"
unset LUA_INIT LUA_PATH LUA_CPATH
MAKEFLAGS='' ${MAKE:-make} -s CC="${CC:-cc}" LUA=lua5.5 BUILD="$mine" MPICC='' "$mine/strew" "$mine/strew.so" >"$lua/log" 2>&1 || {
  tail -n 20 "$lua/log"
  echo 'lua5.5: 0 passed, 1 failed: the build'
  exit 1
}
passed=0 failed=0
for spec in tests/spec/*_spec.lua; do
  if LUA_PATH='/usr/share/lua/5.4/?.lua;/usr/share/lua/5.4/?/init.lua;./?.lua' LUA_CPATH="$mine/?.so" \
    lua5.5 -l tests.stand_ins /usr/bin/busted --output=plainTerminal "$spec" >"$lua/log" 2>&1; then
    passed=$((passed + 1))
  else
    cat "$lua/log"
    failed=$((failed + 1))
  fi
done
digest() { STREW_OPENCL=off "$1" tests/digest.lua 600 3 1 2 | tail -n 1; }
is=$(digest "$mine/strew") expected=$(digest "$build/strew")
if [ -n "$is" ] && [ "$is" = "$expected" ]; then
  passed=$((passed + 1))
else
  printf 'the digest is\n%s\nunder Lua 5.4\n%s\n' "$is" "$expected"
  failed=$((failed + 1))
fi
echo "lua5.5: $passed passed, $failed failed"
[ $failed = 0 ]
