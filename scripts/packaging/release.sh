#!/bin/sh
# usage: CC=cc sh scripts/packaging/release.sh BUILD VERSION SOVERSION ISA...
# Tags the commit as release VERSION, in this repository alone; refuses, and says what to do, if anything differs: first
# what is read, then, if that is right, what is run. VERSION is that of runtime/strew_core.h; the packages take theirs from it.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 version=$2 soversion=$3
shift 3
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
packaging=scripts/packaging differences=0

differs() { # WHAT, WHAT TO DO
  differences=$((differences + 1))
  printf 'release: %s\n  %s\n' "$1" "$2" >&2
}
stop_if_different() {
  [ $differences = 0 ] && return
  echo "release: nothing is tagged: $differences differ" >&2
  exit 1
}

# -------------------------------------------------------------------------------------------------------- what is read

changed=$(git status --porcelain | head -n 3)
[ -z "$changed" ] || differs "the working tree differs from the commit: $(echo "$changed" | tr '\n' ' ')" \
  'commit it, or take it back: git status'
branch=$(git symbolic-ref -q --short HEAD)
[ "$branch" = main ] || differs "the branch is ${branch:-none}, expected main" 'git switch main'
tag=v$version
! git rev-parse -q --verify "refs/tags/$tag" >"$here/tag" || differs "the tag $tag exists" \
  'raise STREW_VERSION_... in runtime/strew_core.h: what is tagged stays'

heading=$(sed -n 's/^## //p' $packaging/CHANGELOG.md | head -n 1)
case $heading in
  "$version, "20[0-9][0-9]-[01][0-9]-[0-3][0-9]) ;;
  *) differs "the newest heading of $packaging/CHANGELOG.md is \"$heading\", expected \"$version, YYYY-MM-DD\"" \
    'write what is new since the last version, and the date of the release' ;;
esac
[ "$(grep -c "Version ${version%.*}:\|^strew ${version%.*} · " README.md)" = 2 ] ||
  differs "README.md does not speak of version ${version%.*}" 'the prompt under "The prompt", and the sentence under "Limits"'

# The number of the library: its packages have it, and a new one begins where a name that hosts use is gone.
packages=$(sed -n 's/^Package: \(libstrew.*[0-9]\)$/\1/p' $packaging/debian/control | tr '\n' ' ')
[ "$packages" = "libstrew$soversion libstrew-lua$soversion " ] ||
  differs "the packages of the libraries are $packages; libstrew.so.$soversion is in libstrew$soversion" \
    "rename them in $packaging/debian, with their .install files"
last=$(git describe --tags --match 'v[0-9]*' --abbrev=0 2>"$here/log")
if [ -n "$last" ]; then
  then=$(git show "$last:Makefile" | sed -n 's/^SOVERSION *= *//p')
  git show "$last:tests/data/exports.txt" | grep -v writable | LC_ALL=C sort >"$here/then"
  gone=$(LC_ALL=C sort tests/data/exports.txt | LC_ALL=C comm -23 "$here/then" - | tr '\n' ' ')
  [ -z "$gone" ] || [ "$then" != "$soversion" ] ||
    differs "hosts of $last use what is no longer there: $gone" 'export it again, or raise SOVERSION in Makefile'
fi
stop_if_different

# --------------------------------------------------------------------------------------------------------- what is run

built=$("$build/strew" --version | sed 's/^strew \([0-9.]*\).*/\1/')
[ "$built" = "$version" ] || differs "$build/strew is version $built" 'make'
CC=${CC-cc} sh tests/exports_test.sh "$build" >"$here/log" 2>&1 ||
  differs "the exported names: $(grep '^[-+]' "$here/log" | head -n 3 | tr '\n' ' ')" \
    "sh tests/exports_test.sh $build says which"

# Results keep their bits: those of random calls, on each instruction set, thread count and build that is here.
digest() { # PROGRAM ISA: as a cell of the table in scripts/bench/RESULTS.md
  STREW_CPU=$2 "$1" tests/digest.lua 200 3 1 2 2>&1 | grep -oE '\b[0-9a-f]{16}\b' | sort -u | tr '\n' ' '
}
recorded=$(grep -oE '\b[0-9a-f]{16}, [0-9a-f]{16}\b' scripts/bench/RESULTS.md | head -n 1 | tr -d , | tr ' ' '\n' | sort -u | tr '\n' ' ')
for program in "$build/strew" "$build"/clang/strew; do
  [ -x "$program" ] || continue
  for isa in "${@:-plain}"; do
    if ! STREW_CPU=$isa "$program" -e 'return' >/dev/null 2>&1; then
      echo "release: this processor lacks $isa, whose random calls are left out"
      continue
    fi
    found=$(digest "$program" "$isa")
    [ "$found" = "$recorded" ] || differs "random calls of $program, $isa, have the digests ${found}expected $recorded" \
      'make same OLD=... names the calls; if they are meant, say so in CHANGELOG.md, and record them in scripts/bench/RESULTS.md'
  done
done

for turn in 1 2; do
  make BUILD="$here/$turn" dist >"$here/log" 2>&1 || differs "make dist fails: $(tail -n 1 "$here/log")" 'make dist'
  [ $turn = 2 ] || sleep 1
done
sums=$(cat "$here"/[12]/*.sha256 | sort -u | wc -l)
[ "$sums" = 1 ] || differs 'make dist gives other bytes the second time' 'see dist in scripts/packaging/install.mk'
stop_if_different

sed -n "/^## $version,/,/^## /{/^## /!p}" $packaging/CHANGELOG.md >"$here/message"
git tag -a "$tag" --cleanup=verbatim -F - <<END || exit
strew $version
$(cat "$here/message")
END
echo "release: $tag is tagged here: $(sed -n 1p "$here"/1/*.tar.gz.sha256). To publish it: git push origin main $tag"
