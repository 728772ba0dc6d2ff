-- The Lua module, from a checkout: luarocks --lua-version 5.4 make scripts/packaging/strew-dev-1.rockspec
rockspec_format = "3.0"
package = "strew"
version = "dev-1"
source = {url = "file://."}
description = {
  summary = "Tensors whose built-ins are the scatter family",
  license = "MIT",
}
dependencies = {"lua >= 5.4"}
external_dependencies = {
  PTHREADPOOL = {header = "pthreadpool.h"},
  ZIP = {header = "zip.h"},
  PNG = {header = "png.h"},
  ZLIB = {header = "zlib.h"},
}
build = {
  type = "make",
  build_target = "build/strew.so",
  build_variables = {CC = "$(CC)", LUA_CFLAGS = "-I$(LUA_INCDIR)", LUA_LIBS = ""},
  install_target = "rock",
  install_variables = {CC = "$(CC)", LUA_CFLAGS = "-I$(LUA_INCDIR)", LUA_LIBS = "", LUADIR = "$(LIBDIR)"},
}
