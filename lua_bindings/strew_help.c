/* strew_help.c: strew.help, and the names of functions and objects; see strew_hints.c. */
#include "lua_bindings/core/strew_bind.h"

#include <string.h>

/* The name of the function that makes the value at i; NULL: none does. */
static const char *maker_of(lua_State *L, int i) {
  static const char *const makers[][2] = {{"expression", "expr"}, {"bound expression", "expr"}, {"tensor", "tensor"}};
  if (lua_type(L, i) != LUA_TUSERDATA || luaL_getmetafield(L, i, "__name") != LUA_TSTRING) return NULL;
  const char *name = lua_tostring(L, -1); /* the metatable holds it */
  for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
    if (!strcmp(name, makers[k][0])) name = makers[k][1];
  return lua_pop(L, 1), name;
}

/* A name, a function of the module, or one of its objects. */
bool bind_topic(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return lua_tocfunction(L, i) == bind_dispatch || maker_of(L, i) || bind_string(L, call, i, name, out);
}

/* name_of(value): the name of a function of the module, an upvalue, or of that which makes an object; any other value
   as it is. */
static int name_of(lua_State *L, struct script_call *call) {
  (void)call;
  const char *maker = maker_of(L, 1);
  if (maker)
    lua_pushstring(L, maker);
  else if (lua_tocfunction(L, 1) == bind_dispatch)
    lua_getupvalue(L, 1, NAME_UPVALUE);
  else
    lua_settop(L, 1);
  return 1;
}

static int help_pages(lua_State *L, struct script_call *call) { return (void)call, bind_help_pages(L); }
static int hints(lua_State *L, struct script_call *call) { return (void)call, bind_hints(L); }

/* help([name] [, {search}]): prints, as at the prompt. */
static int help(lua_State *L, struct script_call *call) { return bind_print_text(L, call, &bind_help_row); }

const struct script_function bind_help_rows[] = {{"help", help, 0, FUNCTION | CONSTANT},
                                                 {"name_of", name_of, 0, INNER | CONSTANT},
                                                 {"help_pages", help_pages, 0, INNER | CONSTANT},
                                                 {"hints", hints, 0, INNER | CONSTANT},
                                                 {NULL}};
