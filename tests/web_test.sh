#!/bin/sh
# usage: sh tests/web_test.sh BUILD
# make web, and what it has built: under node the digest of random calls, which is BUILD's, specs, and README's scripts;
# in headless Chromium the page: see web_page.js.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 passed=0 failed=0
for tool in emcc node; do
  command -v $tool >/dev/null || { echo "web: left out, $tool is missing: sh scripts/setup.sh web installs it" && exit; }
done
[ -e build/lua5.4/lua.h ] || { echo 'web: left out, the source of Lua 5.4 is missing: sh scripts/setup.sh web fetches it' && exit; }
MAKEFLAGS='' "${MAKE:-make}" -s -j2 BUILD="$build" web || { echo 'web: 0 passed, 1 failed: the build' && exit 1; }
scratch=$(mktemp -d) || exit
trap 'rm -rf "$scratch"' EXIT

# The program under node.
web() { node --no-experimental-fetch --stack-size=3000 tests/web_node.js "$build/web" "$@"; }
check() { # NAME IS EXPECTED
  if [ -n "$2" ] && [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\nexpected\n%s\n' "$1" "$2" "$3"
  fi
}
digest() { sed -n 's/^digest of \(.*\) on cpu, . threads\(.*\)/\1\2/p'; }
check digest "$(web --digest | digest)" "$("$build/strew" -d cpu --digest | digest)"

# All specs; tests of them that need processes, named pipes, zlib, libzip or libpng are left out (web_specs.lua).
for spec in tests/spec/*_spec.lua; do
  name=$(basename "$spec" _spec.lua)
  said=$(web tests/web_specs.lua "$spec" 2>&1) && passed=$((passed + 1)) && continue
  failed=$((failed + 1))
  printf 'FAILED %s_spec\n%s\n' "$name" "$said"
done

# The blocks of README: a csv block is the file sales.csv, a text block the output of the lua block before it.
awk -v folder="$scratch" '/^```/ { kind = substr($0, 4); if (kind == "lua") n++; name = kind == "csv" ? "sales.csv" : n "." kind; if (done[name]++) kind = ""; next }
  kind ~ /^(lua|text|csv)$/ { print >(folder "/" name) }' README.md
here=$PWD
for script in "$scratch"/*.lua; do
  [ -e "${script%lua}text" ] || continue
  said=$(cd "$scratch" && cp "$script" first.lua && node --no-experimental-fetch "$here/tests/web_node.js" "$here/$build/web" first.lua)
  check "README, $(basename "$script")" "$said" "$(cat "${script%lua}text")"
done

if command -v chromium >/dev/null; then
  node tests/web_page.js "$build/web" chromium >"$scratch/page"
  result=$?
  cat "$scratch/page"
  if [ $result = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
else
  echo 'the page: chromium is missing, its checks are left out'
fi
echo "$(gzip -9c "$build/web/strew.wasm" | wc -c) bytes of strew.wasm are sent, compressed by gzip"
echo "web: $passed passed, $failed failed"
[ $failed = 0 ]
