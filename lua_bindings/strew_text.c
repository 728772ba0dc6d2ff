/* strew_text.c: what family/words.lua, the operations of text, needs of the library. */
#include "strew_bind.h"

#include <string.h>

/* The sequence of words at position 2 as arrays in Lua memory, which is pushed; false: call->error is filled. */
static bool read_words(lua_State *L, struct script_call *call, lua_Unsigned count, const char ***words,
                       size_t **lengths) {
  char text[TEXT_BYTES];
  *words = lua_newuserdatauv(L, (size_t)count * (sizeof **words + sizeof **lengths) + 1, 0);
  *lengths = (size_t *)(void *)(*words + count);
  for (lua_Unsigned i = 0; i < count; i++) {
    if (!bind_may_continue(call, (int64_t)i + 1)) return false;
    if (lua_rawgeti(L, 2, (lua_Integer)i + 1) != LUA_TSTRING) {
      bind_fail(call, STREW_EARGUMENT, "words", "has %s at [%llu], expected a string",
                bind_text(L, call, lua_gettop(L), text), (unsigned long long)i + 1);
      return false;
    }
    (*words)[i] = lua_tolstring(L, -1, &(*lengths)[i]); /* the table keeps it */
    lua_pop(L, 1);
  }
  return true;
}

/* make_text(codes, words): of words, or those of another text. */
static int make_text(lua_State *L, struct script_call *call) {
  strew_tensor **out = bind_result(L, call), *codes, *like;
  const char **words;
  size_t *lengths;
  if (!lua_istable(L, 2)) {
    if (!bind_tensor(L, call, 1, "codes", &codes) || !bind_tensor(L, call, 2, "words", &like)) return -1;
    return bind_end(strew_text_like(codes, like, out, &call->error), 1);
  }
  const lua_Unsigned count = lua_rawlen(L, 2);
  const int top = lua_gettop(L);
  if (!bind_check_sequence(L, call, 2, "words", " of strings")) return -1;
  if (!read_words(L, call, count, &words, &lengths) || !bind_tensor(L, call, 1, "codes", &codes)) return -1;
  const strew_status status = strew_text(codes, (int64_t)count, words, lengths, out, &call->error);
  lua_settop(L, top);
  return bind_end(status, 1);
}

/* aligned(a, b): both with one list; ordered(a [, b]): with a sorted one. */
static strew_status align(struct arguments *a, bool is_ordered) {
  strew_tensor *const texts[] = {a->self, a->other};
  strew_tensor *made[2];
  const strew_status status = strew_text_align(a->second ? 2 : 1, texts, is_ordered, made, a->error);
  if (status != STREW_OK) return status;
  *a->out = made[0];
  if (a->second) *a->second = made[1];
  return STREW_OK;
}
static strew_status aligned(struct arguments *a) { return align(a, false); }
static strew_status ordered(struct arguments *a) { return align(a, true); }
static strew_status sorted(struct arguments *a) { return a->second = NULL, align(a, true); }

/* word_code(t, word): the code of a word of a text, or -1. word_place(t, word): the number of words below it, and whether
   it is there; the text's are sorted. */
enum { CODE, PLACE };
static int find(lua_State *L, struct script_call *call) {
  strew_tensor *self;
  size_t length;
  if (!bind_tensor(L, call, 1, "self", &self)) return -1;
  const char *word = luaL_checklstring(L, 2, &length);
  const int64_t code = strew_word_code(self, word, length);
  if (call->row->code == CODE) return lua_pushinteger(L, code), 1;
  int64_t low = 0, high = strew_word_count(self);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (strcmp(strew_word(self, middle, NULL), word) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  lua_pushinteger(L, low);
  lua_pushboolean(L, code >= 0);
  return 2;
}

const struct script_function bind_text_rows[] = {
    {"make_text", make_text, 0, INNER | CONSTANT},
    {"aligned", bind_two, 0, INNER | CONSTANT, "self:tensor other:tensor", aligned},
    {"ordered", bind_two, 0, INNER | CONSTANT, "self:tensor other:tensor", ordered},
    {"sorted", bind_one, 0, INNER | CONSTANT, "self:tensor", sorted},
    {"word_code", find, CODE, INNER | CONSTANT},
    {"word_place", find, PLACE, INNER | CONSTANT},
    {NULL},
};
