/* strew_nested.c: converts nested Lua tables to tensors and back.

   One function walks a table twice: first to find shape and kind, then to store. Both walks check everything, since
   allocating the buffer in between may run a finalizer that changes the table. Tables are read raw; a table that
   contains itself ends at the largest rank. Entries are named as scripts write them: x[2][3]. */
#include "strew_bind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ tables to tensors */

enum kind { NOTHING, BOOLEANS, INTEGERS, FLOATS, WORDS };

struct walk {
  struct script_call *call;
  int rank; /* -1 until the first element is reached */
  int64_t sizes[STREW_MAX_RANK];
  int64_t at[STREW_MAX_RANK]; /* position, counted from 1 */
  enum kind kind;
  strew_dtype dtype;
  bool is_time;     /* elements are texts of times */
  bool may_be_text; /* strings are words */
  const char *format;
  unsigned char *next; /* destination of the next element, of words their addresses; NULL in the first walk */
  size_t *lengths;     /* destination of the next word's length */
};

enum { ENTRY_BYTES = STREW_MAX_RANK * 22 + 2 };

/* "x[2][3]" */
static const char *text_of_entry(const struct walk *walk, int depth, char *text) {
  int length = snprintf(text, ENTRY_BYTES, "x");
  for (int d = 0; d < depth; d++)
    length += snprintf(text + length, ENTRY_BYTES - (size_t)length, "[%" PRId64 "]", walk->at[d]);
  return text;
}

/* The entry that the others are compared with: the first element on each level. */
static const char *text_of_first(const struct walk *walk, int depth, char *text) {
  struct walk first = *walk;
  for (int d = 0; d < depth; d++) first.at[d] = 1;
  return text_of_entry(&first, depth, text);
}

static bool fail_entry(struct walk *walk, int depth, const char *fact, const char *rule) {
  char entry[ENTRY_BYTES];
  bind_fail(walk->call, STREW_EARGUMENT, "x", "has %s at %s, %s", fact, text_of_entry(walk, depth, entry), rule);
  return false;
}

static bool fail_ragged(struct walk *walk, int depth, const char *is, const char *expected) {
  char entry[ENTRY_BYTES], first[ENTRY_BYTES];
  bind_fail(walk->call, STREW_ESHAPE, "x", "is ragged, %s %s where %s %s", text_of_entry(walk, depth, entry), is,
            text_of_first(walk, depth, first), expected);
  return false;
}

static void note_position(struct walk *walk, int depth) {
  strew_error *error = &walk->call->error;
  error->position_rank = depth;
  for (int d = 0; d < depth; d++) error->position[d] = walk->at[d] - 1;
}

static bool fail_element(struct walk *walk, int depth, strew_scalar value, const char *fact) {
  char text[TEXT_BYTES];
  strew_error *error = &walk->call->error;
  snprintf(text, sizeof text, "which %s cannot hold", strew_dtype_name(walk->dtype));
  fail_entry(walk, depth, fact, text);
  error->code = STREW_EVALUE;
  error->has_value = true;
  error->value = value;
  return note_position(walk, depth), false;
}

static enum kind kind_of(strew_scalar value) {
  return value.dtype == STREW_BOOL ? BOOLEANS : value.dtype == STREW_INT64 ? INTEGERS : FLOATS;
}

/* Stores the number or boolean on top of the stack. */
static bool walk_element(lua_State *L, struct walk *walk, int depth) {
  char text[TEXT_BYTES];
  int i = lua_gettop(L);
  strew_scalar value;
  if (walk->rank < 0) walk->rank = depth;
  if (depth < walk->rank) {
    snprintf(text, sizeof text, "is a %s", luaL_typename(L, i));
    return fail_ragged(walk, depth, text, "is a table");
  }
  if (!bind_scalar(L, walk->call, i, "x", &value)) return false;
  enum kind kind = kind_of(value);
  if (walk->kind == WORDS)
    return fail_entry(walk, depth, bind_text(L, walk->call, i, text), "words and numbers do not mix");
  if (walk->kind != NOTHING && (kind == BOOLEANS) != (walk->kind == BOOLEANS))
    return fail_entry(walk, depth, bind_text(L, walk->call, i, text), "booleans and numbers do not mix");
  if (kind > walk->kind) walk->kind = kind;
  if (!walk->next) return true;
  if (strew_scalar_store(value, STREW_TRUNCATE, walk->dtype, walk->next, NULL) != STREW_OK)
    return fail_element(walk, depth, value, bind_text(L, walk->call, i, text));
  walk->next += strew_dtype_size_bytes(walk->dtype);
  return true;
}

/* Stores the time whose text is on top of the stack. */
static bool walk_time(lua_State *L, struct walk *walk, int depth) {
  char entry[ENTRY_BYTES];
  strew_scalar time;
  strew_error error = {.alias = "time"};
  if (walk->rank < 0) walk->rank = depth;
  if (depth < walk->rank) return fail_ragged(walk, depth, "is a text", "is a table");
  if (strlen(lua_tostring(L, -1)) != lua_rawlen(L, -1))
    return fail_entry(walk, depth, "a text with a zero byte", "expected the text of a time");
  if (strew_time_parse(lua_tostring(L, -1), walk->format, &time, &error) != STREW_OK) {
    const char *fact = error.message + error.fact_at + strlen("is ");
    const int length = error.message + error.lines_at - fact;
    text_of_entry(walk, depth, entry);
    if (error.code == STREW_EARGUMENT)
      bind_fail(walk->call, error.code, "format", "is %.*s", length, fact);
    else
      bind_fail(walk->call, STREW_EVALUE, "x", depth ? "has %.*s, at %s" : "is %.*s", length, fact, entry);
    walk->call->error.has_value = bind_to_value(L, walk->call, lua_gettop(L));
    if (depth) note_position(walk, depth);
    if (*error.hint) bind_hint(walk->call, "%s", error.hint);
    return false;
  }
  if (!walk->next) return true;
  memcpy(walk->next, &time.as.i, sizeof time.as.i);
  walk->next += sizeof time.as.i;
  return true;
}

/* Stores the address of the word on top of the stack, which its table keeps. */
static bool walk_word(lua_State *L, struct walk *walk, int depth) {
  char text[TEXT_BYTES];
  if (walk->rank < 0) walk->rank = depth;
  if (depth < walk->rank) return fail_ragged(walk, depth, "is a string", "is a table");
  if (walk->kind != NOTHING && walk->kind != WORDS)
    return fail_entry(walk, depth, bind_text(L, walk->call, lua_gettop(L), text), "words and numbers do not mix");
  if (strlen(lua_tostring(L, -1)) != lua_rawlen(L, -1))
    return fail_entry(walk, depth, "a word with a zero byte", "which no text can hold");
  walk->kind = WORDS;
  if (!walk->next) return true;
  const char *word = lua_tolstring(L, -1, walk->lengths++);
  memcpy(walk->next, &word, sizeof word);
  walk->next += sizeof word;
  return true;
}

static bool walk_value(lua_State *L, struct walk *walk, int depth);

/* True if a sequence of n entries fits here. In the first walk, the first sequence of a level sets the size. */
static bool fits(struct walk *walk, int depth, lua_Unsigned n) {
  char is[TEXT_BYTES], expected[TEXT_BYTES];
  if (walk->rank < 0) walk->sizes[depth] = (int64_t)n;
  if (walk->rank >= 0 && depth >= walk->rank) return fail_ragged(walk, depth, "is a table", "is a number");
  if ((int64_t)n == walk->sizes[depth]) return true;
  snprintf(is, sizeof is, "has %" PRIu64 " element%s", (uint64_t)n, n == 1 ? "" : "s");
  snprintf(expected, sizeof expected, "has %" PRId64, walk->sizes[depth]);
  return fail_ragged(walk, depth, is, expected);
}

/* Walks the table on top of the stack. */
static bool walk_table(lua_State *L, struct walk *walk, int depth) {
  char text[TEXT_BYTES], fact[TEXT_BYTES + 4];
  int table = lua_gettop(L);
  lua_Unsigned n = lua_rawlen(L, table);
  if (depth == STREW_MAX_RANK) {
    bind_fail(walk->call, STREW_ESHAPE, "x", "is nested deeper than %d tables, the greatest rank", STREW_MAX_RANK);
    return false;
  }
  if (n == 0 && luaL_getmetafield(L, table, "__index") != LUA_TNIL)
    return fail_entry(walk, depth, "no entries but those of its metatable", "expected a plain sequence");
  if (!fits(walk, depth, n)) return false;
  for (lua_Unsigned k = 1; k <= n; k++) {
    walk->at[depth] = (int64_t)k;
    if (!bind_may_continue(walk->call, (int64_t)k)) return false;
    lua_rawgeti(L, table, (lua_Integer)k);
    if (!walk_value(L, walk, depth + 1)) return false;
    lua_pop(L, 1);
  }
  if (n == 0 && walk->rank < 0) walk->rank = depth + 1;
  if (!bind_stray_key(L, table, n)) return true;
  if (lua_isinteger(L, -1) && lua_tointeger(L, -1) > (lua_Integer)n) {
    walk->at[depth] = (int64_t)n + 1;
    return fail_entry(walk, depth + 1, "nil", "sequences have no holes");
  }
  snprintf(fact, sizeof fact, "key %s", bind_text(L, walk->call, lua_gettop(L), text));
  fail_entry(walk, depth, fact, "expected a sequence");
  bind_hint_key(L, walk->call, lua_gettop(L));
  return false;
}

static bool walk_value(lua_State *L, struct walk *walk, int depth) {
  char text[TEXT_BYTES];
  int i = lua_gettop(L);
  switch (lua_type(L, i)) {
  case LUA_TNUMBER:
  case LUA_TBOOLEAN:
    if (!walk->is_time) return walk_element(L, walk, depth);
    fail_entry(walk, depth, bind_text(L, walk->call, i, text), "expected the text of a time");
    if (lua_type(L, i) == LUA_TNUMBER)
      bind_hint(walk->call, "strew.time(x, \"s\") reads seconds since 1970, also \"ms\", \"us\" and \"ns\"");
    return false;
  case LUA_TTABLE: return walk_table(L, walk, depth);
  case LUA_TNIL: return fail_entry(walk, depth, "nil", "sequences have no holes");
  case LUA_TSTRING:
    if (walk->is_time) return walk_time(L, walk, depth);
    if (walk->may_be_text) return walk_word(L, walk, depth); /* fall through */
  default:
    fail_entry(walk, depth, bind_text(L, walk->call, i, text), "expected numbers or booleans");
    if (bind_to_box(L, walk->call->binding, i)) bind_hint(walk->call, "strew.stack joins tensors");
    if (lua_islightuserdata(L, i)) /* strew.null */
      bind_hint(walk->call, "missing elements are strew.nan, \"\" among words, \"NaT\" among times");
    return false;
  }
}

/* Walks the value at stack position 1; stores at `next` unless it is NULL. */
static bool walk_all(lua_State *L, struct walk *walk, unsigned char *next) {
  int top = lua_gettop(L);
  walk->next = next;
  lua_pushvalue(L, 1);
  bool is_fine = walk_value(L, walk, 0);
  lua_settop(L, top);
  return is_fine;
}

static bool count_bytes(struct walk *walk, size_t *size_bytes) {
  int64_t bytes = (int64_t)strew_dtype_size_bytes(walk->dtype);
  for (int d = 0; d < walk->rank; d++) {
    if (walk->sizes[d] && bytes > INT64_MAX / walk->sizes[d]) {
      bind_fail(walk->call, STREW_ESHAPE, "x", "has more elements than can be addressed");
      return false;
    }
    bytes *= walk->sizes[d];
  }
  *size_bytes = (size_t)bytes;
  return true;
}

/* Creates the box's tensor from the table, number, boolean or text at stack position 1. */
static bool from_value(lua_State *L, struct script_call *call, int dtype, const char *format, strew_device *device,
                       strew_tensor **out) {
  static const strew_dtype dtypes[] = {STREW_FLOAT32, STREW_BOOL, STREW_INT64, STREW_FLOAT32, STREW_TEXT};
  struct walk walk = {.call = call,
                      .rank = -1,
                      .is_time = dtype == STREW_TIME,
                      .may_be_text = dtype < 0 || dtype == STREW_TEXT,
                      .format = format};
  const int top = lua_gettop(L);
  size_t size_bytes;
  if (!walk_all(L, &walk, NULL)) return false;
  walk.dtype = dtype < 0 ? dtypes[walk.kind] : (strew_dtype)dtype;
  if (walk.dtype == STREW_TEXT && walk.kind != WORDS && walk.kind != NOTHING)
    return bind_fail(call, STREW_EDTYPE, "x", "has numbers, expected words"), false;
  if (!count_bytes(&walk, &size_bytes)) return false;
  const size_t count = walk.dtype == STREW_TEXT ? size_bytes / sizeof(int32_t) : 0;
  if (walk.dtype == STREW_TEXT) size_bytes = count * sizeof(char *);
  size_t *lengths = walk.lengths = lua_newuserdatauv(L, count * sizeof *lengths + 1, 0);
  unsigned char *buffer = lua_newuserdatauv(L, size_bytes + 1, 0); /* Lua memory, so that errors leak nothing */
  bool is_fine = walk_all(L, &walk, buffer);
  if (is_fine && walk.dtype == STREW_TEXT)
    is_fine = strew_text_from(device, walk.rank, walk.sizes, (const char *const *)(void *)buffer, lengths, out,
                              &call->error) == STREW_OK;
  else if (is_fine)
    is_fine = strew_from(device, walk.dtype, walk.rank, walk.sizes, buffer, out, &call->error) == STREW_OK;
  lua_settop(L, top);
  return is_fine;
}

static bool from_tensor(const struct arguments *a, strew_tensor **out) {
  strew_device *own = strew_tensor_device(a->x), *device = a->device ? a->device : own;
  const strew_dtype is = strew_tensor_dtype(a->x), dtype = a->dtype < 0 ? is : (strew_dtype)a->dtype;
  if (dtype == is && device == own) return strew_clone(a->x, out, a->error) == STREW_OK;
  return strew_to(a->x, device, dtype, out, a->error) == STREW_OK;
}

/* Stores a tensor; a table, number or boolean is read later. */
bool bind_source(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_type(L, i) == LUA_TUSERDATA) return bind_tensor(L, call, i, name, out);
  if (lua_istable(L, i) || lua_isboolean(L, i) || lua_type(L, i) == LUA_TNUMBER || lua_type(L, i) == LUA_TSTRING)
    return true;
  return bind_fail_type(L, call, i, name, "a number, boolean, string, table or tensor");
}

/* strew.tensor(x [, {dtype, device}]) */
static int tensor(lua_State *L, struct script_call *call) {
  luaL_checkstack(L, 2 * STREW_MAX_RANK + LUA_MINSTACK, "too many nested tables");
  strew_tensor **out = bind_result(L, call);
  struct arguments a;
  a.x = NULL;
  if (!bind_read(L, call, &a)) {
    if (lua_isnumber(L, 1) && lua_isnumber(L, 2)) bind_hint(call, "strew.tensor{1, 2, 3} takes its numbers in braces");
    return -1;
  }
  bool is_fine =
      a.x ? from_tensor(&a, out) : from_value(L, call, a.dtype, NULL, a.device ? a.device : call->binding->device, out);
  return is_fine ? 1 : -1;
}

static bool is_unit(const char *format) {
  static const char *const units[] = {"s", "ms", "us", "ns"};
  for (int i = 0; format && i < 4; i++)
    if (strcmp(format, units[i]) == 0) return true;
  return false;
}

enum { PLAIN = 1 }; /* neither text nor a unit, which text_time/words.lua reads */

/* strew.time(x [, format] [, {device}]) */
static int time_of(lua_State *L, struct script_call *call) {
  luaL_checkstack(L, 2 * STREW_MAX_RANK + LUA_MINSTACK, "too many nested tables");
  strew_tensor **out = bind_result(L, call);
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  if (call->row->code != PLAIN && (is_unit(a.format) || bind_dtype_at(L, call->binding, 1) == STREW_TEXT))
    return bind_run_row(L, call, &bind_time_row);
  strew_device *device = a.device ? a.device : call->binding->device;
  if (lua_type(L, 1) != LUA_TUSERDATA) return from_value(L, call, STREW_TIME, a.format, device, out) ? 1 : -1;
  if (!bind_tensor(L, call, 1, "x", &a.x)) return -1;
  if (a.format)
    return bind_fail(call, STREW_EARGUMENT, "format",
                     "is \"%.40s\", expected \"s\", \"ms\", \"us\" or \"ns\" for a tensor of numbers", a.format);
  return bind_end(strew_to(a.x, a.device ? device : strew_tensor_device(a.x), STREW_TIME, out, a.error), 1);
}

/* ------------------------------------------------------------------------------------------------ tensors to tables */

struct unread {
  struct script_call *call;
  int self, words; /* of text: the stack positions of the tensor, and of a table of words, by their codes */
  strew_dtype dtype;
  int rank;
  int64_t sizes[STREW_MAX_RANK];
  const unsigned char *next;
};

/* Pushes a word, which Lua makes once. */
static bool push_word(lua_State *L, struct unread *unread, int64_t code) {
  strew_tensor *self;
  if (lua_rawgeti(L, unread->words, code) != LUA_TNIL) return true;
  lua_pop(L, 1);
  if (!bind_tensor(L, unread->call, unread->self, "self", &self)) return false;
  bind_push_word(L, self, code);
  lua_pushvalue(L, -1);
  lua_rawseti(L, unread->words, code);
  return true;
}

static bool push_level(lua_State *L, struct unread *unread, int depth) {
  if (depth == unread->rank) {
    const strew_scalar element = strew_scalar_load(unread->dtype, unread->next);
    strew_tensor *self = NULL; /* of a number that Lua's integers do not hold */
    if (element.dtype == STREW_UINT64 && !bind_tensor(L, unread->call, unread->self, "self", &self)) return false;
    if (element.dtype == STREW_TEXT ? !push_word(L, unread, element.as.i)
                                    : !bind_push_element(L, unread->call, self, element))
      return false;
    unread->next += strew_dtype_size_bytes(unread->dtype);
    return true;
  }
  int64_t size = unread->sizes[depth];
  lua_createtable(L, size < INT32_MAX ? (int)size : 0, 0);
  for (int64_t k = 1; k <= size; k++) {
    if (!bind_may_continue(unread->call, k) || !push_level(L, unread, depth + 1)) return false;
    lua_rawseti(L, -2, k);
  }
  return true;
}

/* Copies the elements to Lua memory first: creating the tables may run a finalizer. */
static int tolist(lua_State *L, struct script_call *call) {
  luaL_checkstack(L, 2 * STREW_MAX_RANK + LUA_MINSTACK, "too many nested tables");
  struct arguments a;
  strew_tensor *self;
  int position;
  if (!bind_read(L, call, &a) || !(position = bind_push_self(L, call, &self))) return -1;
  struct unread unread = {.call = call};
  size_t element_bytes = strew_dtype_size_bytes(strew_tensor_dtype(self));
  int64_t numel = strew_tensor_numel(self);
  if (numel > INT64_MAX / 16)
    return bind_fail(call, STREW_EMEMORY, "self", "has %lld elements, more than fit into memory", (long long)numel);
  void *buffer = lua_newuserdatauv(L, (size_t)numel * element_bytes + 1, 0);
  if (!bind_tensor(L, call, position, "self", &self) ||
      strew_read(self, buffer, (size_t)numel * element_bytes, &call->error) != STREW_OK)
    return -1;
  unread.dtype = strew_tensor_dtype(self);
  unread.rank = strew_tensor_rank(self);
  unread.next = buffer;
  unread.self = position;
  memcpy(unread.sizes, strew_tensor_sizes(self), (size_t)unread.rank * sizeof *unread.sizes);
  if (unread.dtype == STREW_TEXT) lua_newtable(L);
  unread.words = lua_gettop(L);
  return push_level(L, &unread, 0) ? 1 : -1;
}

const struct script_function bind_table_rows[] = {
    {"tensor", tensor, 0, FUNCTION, "x:source dtype?dtype device?device"},
    {"time", time_of, 0, FUNCTION | CONSTANT, "x:any format?word device=device"},
    {"read_time", time_of, PLAIN, INNER | CONSTANT, "x:any format?word device=device"},
    {"tolist", tolist, 0, ALWAYS, "self:tensor"},
    {NULL},
};
