#!/bin/sh
# usage: sh tests/setup_test.sh
# scripts/setup.sh on simulated machines, with stubs of apt-get, dpkg, dpkg-query, id, sudo, make and python3.
# shellcheck disable=SC2016,SC2034 # $ for the stubs; out, err and asked are read by eval
set -u
script=$(cd "$(dirname "$0")/.." && pwd)/scripts/setup.sh
here=$(mktemp -d) && mkdir -p "$here/bin" "$here/checkout/scripts" && cd "$here" || exit 1
setup=$here/checkout/scripts/setup.sh
cp "$script" "$setup" || exit 1
trap 'rm -rf "$here"' EXIT
passed=0 failed=0

play() { # NAME BODY: a command of the machine
  printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}

# machine UID MISSING [PROVIDED]: a machine without the packages MISSING, on which another package provides PROVIDED.
machine() {
  rm -f bin/*
  for tool in sh env dirname mktemp rm tail; do ln -s "$(command -v $tool)" "bin/$tool"; done
  play id "echo $1"
  play make 'echo "make $*"'
  play nproc 'echo 2'
  play dpkg 'echo arm64' # --print-architecture
  play dpkg-query "[ -n \"\$4\" ] || { echo installed all, , x, ${3-} '(= 1),'; exit; }; for p in $2; do [ \"\$4\" != \$p ] || exit 1; done; echo installed arm64, , ,"
  play apt-get 'echo "$0 $* ($DEBIAN_FRONTEND)" >>'"$here/asked"
  : >asked
}

# expect NAME STATUS OUT ERR ASKED ARGS...: the result of setup.sh ARGS; OUT, ERR and ASKED are shell patterns.
expect() {
  name=$1 status=$2 out=$3 err=$4 asked=$5 wrong=
  shift 5
  PATH=$here/bin sh "$setup" "$@" >out 2>err </dev/null
  code=$?
  [ "$code" = "$status" ] || wrong="exit status $code, not $status"
  # shellcheck disable=SC2254
  for pair in out err asked; do
    eval "pattern=\$$pair"
    # shellcheck disable=SC2154
    case $(cat "$pair") in $pattern) ;; *) wrong="$wrong; $pair is '$(cat "$pair")'" ;; esac
  done
  if [ -z "$wrong" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name: $wrong"
  fi
}

newline='
'
machine 0 ''
expect 'nothing is missing' 0 "setup: building strew, then *${newline}make demo" '' '' demo
expect 'several targets' 0 "setup: *the tests: *${newline}setup: *demonstrations: *${newline}make test demo" '' '' test demo
expect 'no target' 0 'make ' '' ''
machine 0 'gcc check'
expect 'as root' 0 "setup: installing gcc *${newline}make demo" '' \
  '*update*(noninteractive)*install *--no-install-recommends*gcc (noninteractive)' demo
machine 0 'check pocl-opencl-icd'
expect 'the benchmarks need less' 0 'make bench bench-peers' '' '' bench bench-peers
machine 0 debhelper
expect 'packages' 0 'setup: installing debhelper *make deb' '' '*install *--no-install-recommends*debhelper (noninteractive)' deb
machine 0 'check shellcheck'
expect 'packages of the tests are not installed for a demo' 0 'setup: building *make demo' '' '' demo
expect 'the tests' 0 "setup: installing check *${newline}setup: continuing without shellcheck*make test" '' '*check *' test
lacks_oclgrind='case "$*" in *-s*oclgrind) exit 100 ;; esac; echo "$* ($maybe)" >>'"$here/asked"
machine 0 'check oclgrind'
play apt-get "$lacks_oclgrind"
expect 'a package unknown to apt' 0 "setup: installing check, and where apt has them oclgrind (*${newline}setup: continuing without oclgrind: *make test" '' \
  '*install -y *check (oclgrind )' test
machine 0 'check mesa-opencl-icd'
expect 'an optional package known to apt' 0 "setup: installing check, and where apt has them mesa-opencl-icd (*make test" '' \
  '*install -y *check mesa-opencl-icd (noninteractive)' test
machine 1000 oclgrind
play apt-get "$lacks_oclgrind"
expect 'only a package unknown to apt is missing' 0 "setup: continuing without oclgrind: *make test" '' '' test
machine 0 mesa-opencl-icd
expect 'only an optional package is missing' 0 "setup: installing mesa-opencl-icd (*make test" '' '*install -y *mesa-opencl-icd (noninteractive)' test
machine 0 libreadline8 libreadline8
expect 'a package provided by another' 0 'setup: building *make test' '' '' test
# Packages of two architectures: a line for each. The foreign one alone is not enough.
machine 1000 ''
play dpkg-query 'echo "installed armhf, , ,"; echo "installed arm64, , ,"'
expect 'packages of two architectures' 0 'setup: building *make test' '' '' test
play dpkg-query 'echo "installed arm64, , ,"; echo "not-installed armhf, , ,"'
expect 'one of two is not installed' 0 'setup: building *make test' '' '' test
machine 0 gcc
play dpkg-query 'case $4 in "") echo "installed armhf, , x, gcc (= 1)," ;; gcc) echo "installed armhf, , ," ;; *) echo "installed arm64, , ," ;; esac'
expect 'a package of a second architecture alone' 0 'setup: installing gcc *make demo' '' '*install *gcc (noninteractive)' demo
machine 1000 gcc
expect 'neither root nor sudo' 1 '' 'setup: neither root nor sudo; run as root: apt-get install*gcc' '' demo
play sudo 'echo sudo >>'"$here/asked"'; exec "$@"'
expect 'with sudo, once' 0 "setup: installing gcc *make demo" '' "sudo${newline}*update*install*gcc *" demo
machine 0 gcc
play apt-get 'echo "E: no network"; exit 100'
expect 'apt fails' 1 'setup: installing gcc *)' 'E: no network*setup: apt failed*apt-get install*gcc' '' demo
play apt-get 'case $1 in update) exit 100 ;; esac; echo "$*" >>'"$here/asked"
expect 'apt update fails' 0 '*make demo' '' 'install*gcc' demo
machine 0 ''
play make 'exit 2'
expect "make's exit status" 2 'setup: building *' '' '' demo
machine 0 gcc
rm bin/apt-get
expect 'no apt' 0 "setup: no apt here; *gcc *liblua5.4-dev*${newline}make demo" '' '' demo
for manager in dnf pacman apk brew; do
  play $manager ''
  expect "no apt, but $manager" 0 "setup: no apt here; *setup: not tried, see *INSTALL.md: $manager *make demo" '' '' demo
  rm bin/$manager
done
rm bin/make
expect 'neither apt nor make' 1 'setup: no apt here; *' 'setup: make is missing' '' demo

# Intel's OpenCL. One wheel stands for pip's packages; python3 unpacks it, if the machine has one.
python=$(python3 -c 'import sys; print(sys.executable)') intel=$here/checkout/build/intel
pip() { # BODY: the action of `python3 -m pip download`, in the folder for wheels; none: pip is missing
  play python3 'case "$1 $2 $3" in
    "-m pip --version") '"${1:+exit 0}"' exit 1 ;;
    "-m pip download") for word; do [ "$before" != -d ] || cd "$word"; before=$word; done; '"$1"' ;;
    *) exec '"$python"' "$@" ;; esac'
}
wheel='exec '"$python"' -c "import zipfile
wheel = zipfile.ZipFile(\"one.whl\", \"w\")
for name in (\"libintelocl.so\", \"libintelocl.so.1\", \"libOpenCL.so.1\"): wheel.writestr(\"one.data/data/lib/\" + name, name[:14])
wheel.writestr(\"one.data/data/etc/intel.icd\", \"elsewhere\")"'
intel_machine() { # MISSING
  machine 0 "$1"
  for tool in mkdir mv echo; do ln -sf "$(command -v $tool)" "bin/$tool"; done
}
holds() { # NAME FILES...: the contents of build/intel and its lib
  name=$1
  shift
  is=$(cd "$intel" 2>/dev/null && for file in * lib/*; do [ ! -e "$file" ] || printf '%s ' "$file"; done)
  if [ "$is" = "$*" ] && [ ! -e "$intel.new" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name: it contains $is"
  fi
}
intel_machine ''
pip 'echo "ERROR: no network" >&2; exit 1'
expect 'Intel, no network' 1 "setup: fetching Intel*" \
  "setup: cannot fetch Intel's OpenCL, its tests are left out: ERROR: no network" '' intel
holds 'Intel, no network: nothing' ''
pip 'echo no wheel >one.whl'
expect 'Intel, a corrupt wheel' 1 "setup: fetching Intel*" "setup: cannot fetch Intel's OpenCL*zip*" '' intel
pip "$wheel"
expect 'Intel' 0 "setup: fetching Intel*PyPI*" '' '' intel
holds 'Intel, unpacked' 'intel.icd lib lib/libintelocl.so lib/libintelocl.so.1 '
[ "$(cat "$intel/intel.icd")" = "$intel/lib/libintelocl.so" ] || echo "FAILED Intel's icd: $((failed += 1))"
[ -L "$intel/lib/libintelocl.so.1" ] || echo "FAILED Intel's links: $((failed += 1))"
pip 'exit 1'
expect 'Intel is installed already' 0 '' '' '' intel
rm -r "$intel"
intel_machine python3-pip
pip ''
expect 'Intel without pip' 1 'setup: installing python3-pip *setup: fetching*' '*' '*install *python3-pip *' intel

# Libraries for another processor. A .deb stands for all; dpkg unpacks a link from it.
cross_machine() { # MISSING APT: what apt-get does
  machine 0 "$1"
  for tool in mkdir mv head sed find readlink ln tail; do ln -sf "$(command -v $tool)" "bin/$tool"; done
  play apt-get 'case "$*" in *indextargets*) printf "deb there %s main\n" bookworm-updates bookworm trixie && exit ;; *download-only*) read -r line <apt/sources; echo "$line" >>'"$here/asked"' ;; esac; '"$2"
  play dpkg 'case $1 in -x) ln -s /lib/one.so.1 "$3/usr/lib/one.so" ;; *) echo arm64 ;; esac'
}
verify() { # NAME CONDITION...
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED $name"; fi
}
built=$here/checkout/build
cross_machine '' 'echo "E: no network"; exit 100'
expect 'another processor, no network' 1 'setup: fetching libraries for s390x *' "setup: cannot fetch libraries for s390x, *: E: no network" '' s390x
verify 'another processor, no network: nothing' [ ! -e "$built/s390x" -a ! -e "$built/s390x.new" ]
cross_machine '' ': >apt/archives/one.deb'
expect 'another processor' 0 'setup: fetching libraries for s390x *' '' "*deb there bookworm main" s390x
verify 'links lead to files of that processor' [ "$(readlink "$built/s390x/root/usr/lib/one.so")" = "$built/s390x/root/lib/one.so.1" ]
expect 'another processor is there already' 0 '' '' '*' s390x
expect 'riscv64 is of Debian 13' 0 'setup: fetching libraries for riscv64 *' '' '*deb there trixie main' riscv64
cross_machine gcc-aarch64-linux-gnu '[ ! -d apt ] || : >apt/archives/one.deb'
expect 'the compiler is missing' 0 'setup: installing gcc-aarch64-linux-gnu (*' '' '*' arm64

# The page of make web. pip leaves an archive, of which tar makes the source.
machine 0 emscripten
for tool in mkdir mv rm; do ln -sf "$(command -v $tool)" "bin/$tool"; done
play python3 'case "$*" in *download*) : >"$PWD/build/lua5.4.new/lupa-2.8.tar.gz" ;; esac'
play tar 'mkdir -p lupa-2.8/third-party/lua54 && : >lupa-2.8/third-party/lua54/lua.h'
expect 'what make web needs' 0 'setup: installing emscripten *setup: fetching Lua 5.4 *' '' '*emscripten *' web
verify 'the source of Lua is there' [ -e "$built/lua5.4/lua.h" -a ! -e "$built/lua5.4.new" ]
play python3 'exit 1'
expect 'it is there already' 0 'setup: installing *' '' '*' web

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
