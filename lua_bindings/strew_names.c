/* strew_names.c: names that do not exist, and which of those that do was meant. */
#include "strew_bind.h"

#include <stdio.h>
#include <string.h>

/* What other libraries have, under names that this one does not know: as an expression, where t is a tensor; NULL: a
   call for each element, which nothing here is. */
static const struct {
  const char *name, *here;
} elsewhere[] = {{"double", "t:to(\"float64\")"},
                 {"float", "t:to(\"float32\")"},
                 {"half", "t:to(\"float16\")"},
                 {"long", "t:to(\"int64\")"},
                 {"int", "t:to(\"int32\")"},
                 {"short", "t:to(\"int16\")"},
                 {"char", "t:to(\"int8\")"},
                 {"byte", "t:to(\"uint8\")"},
                 {"astype", "t:to(dtype)"},
                 {"cpu", "t:to(\"cpu\")"},
                 {"cuda", "t:to(\"opencl\")"},
                 {"numpy", "t:tolist()"},
                 {"T", "t:t()"},
                 {"ndim", "t:dim()"},
                 {"nelement", "t:numel()"},
                 {"len", "#t"},
                 {"type", "t.dtype"},
                 {"map", NULL},
                 {"apply", NULL},
                 {"swapaxes", "t:transpose(0, 1)"},
                 {"array", "strew.tensor(x)"},
                 {"asarray", "strew.tensor(x)"},
                 {"concat", "strew.cat{t, t}"},
                 {"concatenate", "strew.cat{t, t}"},
                 {"zeros_like", "strew.zeros(t.shape)"},
                 {"ones_like", "strew.ones(t.shape)"},
                 {"empty_like", "strew.empty(t.shape)"},
                 {"full_like", "strew.full(t.shape, x)"}};

/* Scripts may add names to the module, as many as they like; it has some hundreds itself. */
enum { MOST_KEYS = 4096 };

int bind_hint_guess(struct call *call, const strew_guess *guess) {
  return guess->nearest ? bind_hint(call, "did you mean '%s'?", guess->nearest) : -1;
}

void bind_guess_keys(lua_State *L, int i, strew_guess *guess) {
  int keys = 0;
  lua_pushnil(L);
  while (keys++ < MOST_KEYS && lua_next(L, i)) {
    if (lua_type(L, -2) == LUA_TSTRING) strew_guess_name(guess, lua_tostring(L, -2));
    lua_pop(L, 1);
  }
}

int bind_fail_name(struct call *call, const char *owner, const strew_guess *guess) {
  strew_dtype dtype;
  bind_fail(call, STREW_EARGUMENT, NULL, "-");
  snprintf(call->error.message, sizeof call->error.message, "%s has no '%.60s'", owner, guess->wanted);
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
    if (strcmp(elsewhere[i].name, guess->wanted) != 0) continue;
    if (elsewhere[i].here) return bind_hint(call, "here it is %s", elsewhere[i].here);
    return bind_hint(call, "operators and calls take all elements at once: t * 2, t:exp()");
  }
  if (strew_dtype_from_word(guess->wanted, &dtype, NULL) == STREW_OK)
    return bind_hint(call, "a dtype is a word: {dtype = \"%s\"}, t:to(\"%s\")", guess->wanted, guess->wanted);
  return bind_hint_guess(call, guess);
}
