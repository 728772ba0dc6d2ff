#!/bin/sh
# usage: sh scripts/packaging/deb.sh BUILD VERSION
# Builds Debian packages of BUILD/strew-VERSION.tar.gz in BUILD/deb, and checks them with lintian if it is installed.
set -eu
build=$1 name=strew-$2
here=$(cd "$(dirname "$0")" && pwd)
command -v dh >/dev/null || {
  echo 'make deb: debhelper is missing (sh scripts/setup.sh deb installs what this needs)' >&2
  exit 1
}
rm -rf "$build/deb"
mkdir -p "$build/deb"
cp "$build/$name.tar.gz" "$build/deb/strew_$2.orig.tar.gz"
cd "$build/deb"
tar xzf "strew_$2.orig.tar.gz"
cp -R "$here/debian" "$name"
# Debian's changelog has each version of CHANGELOG.md, which is installed beside it: "## VERSION, DATE".
sed -n 's/^## \([0-9.]*\), \(.*\)$/\1 \2/p' "$here/CHANGELOG.md" | while read -r version day; do
  printf 'strew (%s-1) unstable; urgency=medium\n\n  * Version %s: see the changelog.\n\n' "$version" "$version"
  printf ' -- %s  %s\n\n' "$(sed -n 's/^Maintainer: //p' "$here/debian/control")" "$(LC_ALL=C date -u -d "$day" -R)"
done >"$name/debian/changelog"
# A make of its own: this make's settings are not for the packages.
echo "deb: building, with its output in $build/deb/log"
{
  (cd "$name" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage -us -uc -b) 2>&1 || : >failed
} | tee log | sed -u -n 's/^ *\(debian\/rules override_\)\{0,1\}\(dh_auto_[a-z]*\).*/deb: \2/p; s/^dpkg-deb: \(building package\)/deb: \1/p'
if [ -e failed ]; then
  tail -n 30 log >&2
  exit 1
fi
rm -rf "$name"
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning ./*.changes
fi
ls -- *.deb
