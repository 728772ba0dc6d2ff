/* other_lua.h: included by every file of the bindings that calls Lua. Functions that an older Lua lacks are weak, so that
   strew.so can be loaded there, and luaopen_strew says which Lua it needs in place of the linker's "undefined symbol". */
#ifndef STREW_OTHER_LUA_H
#define STREW_OTHER_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* 5.3 lacks these, */
#pragma weak luaL_typeerror
#pragma weak lua_getiuservalue
#pragma weak lua_newuserdatauv
#pragma weak lua_setiuservalue
#pragma weak lua_warning
#if LUA_VERSION_NUM == 504
#pragma weak lua_resetthread
#endif
/* 5.2 these, too, */
#pragma weak lua_geti
#pragma weak lua_isinteger
#pragma weak lua_rotate
#pragma weak lua_seti
#pragma weak luaopen_utf8
/* 5.1 and LuaJIT all. */
#pragma weak luaL_buffinitsize
#pragma weak luaL_getsubtable
#pragma weak luaL_len
#pragma weak luaL_prepbuffsize
#pragma weak luaL_pushresultsize
#pragma weak luaL_requiref
#pragma weak luaL_setfuncs
#pragma weak luaL_testudata
#pragma weak luaL_tolstring
#pragma weak lua_callk
#pragma weak lua_compare
#pragma weak lua_copy
#pragma weak lua_getglobal
#pragma weak lua_pcallk
#pragma weak lua_rawgetp
#pragma weak lua_rawlen
#pragma weak lua_rawsetp
#pragma weak lua_setglobal
#pragma weak lua_tointegerx
#pragma weak lua_tonumberx
#pragma weak lua_version
#pragma weak luaopen_coroutine

#endif
