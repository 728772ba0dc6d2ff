#!/bin/sh
# usage: BUILD= PARTS= HEADERS= VERSION= SOVERSION= LUA= ZLIB= STRIP= DESTDIR= PREFIX= LIBDIR= LUADIR= sh scripts/packaging/install.sh install | uninstall
# Installs the files of a build, or removes them; make passes the settings. One list serves both.
set -eu
umask 022
cd "$(dirname "$0")/../.."

# A line for each file: its mode or kind; its source; its destination.
list() {
  [ -z "$PARTS" ] || { list_parts && return; }
  cat <<END
program $BUILD/strew $PREFIX/bin/strew
program $BUILD/strew.so $LUADIR/strew.so
if-built $BUILD/modules/strew/mpi.so $LUADIR/strew/mpi.so
644 $BUILD/libstrew.a $LIBDIR/libstrew.a
library $BUILD/libstrew.so $LIBDIR/libstrew.so.$VERSION
link libstrew.so.$VERSION $LIBDIR/libstrew.so.$SOVERSION
link libstrew.so.$SOVERSION $LIBDIR/libstrew.so
644 $BUILD/libstrew_lua.a $LIBDIR/libstrew_lua.a
library $BUILD/libstrew_lua.so $LIBDIR/libstrew_lua.so.$VERSION
link libstrew_lua.so.$VERSION $LIBDIR/libstrew_lua.so.$SOVERSION
link libstrew_lua.so.$SOVERSION $LIBDIR/libstrew_lua.so
644 runtime/strew_core.h $PREFIX/include/strew_core.h
644 runtime/strew.h $PREFIX/include/strew.h
644 runtime/strew.hpp $PREFIX/include/strew.hpp
644 lua_bindings/strew_lua.h $PREFIX/include/strew_lua.h
form scripts/packaging/strew.pc.in $LIBDIR/pkgconfig/strew.pc
form scripts/packaging/strew-lua.pc.in $LIBDIR/pkgconfig/strew-lua.pc
form scripts/packaging/strewConfig.cmake.in $LIBDIR/cmake/strew/strewConfig.cmake
form scripts/packaging/strewConfigVersion.cmake.in $LIBDIR/cmake/strew/strewConfigVersion.cmake
644 LICENSE $PREFIX/share/doc/strew/LICENSE
644 $BUILD/doc/index.html $PREFIX/share/doc/strew/index.html
644 $BUILD/doc/c.html $PREFIX/share/doc/strew/c.html
644 $BUILD/strew.1 $PREFIX/share/man/man1/strew.1
644 $BUILD/luacats/strew.lua $PREFIX/share/strew/luacats/strew.lua
END
}

# The same of a build with PARTS: the library, its header, and the Lua module.
list_parts() {
  for header in $HEADERS; do echo "644 $header $PREFIX/include/${header##*/}"; done
  cat <<END
program $BUILD/strew.so $LUADIR/strew.so
644 $BUILD/libstrew_core.a $LIBDIR/libstrew_core.a
library $BUILD/libstrew_core.so $LIBDIR/libstrew_core.so.$VERSION
link libstrew_core.so.$VERSION $LIBDIR/libstrew_core.so.$SOVERSION
link libstrew_core.so.$SOVERSION $LIBDIR/libstrew_core.so
form scripts/packaging/strew-core.pc.in $LIBDIR/pkgconfig/strew-core.pc
644 LICENSE $PREFIX/share/doc/strew/LICENSE
644 $BUILD/doc/c.html $PREFIX/share/doc/strew/c.html
END
}

# Fills in a template from standard input.
fill_in() {
  sed "s|@PREFIX@|$PREFIX|g; s|@LIBDIR@|$LIBDIR|g; s|@VERSION@|$VERSION|g; s|@SOVERSION@|$SOVERSION|g; s|@LUA@|$LUA|g; s|@ZLIB@|$ZLIB|g"
}

# Without debug symbols, unless STRIP is empty.
put_binary() { # MODE FROM TO
  if [ -n "$STRIP" ]; then
    install -m "$1" -s --strip-program="$STRIP" "$2" "$3"
  else
    install -m "$1" "$2" "$3"
  fi
}

put() { # HOW FROM TO
  [ "$1" = if-built ] && [ ! -e "$2" ] && return
  mkdir -p "$(dirname "$3")"
  case $1 in
    link) ln -sf "$2" "$3" ;;
    form) fill_in <"$2" >"$3" && chmod 644 "$3" ;;
    program | if-built) put_binary 755 "$2" "$3" ;;
    library) put_binary 644 "$2" "$3" ;;
    *) install -m "$1" "$2" "$3" ;;
  esac
}

case ${1-} in
  install)
    list | while read -r how from place; do put "$how" "$from" "$DESTDIR$place"; done
    echo "installed: $([ -n "$PARTS" ] || echo "$DESTDIR$PREFIX/bin/strew, ")the module in $DESTDIR$LUADIR, libraries in $DESTDIR$LIBDIR, headers in $DESTDIR$PREFIX/include"
    ;;
  uninstall)
    list | while read -r _ _ place; do rm -f "$DESTDIR$place"; done
    # strew's own folders, and Lua's if they are empty.
    for folder in "$PREFIX/share/strew/luacats" "$PREFIX/share/strew" "$PREFIX/share/doc/strew" \
      "$LIBDIR/cmake/strew" "$LIBDIR/cmake" "$LUADIR/strew" "$LUADIR" "$(dirname "$LUADIR")"; do
      [ ! -d "$DESTDIR$folder" ] || rmdir --ignore-fail-on-non-empty "$DESTDIR$folder"
    done
    ;;
  *)
    sed -n '2p' "$0" >&2
    exit 2
    ;;
esac
