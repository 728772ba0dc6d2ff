#!/bin/sh
# usage: sh scripts/setup.sh [TARGET...]
# Installs the Debian packages that this machine misses for these targets, then runs make TARGET...
set -eu
cd "$(dirname "$0")/.."

build='gcc libc6-dev make pkg-config liblua5.4-dev libpthreadpool-dev libopenblas0-pthread libzip-dev libpng-dev opencl-headers'
driver='ocl-icd-libopencl1 pocl-opencl-icd' # OpenCL on the processor
test="g++ lua5.4 lua-busted lua-check check python3-numpy $driver mesa-opencl-icd oclgrind libreadline8 libedit2"
packages='debhelper git'
lint='lua-check clang clang-format clang-tidy shellcheck'
optional= # what a target uses where it is there, and does without where it is not

needed=$build
for target in "$@"; do
  case $target in
    test | checks | hosts | installed | exports | specs | terminal | rules | sanitized | threads | devices)
      needed="$needed $test" optional='shellcheck locales luarocks'
      ;;
    dist) needed="$needed git" ;;
    deb) needed="$needed $packages" optional=lintian ;;
    demo) needed="$needed $driver" ;;
    fuzz) needed="$needed clang libclang-rt-dev" ;;
    coverage) needed="$needed $test clang libclang-rt-dev llvm" ;;
    valgrind) needed="$needed $test valgrind" ;;
    lint) needed="$needed $lint" ;;
    analyze | tidy) needed="$needed clang-tidy" ;;
  esac
done

# The names among "$@" that are not installed.
missing_of() {
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
    [ "$status" = installed ] || printf '%s ' "$package"
  done
}

fail() {
  echo "setup: $1" >&2
  exit 1
}

# As root, in one go. A package list that cannot be refreshed is no failure yet: an old one may do.
# shellcheck disable=SC2016
ask_apt='apt-get update -q
  exec apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=60 -o Dpkg::Use-Pty=0 "$@"'

install() {
  command="apt-get install --no-install-recommends $*"
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null; then
    as_root=sudo
  else
    fail "neither root nor sudo; ask for: $command"
  fi
  echo "setup: installing $* (with apt; this may take a minute)"
  log=$(mktemp)
  if ! $as_root env DEBIAN_FRONTEND=noninteractive sh -c "$ask_apt" sh "$@" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt failed (its last lines stand above); mend that, or run as root: $command"
  fi
  rm -f "$log"
}

# The lists are split into words on purpose.
# shellcheck disable=SC2086
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  missing=$(missing_of $needed)
  [ -z "$missing" ] || install $missing
  absent=$(missing_of $optional)
  [ -z "$absent" ] || echo "setup: going on without ${absent% }: optional, their checks are left out"
else
  echo "setup: no apt here; install what is missing of (Debian's names): $needed${optional:+, optional: $optional}"
  command -v make >/dev/null || fail 'make is missing'
fi

exec make "$@"
