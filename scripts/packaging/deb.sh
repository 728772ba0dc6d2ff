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
# A make of its own: this make's settings are not for the packages.
if ! (cd "$name" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage -us -uc -b) >log 2>&1; then
  tail -n 30 log >&2
  exit 1
fi
rm -rf "$name"
# (They are not for an archive, which would require a bug number.)
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ./*.changes
fi
ls -- *.deb
