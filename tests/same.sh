#!/bin/sh
# usage: CC=... MAKE=... sh tests/same.sh BUILD OLD EXCEPT ISA...
# Compares the results and messages of many calls (tests/same/) with those of another build, bit for bit: on 7, 2 and 1
# threads with the plain loops, AVX2 and AVX-512, and a sample on PoCL. OLD: a commit, which is built in build/same, or a
# folder with the program. EXCEPT: messages that match this Lua pattern, in either build, are left out. Recordings are
# kept beside their program, and used until it or the calls change.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1 old=$2 except=$3
shift 3
here=build/same
mkdir -p "$here"
unset STREW_DEVICE STREW_OPENCL_ASSUME STREW_CPU LUA_INIT LUA_INIT_5_4

# Sets `before` to the old program.
find_old() {
  for before in "$old/strew" "$old/build/strew"; do [ -x "$before" ] && return; done
  commit=$(git rev-parse --verify --quiet "$old^{commit}") || {
    echo "same: OLD=$old is neither a folder with a program strew nor a commit"
    return 1
  }
  tree=$here/$commit before=$here/$commit/build/strew
  [ -x "$before" ] && return
  mkdir -p "$tree"
  git archive "$commit" | tar -x -C "$tree"
  "$MAKE" -C "$tree" -j"$(nproc)" CC="$CC" build/strew >"$tree/log" 2>&1 && return
  echo "same: $old does not build:"
  tail -n 20 "$tree/log"
  return 1
}

# Plans a recording of each program, unless there is one: TITLE DEVICE STEP THREADS ISA. It lies beside the program.
plan() {
  files=
  for program in "$before" "$build/strew"; do
    folder=$(dirname "$program")/same
    mkdir -p "$folder"
    sum=$(cat "$program" tests/same/*.lua tests/calls.lua | cksum | tr ' ' -)
    file=$folder/$(echo "$1" | tr -c 'A-Za-z0-9\n' _)-$sum
    files="$files$file "
    [ -e "$file" ] || echo "$program $file $2 $3 $4 $5" >>"$here/plan"
  done
  echo "$files$1" >>"$here/list"
}

find_old || exit 1
: >"$here/plan"
: >"$here/list"
for threads in 7 2 1; do # the last instruction set is the one that the processor uses by itself
  isa=${1-any}
  [ $# = 0 ] || shift
  case $(STREW_CPU=${isa#any} "$build/strew" -e 'print(strew.devices()[1].description)' 2>&1) in
    *", $isa loops") plan "cpu, $isa, $threads threads" cpu 1 $threads "$isa" ;;
    *) plan "cpu, $threads threads" cpu 1 $threads any ;;
  esac
done
POCL_CACHE_DIR=$(dirname "$(realpath "$before")")/same/pocl
export POCL_CACHE_DIR XDG_CACHE_HOME=/dev/null/none
device=$("$build/strew" -e 'print(strew.zeros(1, {device = "opencl:portable"}).device)' 2>/dev/null)
case $device in
  opencl:*) plan 'PoCL' "$device" 100 2 any ;;
  *) echo 'same: PoCL is left out: it is not there (pocl-opencl-icd)' ;;
esac

# shellcheck disable=SC2016
xargs -P "$(nproc)" -L 1 sh -c '[ "$6" = any ] || export STREW_CPU="$6"
  "$1" -t "$5" --memory 2G tests/same/same.lua record "$2" "$3" "$4"' record <"$here/plan" || exit 1
"$build/strew" -E tests/same/same.lua compare "$here/list" "$except"
