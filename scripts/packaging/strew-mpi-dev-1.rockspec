-- strew.mpi, from a checkout: luarocks --lua-version 5.4 make scripts/packaging/strew-mpi-dev-1.rockspec
rockspec_format = "3.0"
package = "strew-mpi"
version = "dev-1"
source = {url = "file://."}
description = {
  summary = "Tensors of strew over the processes of an MPI job",
  license = "MIT",
}
dependencies = {"lua >= 5.4", "strew"}
build = {
  type = "make",
  build_target = "build/modules/strew/mpi.so",
  build_variables = {CC = "$(CC)", LUA_CFLAGS = "-I$(LUA_INCDIR)", LUA_LIBS = ""},
  install_target = "rock-mpi",
  install_variables = {CC = "$(CC)", LUA_CFLAGS = "-I$(LUA_INCDIR)", LUA_LIBS = "", LUADIR = "$(LIBDIR)"},
}
