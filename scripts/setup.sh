#!/bin/sh
# usage: sh scripts/setup.sh [TARGET...]
# Installs the Debian packages that these targets need and the machine lacks, then runs make TARGET... on all
# processors.
#        sh scripts/setup.sh intel
# Fetches Intel's OpenCL for CPUs from PyPI to build/intel, for make test; does not run make. Does nothing if it exists.
#        sh scripts/setup.sh lua5.5
# Fetches Lua 5.5 from PyPI to build/lua5.5, for make lua5.5, in the same way.
#        sh scripts/setup.sh web
# Installs emscripten, and fetches the source of Lua 5.4 from PyPI to build/lua5.4, for make web, in the same way; and
# Chromium and node, in which its tests run.
#        SUITES_FROM=ADDRESS sh scripts/setup.sh suites
# Fetches tests that others wrote to build/suites, for make suites onnx array_api, in the same way: ONNX's from PyPI, the
# others with git, from ADDRESS/OWNER/NAME; without SUITES_FROM only ONNX's.
#        sh scripts/setup.sh arm64|armhf|riscv64|s390x
# Installs the cross compiler and QEMU, and unpacks Debian's libraries for that processor to build/ARCH, for make cross,
# in the same way.
set -eu
cd "$(dirname "$0")/.."

build='gcc libc6-dev make pkg-config liblua5.4-dev libpthreadpool-dev libzip-dev libpng-dev zlib1g-dev opencl-headers'
driver='ocl-icd-libopencl1 pocl-opencl-icd' # OpenCL on the processor
mpi='openmpi-bin libopenmpi-dev' # strew.mpi
test="g++ lua5.4 lua-busted lua-check check python3-numpy $driver $mpi"
extras='mesa-opencl-icd oclgrind libreadline8 python3-nbclient python3-ipykernel lua5.3' # for tests, if apt has them (Debian 13 has no oclgrind)
packages='debhelper git'
web='emscripten nodejs chromium'
lint='lua-check clang clang-format clang-tidy shellcheck'
optional= # used by a target if installed

needed=$build extra='' maybe=''
for target in "$@"; do
  case $target in
    test | nightly | check | checks | hosts | installed | exports | specs | terminal | rules | sanitized | threads | devices | mpi)
      needed="$needed $test" extra=$extras optional='shellcheck locales luarocks cmake'
      ;;
    dist) needed="$needed git" ;;
    deb) needed="$needed $packages $mpi" optional=lintian ;;
    demo) needed="$needed $driver" ;;
    fuzz) needed="$needed clang libclang-rt-dev" ;;
    coverage) needed="$needed $test clang libclang-rt-dev llvm" extra=$extras ;;
    valgrind) needed="$needed $test valgrind" extra=$extras ;;
    lint) needed="$needed $lint" ;;
    analyze | tidy) needed="$needed clang-tidy" ;;
  esac
done

# True if a line of standard input, "STATUS ARCHITECTURE, NAMES", is of an installed package for this machine; with a
# name, if that is among the NAMES. (A package may be there for a second architecture alone, or for both.)
has_installed() {
  while read -r status architecture names; do
    case $status-$architecture in installed-all, | installed-"$native",) ;; *) continue ;; esac
    case ${1:+$names} in '' | *", $1,"* | *", $1 ("*) return 0 ;; esac
  done
  return 1
}

# True if an installed package has this name, or provides it, as Debian 13's libreadline8t64 does libreadline8.
# shellcheck disable=SC2016
is_installed() {
  about='${db:Status-Status} ${Architecture}, , ${Provides},\n'
  dpkg-query -W -f "$about" "$1" 2>/dev/null | has_installed ||
    dpkg-query -W -f "$about" 2>/dev/null | has_installed "$1"
}

# Prints the names among "$@" that are not installed.
missing_of() {
  for package in "$@"; do
    is_installed "$package" || printf '%s ' "$package"
  done
}

# Prints the names among "$@" that apt can install.
known_of() {
  for package in "$@"; do
    ! apt-get install -s -q --no-install-recommends "$package" >/dev/null 2>&1 || printf '%s ' "$package"
  done
}

fail() {
  echo "setup: $1" >&2
  exit 1
}

# As root, in one command. A failing update is not an error yet: an old package list may be enough. The packages of
# $maybe in that list are installed as well.
# shellcheck disable=SC2016
ask_apt='apt-get update -q
  for package in $maybe; do
    ! apt-get install -s -q --no-install-recommends "$package" >/dev/null 2>&1 || set -- "$@" "$package"
  done
  exec apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=60 -o Dpkg::Use-Pty=0 "$@"'

install() {
  command="apt-get install --no-install-recommends $*"
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null; then
    as_root=sudo
  else
    fail "neither root nor sudo; run as root: $command"
  fi
  echo "setup: installing $*${maybe:+, and where apt has them ${maybe% }} (with apt; this may take a minute)"
  log=$(mktemp)
  if ! $as_root env DEBIAN_FRONTEND=noninteractive maybe="$maybe" sh -c "$ask_apt" sh "$@" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt failed (last lines above); fix this, or run as root: $command"
  fi
  rm -f "$log"
}

# Unpacks the libraries in wheels (sys.argv[2:]) to a folder. Copies under other names become links; OpenCL's loader and
# the libraries for compilers are left out.
unpack='import os, sys, zipfile
folder, first = sys.argv[1], {}
for wheel in map(zipfile.ZipFile, sys.argv[2:]):
    for entry in wheel.infolist():
        name = os.path.basename(entry.filename)
        if "/data/lib/" not in entry.filename or name.startswith(("libOpenCL.", "icx-lto.")): continue
        twin = first.setdefault((entry.CRC, entry.file_size), name)
        if twin != name: os.symlink(twin, os.path.join(folder, name))
        else: open(os.path.join(folder, name), "wb").write(wheel.read(entry))'

# Into a temporary folder, renamed when complete.
fetch_intel() {
  folder=$PWD/build/intel new=$PWD/build/intel.new
  [ ! -e "$folder/intel.icd" ] || return 0
  python3 -m pip --version >/dev/null 2>&1 || install python3-pip
  echo "setup: fetching Intel's OpenCL for CPUs from PyPI (273 MB; this may take minutes)"
  rm -rf "$new"
  mkdir -p "$new/lib"
  if ! python3 -m pip download -q --disable-pip-version-check --no-cache-dir --no-deps --only-binary :all: -d "$new" \
    intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0 >"$new/log" 2>&1 </dev/null ||
    ! python3 -c "$unpack" "$new/lib" "$new"/*.whl >>"$new/log" 2>&1; then
    said=$(tail -n 1 "$new/log")
    rm -rf "$new"
    fail "cannot fetch Intel's OpenCL, its tests are left out: $said"
  fi
  rm -f "$new"/*.whl "$new/log"
  echo "$folder/lib/libintelocl.so" >"$new/intel.icd"
  rm -rf "$folder"
  mv "$new" "$folder"
}

# The source of Lua is in that of lupa, of which pip must make a description first. (LUPA_NO_BUNDLE: without building
# LuaJIT.) The folder is renamed when complete.
fetch_lua() { # VERSION COMMAND
  folder=$PWD/build/lua$1 new=$PWD/build/lua$1.new
  python3 -m pip --version >/dev/null 2>&1 || install python3-pip
  echo "setup: fetching Lua $1 from PyPI (10 MB)"
  rm -rf "$new"
  mkdir -p "$new"
  if ! LUPA_NO_BUNDLE=true python3 -m pip download -q --disable-pip-version-check --no-cache-dir --no-deps --no-binary lupa -d "$new" \
    lupa==2.8 >"$new/log" 2>&1 </dev/null || ! "$2" "$new" >>"$new/log" 2>&1; then
    said=$(tail -n 1 "$new/log")
    rm -rf "$new"
    fail "cannot fetch Lua $1, its tests are left out: $said"
  fi
  rm -rf "$folder"
  mv "$new" "$folder"
}

# Lua 5.5, for make lua5.5.
fetch_lua55() {
  [ ! -e "$PWD/build/lua5.5/bin/lua5.5" ] || return 0
  fetch_lua 5.5 build_lua
  printf '%s\n' 'Name: Lua' 'Description: Lua' 'Version: 5.5' "Cflags: -I$folder/include" \
    "Libs: -L$folder/lib -llua5.5 -lm -ldl" >"$folder/lib/pkgconfig/lua5.5.pc"
}

build_lua() ( # FOLDER
  cd "$1" && mkdir -p bin lib/pkgconfig include && tar xzf lupa-2.8.tar.gz && cd lupa-2.8/third-party/lua55 || exit
  cp lua.h luaconf.h lualib.h lauxlib.h "$1/include" || exit
  mv lua.c "$1/lua.c" && rm -f luac.c onelua.c ltests.c || exit
  ${CC:-cc} -O2 -fPIC -DLUA_USE_LINUX -c ./*.c && ar rcs "$1/lib/liblua5.5.a" ./*.o || exit
  ${CC:-cc} -O2 -DLUA_USE_LINUX -I. -Wl,-E -o "$1/bin/lua5.5" "$1/lua.c" "$1/lib/liblua5.5.a" -lm -ldl || exit
  rm -rf "$1/lua.c" "$1"/lupa-2.8*
)

# The source of Lua 5.4, for make web, which compiles it with the rest.
unpack_lua() ( # FOLDER
  cd "$1" && tar xzf lupa-2.8.tar.gz && mv lupa-2.8/third-party/lua54/*.[ch] . && rm -rf lupa-2.8*
)

# shellcheck disable=SC2086
fetch_web() {
  if command -v dpkg-query >/dev/null; then
    native=$(dpkg --print-architecture) missing=$(missing_of $web)
    [ -z "$missing" ] || install $missing
  fi
  [ -e "$PWD/build/lua5.4/lua.h" ] || fetch_lua 5.4 unpack_lua
}

# One commit of a repository, and of it these files, from $SUITES_FROM. Into a temporary folder, renamed when complete.
fetch_files() { # NAME REPOSITORY COMMIT PATTERN...
  folder=$PWD/build/suites/$1 new=$PWD/build/suites/$1.new address=$SUITES_FROM/$2 commit=$3
  [ ! -e "$folder" ] || return 0
  shift 3
  rm -rf "$new"
  mkdir -p "$new"
  if ! { git -C "$new" init -q && git -C "$new" remote add origin "$address" &&
    git -C "$new" sparse-checkout set --no-cone "$@" &&
    git -C "$new" fetch -q --depth 1 --filter=blob:none origin "$commit" && git -C "$new" checkout -q FETCH_HEAD; } \
    >"$new.log" 2>&1 </dev/null; then
    said=$(tail -n 1 "$new.log")
    rm -rf "$new" "$new.log"
    fail "cannot fetch $address, its tests are left out: $said"
  fi
  rm -f "$new.log"
  mv "$new" "$folder"
}

fetch_repositories() {
  command -v git >/dev/null || install git
  echo "setup: fetching sqllogictest, tests of DuckDB and of the Python array API, and samples of 1BRC from $SUITES_FROM"
  fetch_files 1brc gunnarmorling/1brc 3372b6b29072af7359c5137bd1893d98828029a2 /src/test/resources/samples/
  fetch_files sqllogictest gregrahn/sqllogictest d8d4f4b9a351102ec63196a920e8052f4f025509 \
    /test/random/aggregates/ /test/random/groupby/ /test/evidence/slt_lang_aggfunc.test '/test/select*.test'
  fetch_files duckdb duckdb/duckdb 044a04a7cd39e6e8235f756597ae42dde084e5e5 /test/sql/aggregate/ /test/sql/join/asof/
  fetch_files array-api data-apis/array-api 5f847a3858875c682ae901aa22b0413bf24be9da /spec/ /src/
  fetch_files array-api-tests data-apis/array-api-tests 55fcc60179efa2680ddd6cd926ddf17b83530e2b '/*'
  rm -rf "$PWD/build/suites/array-api-tests/array-api"
  ln -s ../array-api "$PWD/build/suites/array-api-tests/array-api"
}

fetch_suites() {
  if [ -n "${SUITES_FROM-}" ]; then
    fetch_repositories
  else
    echo 'setup: sqllogictest and others are not fetched: SUITES_FROM is not set, where git finds OWNER/NAME of each'
  fi
  echo 'setup: fetching ONNX and what the array API needs (40 MB)'
  fetch_python
}

# An environment of Python. ONNX 1.22 has its node tests in it, later ones have not.
fetch_python() {
  folder=$PWD/build/suites/python new=$PWD/build/suites/python.new
  [ ! -e "$folder" ] || return 0
  rm -rf "$new"
  if ! { python3 -m venv "$new" && "$new/bin/python" -m pip install -q --disable-pip-version-check --no-cache-dir \
    onnx==1.22.0 pytest==9.2.0 pytest-json-report==1.5.0 hypothesis==6.170.17 ndindex==1.10.1; } >"$new.log" 2>&1 </dev/null; then
    said=$(tail -n 1 "$new.log")
    rm -rf "$new" "$new.log"
    fail "cannot fetch ONNX and what the array API's tests need, they are left out: $said"
  fi
  rm -f "$new.log"
  mv "$new" "$folder"
}

# The compiler for another processor, QEMU, and that processor's libraries with all that they depend on, which an apt with
# a state of its own fetches: nothing of them is installed.
libraries='libc6-dev liblua5.4-dev libpthreadpool-dev libzip-dev libpng-dev zlib1g-dev opencl-headers libatomic1 check lua5.4 lua-busted'
# shellcheck disable=SC2086
fetch_cross() { # ARCH TRIPLE
  folder=$PWD/build/$1 new=$PWD/build/$1.new native=$(dpkg --print-architecture)
  missing=$(missing_of "gcc-$2" qemu-user pkg-config)
  [ -z "$missing" ] || install $missing
  [ ! -e "$folder/root" ] || return 0
  echo "setup: fetching libraries for $1 (30 MB)"
  rm -rf "$new"
  mkdir -p "$new/apt/lists/partial" "$new/apt/archives/partial" "$new/root"
  if ! unpack_cross "$1" "$new" >"$new/log" 2>&1 </dev/null; then
    said=$(tail -n 1 "$new/log")
    rm -rf "$new"
    fail "cannot fetch libraries for $1, its tests are left out: $said"
  fi
  mkdir -p "$folder"
  mv "$new/root" "$folder/root"
  rm -rf "$new"
  # Links to files of the system's root lead to those of this one.
  find "$folder/root" -type l -lname '/*' | while read -r link; do ln -sfn "$folder/root$(readlink "$link")" "$link"; done
}

# riscv64 is new in Debian 13, whose libraries do for the compiler of Debian 12.
# shellcheck disable=SC2016,SC2086
unpack_cross() ( # ARCH FOLDER
  cd "$2" || exit
  # the suite itself: those of updates and backports have not all packages
  apt-get indextargets --format 'deb $(SITE) $(CODENAME) main' 'Created-By: Packages' 'Label: Debian' |
    sed '/ [^ ]*-[^ ]* main$/d' | head -n 1 >apt/sources
  [ "$1" != riscv64 ] || sed -i 's/ bookworm / trixie /' apt/sources
  : >apt/status
  own="-q -o APT::Architecture=$1 -o APT::Architectures::=$1 -o Dir::Etc::sourcelist=$2/apt/sources -o Dir::Etc::sourceparts=- \
    -o Dir::State=$2/apt -o Dir::State::status=$2/apt/status -o Dir::Cache=$2/apt -o Debug::NoLocking=1 -o APT::Sandbox::User="
  apt-get $own update && apt-get $own install -y --no-install-recommends --download-only $libraries || exit
  for name in lib bin sbin; do mkdir -p "root/usr/$name" && ln -s "usr/$name" "root/$name" || exit; done
  for package in apt/archives/*.deb; do dpkg -x "$package" root || exit; done
)

# What to do where there is no apt: how another system's package manager may install what the build needs. Not tried;
# scripts/packaging/INSTALL.md has the names in a table, and what these systems lack.
elsewhere() {
  if command -v dnf >/dev/null; then
    echo 'dnf install gcc make pkgconf lua-devel pthreadpool-devel libzip-devel libpng-devel zlib-devel opencl-headers; then make LUA=lua'
  elif command -v pacman >/dev/null; then
    echo 'pacman -S base-devel lua54 libzip libpng zlib opencl-headers; pthreadpool from source; then make LUA=lua54'
  elif command -v apk >/dev/null; then
    echo 'apk add build-base pkgconf lua5.4-dev libzip-dev libpng-dev zlib-dev opencl-headers; pthreadpool from source'
  elif command -v brew >/dev/null; then
    echo 'brew install pkgconf lua@5.4 libzip libpng opencl-headers; pthreadpool from source; a linker and objcopy for ELF, which macOS lacks'
  fi
}

case ${1-} in
  intel)
    fetch_intel
    exit
    ;;
  lua5.5)
    fetch_lua55
    exit
    ;;
  web)
    fetch_web
    exit
    ;;
  suites)
    native=all maybe=
    fetch_suites
    exit
    ;;
  arm64 | armhf | riscv64 | s390x)
    case $1 in arm64) fetch_cross arm64 aarch64-linux-gnu ;; armhf) fetch_cross armhf arm-linux-gnueabihf ;; *) fetch_cross "$1" "$1-linux-gnu" ;; esac
    exit
    ;;
esac

# The lists are split into words on purpose.
# shellcheck disable=SC2086
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  native=$(dpkg --print-architecture)
  missing=$(missing_of $needed) maybe=$(missing_of $extra)
  if [ -z "$missing" ]; then missing=$(known_of $maybe) maybe=; fi
  [ -z "$missing" ] || install $missing
  absent=$(missing_of $extra $optional)
  [ -z "$absent" ] || echo "setup: continuing without ${absent% }: optional, their checks are left out"
else
  echo "setup: no apt here; install what is missing of (Debian's names): $needed${extra:+ $extra}${optional:+, optional: $optional}"
  hint=$(elsewhere)
  [ -z "$hint" ] || echo "setup: not tried, see scripts/packaging/INSTALL.md: $hint"
  command -v make >/dev/null || fail 'make is missing'
fi

# What takes long, as measured on two cores, before make is silent.
for target in "$@"; do
  case $target in
    all) echo 'setup: building strew: about a minute on two cores' ;;
    demo) echo 'setup: building strew, then the demonstrations: 1 to 2 minutes on two cores' ;;
    test) echo 'setup: building strew, then running the tests: 8 to 13 minutes on two cores; a line each' ;;
    nightly) echo 'setup: building strew, then running all tests: 40 to 60 minutes on two cores; a line each' ;;
    deb) echo 'setup: building the Debian packages: 4 minutes on two cores' ;;
  esac
done

export MAKEFLAGS="${MAKEFLAGS--j$(nproc) --output-sync=target}"
exec make "$@"
