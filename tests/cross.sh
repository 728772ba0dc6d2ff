#!/bin/sh
# usage: sh tests/cross.sh BUILD ARCH list|PART
# The tests of the build for another processor (make cross), under QEMU's emulation of it, with the libraries that
# setup.sh ARCH fetched. PART: digest (the numbers of random calls are BUILD's), files (written there and read here, and
# the other way round), a host, a Check program or a spec, with sampled cases: run.sh runs each by itself. list prints
# the parts, or after a dash why there are none; is_there fails if there are none.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 arch=$2 part=$3
root=$PWD/build/$arch/root cross=build/$arch/strew
case $arch in
  arm64) cpu=aarch64 triple=aarch64-linux-gnu ;;
  armhf) cpu=arm triple=arm-linux-gnueabihf ;;
  *) cpu=$arch triple=$arch-linux-gnu ;;
esac
export STREW_OPENCL=off STREW_TEST_FEW=1 STREW_TEST_EMULATED=1 QEMU_LD_PREFIX="$root"
export STREW_TEST_STEP="${STREW_TEST_STEP-20}" STREW_TEST_THIN="${STREW_TEST_THIN-4}"
# An emulator's tables for a map of many TiB would take all memory: such tests see an address space of 24 GiB.
# shellcheck disable=SC3045 # dash and bash have -v
ulimit -v 25165824
passed=0 failed=0

# same NAME A B: counts two texts that must be equal.
same() {
  if [ -n "$2" ] && [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: on %s\n%s\nhere\n%s\n' "$1" "$arch" "$2" "$3"
  fi
}
there() { "qemu-$cpu" "$@"; }
is_there() { [ -e "$root" ] && command -v "qemu-$cpu" >/dev/null && command -v "$triple-gcc" >/dev/null; }

digest() {
  numbers='s/^digest of \(.*\) on cpu, . threads\(.*\)/\1\2/p'
  for arguments in '300 1 1' '100 1 3'; do
    # shellcheck disable=SC2086 # words
    same digest "$(there "$cross/strew" tests/digest.lua $arguments | sed -n "$numbers")" \
      "$("$build/strew" tests/digest.lua $arguments | sed -n "$numbers")"
  done
}

# Written on both; then each reads both. A .npy has the order of bytes of its writer, the others have one.
files() {
  folder=$(mktemp -d) && mkdir "$folder/there" "$folder/here" || exit
  there "$cross/strew" tests/cross_files.lua write "$folder/there"
  "$build/strew" tests/cross_files.lua write "$folder/here"
  for file in "$folder"/here/*; do
    name=${file##*/}
    expected=$("$build/strew" tests/cross_files.lua read "$file")
    same "$name, written and read there" "$(there "$cross/strew" tests/cross_files.lua read "$folder/there/$name")" "$expected"
    same "$name, written there" "$("$build/strew" tests/cross_files.lua read "$folder/there/$name")" "$expected"
    same "$name, read there" "$(there "$cross/strew" tests/cross_files.lua read "$file")" "$expected"
    case $name in *.np*) ;; *) same "bytes of $name" "$(cksum <"$folder/there/$name")" "$(cksum <"$file")" ;; esac
  done
  rm -rf "$folder"
}

case $part in
  list)
    if ! is_there; then
      echo "- $arch: its compiler, libraries or QEMU are absent (sh scripts/setup.sh $arch); its tests are left out"
    else
      { printf '%s\n' digest files && ls tests/check_*.c tests/host/*.c tests/spec/*_spec.lua; } |
        sed "s|.*/||; s|[.].*||; /^check_opencl$/d; s|^|$arch-|"
    fi
    ;;
  is_there) is_there ;;
  digest | files)
    "$part"
    echo "$arch, $part: $passed passed, $failed failed"
    [ $failed = 0 ]
    ;;
  *_spec) # some start lua5.4 themselves
    bin=$PWD/build/$arch/bin
    mkdir -p "$bin"
    [ -x "$bin/lua5.4" ] || { printf '#!/bin/sh\nexec qemu-%s %s/usr/bin/lua5.4 "$@"\n' "$cpu" "$root" >"$bin/lua5.4" && chmod +x "$bin/lua5.4"; }
    LUA_PATH="$root/usr/share/lua/5.4/?.lua;$root/usr/share/lua/5.4/?/init.lua;./?.lua" \
      LUA_CPATH="$cross/?.so;$root/usr/lib/$triple/lua/5.4/?.so" PATH="$bin:$PATH" \
      there "$root/usr/bin/lua5.4" "$root/usr/bin/busted" --output=plainTerminal "tests/spec/$part.lua"
    ;;
  *_host) there "$cross/tests/host/$part" ;;
  *) CK_TIMEOUT_MULTIPLIER=60 there "$cross/tests/$part" ;;
esac
