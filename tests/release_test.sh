#!/bin/sh
# usage: CC=cc MAKE=make sh tests/release_test.sh BUILD ISA...
# make release, in a clone of its own with this working tree as a commit of main: it tags what agrees, and refuses each
# difference that is planted, by naming it, without a tag.
set -u
cd "$(dirname "$0")/.." || exit 1
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo 'release: left out, needs git and a clone' && exit; }
build=$PWD/$1
shift
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
passed=0 failed=0
verdict() { # NAME COMMAND...
  name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) && echo "FAILED $name:" && cat "$here/out"
  fi
}

version=$(sed -n 's/^#define STREW_VERSION_[MP][A-Z]* *//p' runtime/strew_core.h | paste -sd.)
soversion=$(sed -n 's/^SOVERSION *= *//p' Makefile)
git clone -q --no-tags . "$here/clone" 2>"$here/out" || cat "$here/out"
git ls-files -co --exclude-standard | while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
  tar cf - -T - | tar xf - -C "$here/clone"
git ls-files -d | (cd "$here/clone" && xargs -r rm -f)
cd "$here/clone" || exit 1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
keep() { git add -A && git commit -q --allow-empty -m "$1" && git branch -q -f here; }
git checkout -q -B main && keep 'this working tree' && git tag v0.0.1

release() { sh scripts/packaging/release.sh "$build" "$version" "$soversion" "$@" >"$here/out" 2>&1; }
tagged() { git rev-parse -q --verify "refs/tags/v$version" >"$here/tag"; }
is_refused() { ! release plain && ! tagged && grep -q "^release: $1" "$here/out" && grep -q 'nothing is tagged: 1 ' "$here/out"; }
is_released() { release "$@" && tagged; }
# After COMMAND, and a commit unless the difference is no commit, release fails with WORDS and tags nothing.
refuses() { # WORDS KIND COMMAND
  eval "$3"
  [ "$2" != commit ] || git commit -q -a -m planted
  verdict "$1" is_refused "$1"
  git reset -q --hard here && git clean -qfd
}
notes=scripts/packaging/CHANGELOG.md
refuses 'the working tree differs from the commit: .*README.md' tree 'echo >>README.md'
refuses 'the working tree differs from the commit: ?? new' tree 'echo >new'
git checkout -q -b other
refuses 'the branch is other, expected main' tree :
git checkout -q main
refuses "the newest heading of $notes is \"9.9.9, " commit "sed -i '0,/^## /s/^## [0-9.]*/## 9.9.9/' $notes"
refuses "the newest heading of $notes is \"$version\"" commit "sed -i 's/^## $version,.*/## $version/' $notes"
refuses "README.md does not speak of version" commit "sed -i 's/Version ${version%.*}:/Version:/' README.md"
refuses 'the packages of the libraries are libstrew7 ' commit "sed -i 's/^Package: libstrew0/Package: libstrew7/' scripts/packaging/debian/control"
refuses 'hosts of v0.0.1 use what is no longer there: libstrew.so strew_add' commit \
  "git show here:tests/data/exports.txt | sed 's/ strew_arange/ strew_add/' >tests/data/exports.txt
   git commit -qam then; git tag -f v0.0.1 >/dev/null; git checkout -q here -- ."
git tag -f v0.0.1 here >"$here/log"
refuses 'the exported names: ' commit 'echo "libstrew.so strew_zz" >>tests/data/exports.txt'
refuses "random calls of .*, plain, have the digests " commit "sed -i -E 's/\\b[0-9a-f]{16}, [0-9a-f]{16}\\b/0123456789abcdef, fedcba9876543210/' scripts/bench/RESULTS.md"
mkdir "$here/bin" && printf '#!/bin/sh\n%s -n\ndate +%%N\n' "cat | $(command -v gzip) -c" >"$here/bin/gzip" && chmod +x "$here/bin/gzip"
PATH="$here/bin:$PATH" refuses 'make dist gives other bytes' tree :
verdict 'a release' is_released "$@"
verdict 'the message of its tag' [ "$(git cat-file -p "v$version" | sed -n '6p;8p')" = "strew $version
$(sed -n "/^## $version/,\$p" $notes | sed -n 3p)" ]
again() { ! release plain && grep -q "^release: the tag v$version exists" "$here/out"; }
verdict 'a release again' again
echo "release: $passed passed, $failed failed"
[ "$failed" = 0 ]
