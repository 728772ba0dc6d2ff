/* strew_arguments.c: converts Lua values to arguments of the runtime, and reports those that do not fit. No reading
   allocates Lua memory or calls a metamethod: strings are read only if they are strings, tables raw. See strew_bind.h
   for the reason. */
#include "runtime/core/shared/tables.h"
#include "strew_bind.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bind_may_continue(struct script_call *call, int64_t entry) {
  enum { ENTRIES = 4096 };
  return entry % ENTRIES != 1 || strew_context_check(call->binding->context, 0, &call->error) == STREW_OK;
}

bool bind_to_scalar(lua_State *L, int i, strew_scalar *out) {
  switch (lua_type(L, i)) {
  case LUA_TBOOLEAN: *out = strew_bool(lua_toboolean(L, i)); return true;
  case LUA_TNUMBER:
    *out = lua_isinteger(L, i) ? strew_int(lua_tointeger(L, i)) : strew_float(lua_tonumber(L, i));
    return true;
  default: return false;
  }
}

bool bind_to_value(lua_State *L, struct script_call *call, int i) {
  if (lua_type(L, i) != LUA_TSTRING) return bind_to_scalar(L, i, &call->error.value);
  lua_pushvalue(L, i);
  lua_setiuservalue(L, lua_upvalueindex(1), ERROR_VALUE);
  return call->error.value = (strew_scalar){.dtype = STREW_TEXT, .as.i = -1}, true;
}

bool bind_fail_type(lua_State *L, struct script_call *call, int i, const char *name, const char *expected) {
  char text[TEXT_BYTES];
  if (bind_note_bound(L, call, i)) return false;
  bind_fail(call, STREW_EARGUMENT, name, "is %s, expected %s", bind_text(L, call, i, text), expected);
  call->error.has_value = lua_type(L, i) != LUA_TSTRING && bind_to_scalar(L, i, &call->error.value);
  if (lua_type(L, i) == LUA_TUSERDATA && luaL_getmetafield(L, i, "__hint") == LUA_TSTRING) /* of struct owner_type */
    bind_hint(call, "%s", lua_tostring(L, -1)), lua_pop(L, 1);
  return false;
}

/* ----------------------------------------------------------------------------------------------------- one argument */

/* The tensor in the box of argument i, NULL if it was freed. */
static strew_tensor *open_box(struct script_call *call, const struct box *box, int i, const char *name) {
  if (!box->tensor) bind_fail(call, STREW_EFREED, name, "was freed");
  if (i == 1) call->self = box->tensor;
  return box->tensor;
}

bool bind_tensor(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct box *box = bind_to_box(L, call->binding, i);
  if (!box && bind_note_bound(L, call, i)) return false;
  if (!box) {
    bind_fail_type(L, call, i, name, "a tensor");
    bind_hint_tensor(L, call, i, name);
    return false;
  }
  return (*(strew_tensor **)out = open_box(call, box, i, name)) != NULL;
}

/* The grouping in the box of argument i, NULL if it was freed. */
static strew_grouping *open_grouping(struct script_call *call, const struct box *box, const char *name) {
  if (!box->grouping) bind_fail(call, STREW_EFREED, name, "was freed");
  return box->grouping;
}

bool bind_grouping(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct box *box = bind_to_grouping(L, call->binding, i);
  if (!box) return bind_fail_type(L, call, i, name, "a grouping");
  return (*(strew_grouping **)out = open_grouping(call, box, name)) != NULL;
}

bool bind_index(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  strew_groups *index = out;
  struct box *box = bind_to_grouping(L, call->binding, i);
  *index = strew_by_index(NULL);
  if (box) return (index->grouping = open_grouping(call, box, name)) != NULL;
  return bind_tensor(L, call, i, name, &index->index);
}

bool bind_check_beside(struct script_call *call, const strew_grouping *grouping, const strew_tensor *src) {
  strew_device *device = strew_grouping_device(grouping), *its = strew_tensor_device(src);
  if (its == device) return true;
  bind_fail(call, STREW_EDEVICE, "src", "is on %s, the grouping on %s", strew_device_name(its),
            strew_device_name(device));
  return bind_hint(call, "src:to(\"%s\")", strew_device_name(device)), false;
}

bool bind_check_grouping(const struct arguments *a) {
  if (!a->groups.grouping) return true;
  if (a->src && !bind_check_beside(a->call, a->groups.grouping, a->src)) return false;
  if (a->dim_size != -1)
    bind_fail(a->call, STREW_EARGUMENT, "dim_size", "cannot be combined with a grouping, which has %lld groups",
              (long long)strew_grouping_size(a->groups.grouping));
  else if (a->mode != STREW_ERROR)
    bind_fail(a->call, STREW_EARGUMENT, "mode", "cannot be combined with a grouping, which has checked its ids");
  else
    return true;
  return false;
}

bool bind_check_correction(lua_State *L, struct script_call *call, struct arguments *a) {
  if (a->unbiased && a->correction == 1) return true;
  if (bind_names(L, call, "unbiased") && bind_names(L, call, "correction"))
    return bind_fail(call, STREW_EARGUMENT, "unbiased", "cannot be combined with 'correction'"), false;
  if (!a->unbiased) a->correction = 0;
  return true;
}

bool bind_scalar(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  return bind_to_scalar(L, i, out) || bind_fail_type(L, call, i, name, "a number or boolean");
}

bool bind_operand(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  strew_operand *operand = out;
  struct box *box = bind_to_box(L, call->binding, i);
  if (box) return (operand->tensor = open_box(call, box, i, name)) != NULL;
  operand->tensor = NULL;
  if (bind_to_scalar(L, i, &operand->number)) return true;
  if (bind_note_bound(L, call, i)) return false;
  bind_fail_type(L, call, i, name, "a tensor, number or boolean");
  bind_hint_tensor(L, call, i, name);
  return false;
}

/* True if the first argument is text or times. */
static bool takes_strings(lua_State *L, const struct script_call *call) {
  const strew_dtype dtype = bind_dtype_at(L, call->binding, 1);
  return dtype == STREW_TEXT || dtype == STREW_TIME;
}

/* A number, or a string, which is what it is beside text or times. */
bool bind_element(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_type(L, i) != LUA_TSTRING)
    return bind_to_scalar(L, i, out) ||
           bind_fail_type(L, call, i, name, takes_strings(L, call) ? "a string" : "a number or boolean");
  *(strew_scalar *)out = strew_string(lua_tostring(L, i));
  if (strlen(lua_tostring(L, i)) == lua_rawlen(L, i)) return true;
  bind_fail(call, STREW_EVALUE, name, "has a text with a zero byte");
  return false;
}

/* An operand, or a string. */
bool bind_comparand(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  strew_operand *operand = out;
  if (lua_type(L, i) != LUA_TSTRING) return bind_operand(L, call, i, name, out);
  operand->tensor = NULL;
  return bind_element(L, call, i, name, &operand->number);
}

/* A tensor; of a first argument that is text or times also a string. */
bool bind_copied(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_type(L, i) == LUA_TSTRING && takes_strings(L, call)) return bind_comparand(L, call, i, name, out);
  return bind_tensor(L, call, i, name, &((strew_operand *)out)->tensor);
}

/* Of a first argument that is text or times a string, or a tensor without dimensions; else a number. */
bool bind_fill(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct filling *fill = out;
  strew_operand given;
  if (!takes_strings(L, call)) return fill->is_given = bind_element(L, call, i, name, &fill->value);
  if (!bind_comparand(L, call, i, name, &given)) return false;
  fill->value = given.number;
  if (given.tensor && strew_item(given.tensor, &fill->value, &call->error) != STREW_OK) return false;
  if (fill->value.dtype == STREW_TEXT) fill->value = strew_string(strew_word(given.tensor, fill->value.as.i, NULL));
  return fill->is_given = true;
}

/* An operand, or a table of numbers, which the function reads. */
bool bind_numbers(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  strew_operand operand;
  (void)out;
  return (lua_istable(L, i) && lua_rawlen(L, i) > 0) || bind_operand(L, call, i, name, &operand);
}

bool bind_integer(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  int is_integer = 0;
  lua_Integer value = lua_type(L, i) == LUA_TNUMBER ? lua_tointegerx(L, i, &is_integer) : 0;
  if (!is_integer) return bind_fail_type(L, call, i, name, "an integer");
  *(int64_t *)out = value;
  return true;
}

static bool is_int(struct script_call *call, const char *name, int64_t value) {
  if (value >= INT_MIN && value <= INT_MAX) return true;
  bind_fail(call, STREW_ESHAPE, name, "is %" PRId64 ", tensors have at most %d dimensions", value, STREW_MAX_RANK);
  return false;
}

bool bind_size(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!bind_integer(L, call, i, name, out)) return false;
  if (*(int64_t *)out >= 0) return true;
  bind_fail(call, STREW_ESHAPE, name, "is %lld, expected 0 or more", (long long)*(int64_t *)out);
  return false;
}

bool bind_dim(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  int64_t value = 0;
  if (!bind_integer(L, call, i, name, &value) || !is_int(call, name, value)) return false;
  *(int *)out = (int)value;
  return true;
}

bool bind_float(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_type(L, i) != LUA_TNUMBER) return bind_fail_type(L, call, i, name, "a number");
  *(double *)out = lua_tonumber(L, i);
  return true;
}

bool bind_boolean(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!lua_isboolean(L, i)) return bind_fail_type(L, call, i, name, "a boolean");
  *(bool *)out = lua_toboolean(L, i);
  return true;
}

bool bind_table(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (!lua_istable(L, i)) return bind_fail_type(L, call, i, name, "a table");
  *(int *)out = i;
  return true;
}

static bool append(lua_State *L, struct script_call *call, int i, const char *name, struct list *list) {
  if (list->count == STREW_MAX_RANK) {
    bind_fail(call, STREW_ESHAPE, name, "has more than %d entries, the greatest rank", STREW_MAX_RANK);
    return false;
  }
  if (!bind_integer(L, call, i, name, &list->at[list->count])) return false;
  list->count++;
  return true;
}

/* Keeps the key at position `key` at `first` if it comes first: strings by their bytes, then others; nil: there is none. */
static void keep_first(lua_State *L, int key, int first) {
  const bool is_string = lua_type(L, key) == LUA_TSTRING, was_string = lua_type(L, first) == LUA_TSTRING;
  if (lua_isnil(L, first) || (is_string && (!was_string || strcmp(lua_tostring(L, key), lua_tostring(L, first)) < 0)))
    lua_copy(L, key, first);
}

/* Pushes the first string, by its bytes, or another key, after entry n in the table's own order: a message does not
   depend on that. It visits all other keys, except in tables built in an unusual order, where some may be missed. */
bool bind_stray_key(lua_State *L, int i, lua_Unsigned n) {
  lua_pushnil(L);
  const int first = lua_gettop(L);
  if (n)
    lua_pushinteger(L, (lua_Integer)n);
  else
    lua_pushnil(L);
  while (lua_next(L, i)) {
    lua_pop(L, 1);
    if (lua_isinteger(L, -1) && (lua_Unsigned)lua_tointeger(L, -1) - 1 < n) continue;
    keep_first(L, lua_gettop(L), first);
  }
  if (!lua_isnil(L, first)) return true;
  return lua_pop(L, 1), false;
}

bool bind_check_sequence(lua_State *L, struct script_call *call, int i, const char *name, const char *of) {
  char text[TEXT_BYTES];
  if (!bind_stray_key(L, i, lua_rawlen(L, i))) return true;
  bind_fail(call, STREW_EARGUMENT, name, "has key %s, expected a sequence%s", bind_text(L, call, lua_gettop(L), text),
            of);
  return false;
}

strew_tensor *bind_entry(lua_State *L, struct script_call *call, int i, lua_Integer k, const char *name) {
  char text[TEXT_BYTES];
  lua_rawgeti(L, i, k);
  const struct box *box = bind_to_box(L, call->binding, -1);
  bind_note_bound(L, call, -1);
  if (!box)
    bind_fail(call, STREW_EARGUMENT, name, "holds %s at [%lld], expected a tensor",
              bind_text(L, call, lua_gettop(L), text), (long long)k);
  else if (!box->tensor)
    bind_fail(call, STREW_EFREED, name, "holds a tensor at [%lld] that was freed", (long long)k);
  lua_pop(L, 1);
  return box ? box->tensor : NULL;
}

void bind_hint_key(lua_State *L, struct script_call *call, int i) {
  const char *key = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : "";
  if (strcmp(key, "dtype") == 0 || strcmp(key, "device") == 0)
    bind_hint(call, "pass options in a table of their own, after this one: {%s = ...}", key);
}

bool bind_list(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct list *list = out;
  list->is_given = true;
  list->count = 0;
  if (!lua_istable(L, i)) return append(L, call, i, name, list);
  lua_Unsigned n = lua_rawlen(L, i);
  for (lua_Unsigned k = 1; k <= n; k++) {
    lua_rawgeti(L, i, (lua_Integer)k);
    if (!append(L, call, lua_gettop(L), name, list)) return false;
    lua_pop(L, 1);
  }
  return bind_check_sequence(L, call, i, name, "") || (bind_hint_key(L, call, lua_gettop(L)), false);
}

bool bind_dims(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  struct list *list = out;
  if (!bind_list(L, call, i, name, list)) return false;
  for (int k = 0; k < list->count; k++)
    if (!is_int(call, name, list->at[k])) return false;
  return true;
}

bool bind_string(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  if (lua_type(L, i) != LUA_TSTRING) return bind_fail_type(L, call, i, name, "a string");
  *(const char **)out = lua_tostring(L, i);
  return true;
}

bool bind_wanted_dtype(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  strew_dtype dtype;
  if (!bind_dtype(L, call, i, name, &dtype)) return false;
  *(int *)out = dtype;
  return true;
}

bool bind_device(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const char *spec = NULL;
  return bind_string(L, call, i, name, &spec) &&
         strew_device_find(call->binding->context, spec, out, &call->error) == STREW_OK;
}

/* The readers of words of enumerators. */
bool bind_dtype(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const char *word = NULL;
  return bind_string(L, call, i, name, &word) && strew_dtype_from_word(word, out, &call->error) == STREW_OK;
}
#define WORD(type, words)                                                                                              \
  bool bind_##type(lua_State *L, struct script_call *call, int i, const char *name, void *out) {                       \
    const char *word = NULL;                                                                                           \
    return bind_string(L, call, i, name, &word) && strew_enum_from_word(words, word, out, &call->error) == STREW_OK;   \
  }
WORD(reduction, STREW_WORDS_REDUCTION)
WORD(group_reduction, STREW_WORDS_GROUP_REDUCTION)
WORD(mode, STREW_WORDS_MODE)
WORD(interpolation, STREW_WORDS_INTERPOLATION)
WORD(colormap, STREW_WORDS_COLORMAP)
#undef WORD

/* ---------------------------------------------------------------------------------------------------- all arguments */

static bool has_key(const struct parameter *parameter) {
  return parameter->presence == OPTIONAL || parameter->presence == LISTED || parameter->presence == KEYED;
}

/* Appends words to a text of `size` bytes, truncated at its end. */
static void add_text(char *text, size_t size, const char *before, const char *word, const char *after) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s%s%s", before, word, after);
}

/* "(self, dim [, keepdim] [, {correction =}])" */
static const char *signature(const struct parameter *parameters, char *text, size_t size) {
  const struct parameter *p = parameters;
  strcpy(text, "(");
  for (; p->name && p->presence != KEYED; p++) {
    if (p->presence == REQUIRED || p->presence == REST)
      add_text(text, size, p > parameters ? ", " : "", p->name, p->presence == REST ? "..." : "");
    else
      add_text(text, size, p > parameters ? " [, " : "[", p->name, "]");
  }
  if (p->name) {
    add_text(text, size, p > parameters ? " [, {" : "[{", p->name, " =");
    while ((++p)->name) add_text(text, size, ", ", p->name, " =");
    add_text(text, size, "}]", "", "");
  }
  add_text(text, size, "", ")", "");
  return text;
}

static bool fail_missing(struct script_call *call, const struct parameter *parameters, const char *name) {
  char text[400];
  bind_fail(call, STREW_EARGUMENT, name, "is missing, the arguments are %s", signature(parameters, text, sizeof text));
  return false;
}

/* Returns how many arguments the parameters take. */
static int capacity_of(const struct parameter *parameters) {
  int count = 0;
  for (; parameters[count].name && parameters[count].presence != KEYED; count++)
    if (parameters[count].presence == REST) return INT_MAX;
  return count;
}

/* A superfluous argument in the position of options was meant as options. The self of a method does not count. */
static bool fail_count(lua_State *L, struct script_call *call, const struct parameter *parameters, int count) {
  char text[400], value[TEXT_BYTES];
  const int self = call->form & (METHOD | INPLACE) ? 1 : 0, positional = capacity_of(parameters);
  if (!parameters->name)
    bind_fail(call, STREW_EARGUMENT, NULL, "takes no arguments, %d given", count);
  else if (parameters[positional].name && count == positional + 1 && !lua_istable(L, count))
    bind_fail(call, STREW_EARGUMENT, "options", "is %s, expected a table; the arguments are %s",
              bind_text(L, call, count, value), signature(parameters, text, sizeof text));
  else if (self && !parameters[1].name)
    bind_fail(call, STREW_EARGUMENT, NULL, "takes no arguments, %d given", count - self);
  else
    bind_fail(call, STREW_EARGUMENT, NULL, "too many arguments: %d; the arguments are %s", count - self,
              signature(parameters + self, text, sizeof text));
  return false;
}

static bool fail_key(lua_State *L, struct script_call *call, const struct parameter *parameters, int given, int key) {
  char text[TEXT_BYTES], known[400] = "";
  strew_guess guess = {.wanted = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : NULL};
  for (const struct parameter *p = parameters; p->name; p++) {
    if (!has_key(p) && (p->presence != REQUIRED || p - parameters < given)) continue;
    add_text(known, sizeof known, known[0] ? ", " : "", p->name, "");
    strew_guess_name(&guess, p->name);
  }
  bind_fail(call, STREW_EARGUMENT, "options", "has unknown key %s, expected %s", bind_text(L, call, key, text), known);
  bind_hint_guess(call, &guess);
  return false;
}

/* Reads the value at i of a parameter, the one of number k. */
static bool read_value(lua_State *L, struct script_call *call, const struct parameter *p, size_t k, int i, void *to) {
  if (k < MOST_PARAMETERS) call->given[k] = i;
  if (p->read(L, call, i, p->name, (void *)((uintptr_t)to + (uintptr_t)p->out))) return true;
  if (p->is_read_once) call->read_once = i;
  return false;
}

/* The parameter of the option whose key is at this position, after `given` parameters by position; without a name: none. */
static const struct parameter *find_option(lua_State *L, const struct parameter *p, int given, int key) {
  const struct parameter *first = p;
  const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : "";
  while (p->name && !((has_key(p) || p - first >= given) && strcmp(p->name, name) == 0)) p++;
  return p;
}

/* Fails for the unknown key that comes first by its bytes: a table has no order. */
static bool fail_first_key(lua_State *L, struct script_call *call, const struct parameter *parameters, int table,
                           int given) {
  lua_pushnil(L);
  const int first = lua_gettop(L);
  int64_t entry = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    const int key = lua_gettop(L) - 1;
    if (!bind_may_continue(call, ++entry)) return false;
    if (!find_option(L, parameters, given, key)->name) keep_first(L, key, first);
  }
  return fail_key(L, call, parameters, given, first);
}

/* Reads the options table at position `table`; `given` parameters were passed by position. */
static bool read_options(lua_State *L, struct script_call *call, const struct parameter *parameters, int table,
                         int given, void *to) {
  lua_pushnil(L);
  while (lua_next(L, table)) {
    int value = lua_gettop(L), key = value - 1;
    const struct parameter *p = find_option(L, parameters, given, key);
    if (!p->name) return fail_first_key(L, call, parameters, table, given);
    if (has_key(p) && p->presence != KEYED && p - parameters < given && !lua_isnil(L, (int)(p - parameters) + 1)) {
      bind_fail(call, STREW_EARGUMENT, p->name, "is given twice, by position and in options");
      return false;
    }
    if (!read_value(L, call, p, (size_t)(p - parameters), value, to)) return false;
    lua_pop(L, 1);
  }
  return true;
}

int bind_position(lua_State *L, int i, const char *name) {
  if (!lua_istable(L, 1) || lua_rawlen(L, 1) > 0) return i;
  lua_pushstring(L, name);
  return lua_rawget(L, 1) == LUA_TNIL ? i : lua_gettop(L);
}

bool bind_options(lua_State *L, struct script_call *call, int table, const struct parameter *parameters) {
  return read_options(L, call, parameters, table, 0, NULL);
}

/* True if the last argument can only be options: a table without a sequence, or one after the last positional
   parameter. */
static bool is_options(lua_State *L, int last, int capacity) {
  return lua_istable(L, last) && (lua_rawlen(L, last) == 0 || last > capacity);
}

static bool is_empty_table(lua_State *L, int i) {
  lua_pushnil(L);
  return !lua_next(L, i) || (lua_pop(L, 2), false);
}

int bind_positional(lua_State *L, const struct script_call *call) {
  int last = call->arguments;
  while (last && lua_isnil(L, last)) last--;
  return last && is_options(L, last, INT_MAX) ? last - 1 : last;
}

static bool read_rest(lua_State *L, struct script_call *call, int first, int last, const struct parameter *p, size_t k,
                      void *to) {
  if (first == last) return read_value(L, call, p, k, first, to);
  struct list *list = (struct list *)((uintptr_t)to + (uintptr_t)p->out);
  list->is_given = true;
  list->count = 0;
  call->given[k] = first;
  for (int i = first; i <= last; i++)
    if (!append(L, call, i, p->name, list)) return false;
  return true;
}

/* True if the table at `last` is meant as options. */
static bool ends_in_options(lua_State *L, const struct parameter *parameters, int last) {
  int required = 0, capacity = 0;
  bool takes_options = false;
  for (const struct parameter *p = parameters; p->name; p++) {
    if (p->presence == LISTED && p - parameters == last - 1 && is_empty_table(L, last)) return false;
    required += p->presence == REQUIRED;
    capacity += p->presence == REST ? INT_MAX / 2 : p->presence != KEYED;
    takes_options = takes_options || has_key(p);
  }
  return takes_options && last > required && is_options(L, last, capacity);
}

/* True if one of the first keys of the table is the name of one of `count` parameters. A table with more keys has some
   that are no names. (Pushing the name would run the collector, and arguments have been read.) */
static bool has_names(lua_State *L, int table, const struct parameter *parameters, int count) {
  enum { MOST_NAMES = 100 };
  int keys = 0;
  for (lua_pushnil(L); keys < MOST_NAMES && lua_next(L, table); lua_pop(L, 1), keys++)
    for (int i = 0; i < count && lua_type(L, -2) == LUA_TSTRING; i++)
      if (strcmp(lua_tostring(L, -2), parameters[i].name) == 0) return lua_pop(L, 2), true;
  if (keys == MOST_NAMES) lua_pop(L, 1);
  return false;
}

static bool has_name(lua_State *L, int table, const char *name) {
  return table && has_names(L, table, &(struct parameter){.name = name}, 1);
}

bool bind_names(lua_State *L, const struct script_call *call, const char *name) {
  int last = call->arguments;
  return last && lua_istable(L, last) && lua_rawlen(L, last) == 0 && has_name(L, last, name);
}

/* True if the table has no sequence and names parameters: f{dim = 0}. */
static bool names_parameters(lua_State *L, const struct parameter *parameters, int table) {
  int count = 0;
  while (parameters[count].name) count++;
  return lua_istable(L, table) && lua_rawlen(L, table) == 0 && has_names(L, table, parameters, count);
}

/* Clears what the call has read. */
static void begin_reading(struct script_call *call, const struct parameter *parameters) {
  memset(call->given, 0, sizeof call->given);
  call->rest = -1;
  if (!call->is_recorded) return;
  for (int k = 0; k < MOST_PARAMETERS && (call->names[k] = parameters[k].name); k++) {
  }
}

bool bind_arguments(lua_State *L, struct script_call *call, const struct parameter *parameters) {
  return bind_arguments_at(L, call, parameters, NULL);
}

bool bind_arguments_at(lua_State *L, struct script_call *call, const struct parameter *parameters, void *to) {
  int last = call->arguments, next = 1, options = 0, type = LUA_TNIL, top = lua_gettop(L);
  while (last && (type = lua_type(L, last)) == LUA_TNIL) last--;
  if (type == LUA_TTABLE && ends_in_options(L, parameters, last)) options = last--;

  begin_reading(call, parameters);
  for (const struct parameter *p = parameters; p->name && p->presence != KEYED; p++) {
    const size_t k = (size_t)(p - parameters);
    bool is_last = next == last && !options;
    if (p->presence == REST) {
      call->rest = (int)k;
      if (is_last && names_parameters(L, parameters, last)) options = last--;
      if (next <= last && !read_rest(L, call, next, last, p, k, to)) return false;
      next = last + 1;
    } else if (next > last) {
      if (p->presence == REQUIRED && !has_name(L, options, p->name)) return fail_missing(call, parameters, p->name);
    } else if ((p->presence != REQUIRED && lua_isnil(L, next)) || read_value(L, call, p, k, next, to)) {
      next++;
    } else if (call->given[k] = 0, lua_settop(L, top), is_last && names_parameters(L, parameters, last)) {
      call->error = (strew_error){.alias = call->error.alias}; /* the table is no argument: it has those by name */
      options = last--;
      if (p->presence == REQUIRED && !has_name(L, options, p->name)) return fail_missing(call, parameters, p->name);
    } else { /* nil for a required argument counts as missing */
      if (k > 0 && last > capacity_of(parameters)) return fail_count(L, call, parameters, last);
      return lua_isnil(L, next) ? fail_missing(call, parameters, p->name) : false;
    }
  }
  if (next <= last) return fail_count(L, call, parameters, last);
  if (options && !read_options(L, call, parameters, options, last, to)) return false;
  call->positional = last;
  call->options = options;
  return true;
}

/* -------------------------------------------------------------------------------------------------------- and back */

/* Pushes the integers of the sequence at i, or, where it is no table, of the arguments from i on. */
static void push_rest(lua_State *L, const struct script_call *call, int i) {
  const bool is_table = lua_istable(L, i);
  const lua_Integer count = is_table ? (lua_Integer)lua_rawlen(L, i) : call->positional - i + 1;
  lua_createtable(L, (int)count, 0);
  for (lua_Integer k = 1; k <= count; k++) {
    if (is_table)
      lua_rawgeti(L, i, k);
    else
      lua_pushvalue(L, i + (int)k - 1);
    lua_pushinteger(L, lua_tointeger(L, -1));
    lua_rawseti(L, -3, k);
    lua_pop(L, 1);
  }
}

void bind_push_given(lua_State *L, const struct script_call *call, int k, const char *name) {
  const int i = call->given[k];
  if (!i)
    lua_pushnil(L);
  else if (i <= call->arguments)
    lua_pushvalue(L, i);
  else
    lua_getfield(L, call->options, name);
  if (!i || k != call->rest) return;
  push_rest(L, call, i <= call->arguments ? i : lua_gettop(L));
  lua_remove(L, -2);
}

int bind_push_self(lua_State *L, struct script_call *call, strew_tensor **self) {
  bind_push_given(L, call, 0, "self");
  return bind_tensor(L, call, lua_gettop(L), "self", self) ? lua_gettop(L) : 0;
}

bool bind_wrap_dim(struct script_call *call, const strew_tensor *tensor, int *dim) {
  int rank = strew_tensor_rank(tensor);
  if (*dim >= -rank && *dim < rank) {
    *dim += *dim < 0 ? rank : 0;
    return true;
  }
  if (rank)
    bind_fail(call, STREW_ESHAPE, "dim", "is %d, out of range for %d dimension%s (valid %d..%d)", *dim, rank,
              rank == 1 ? "" : "s", -rank, rank - 1);
  else
    bind_fail(call, STREW_ESHAPE, "self", "is a single number, expected at least one dimension");
  return false;
}

void bind_push_scalar(lua_State *L, strew_scalar scalar) {
  char text[STREW_SCALAR_BYTES];
  if (scalar.dtype == STREW_TIME)
    lua_pushstring(L, *strew_scalar_text(scalar, STREW_TIME, text) ? text : "NaT");
  else if (scalar.dtype == STREW_BOOL)
    lua_pushboolean(L, scalar.as.i != 0);
  else if (scalar.dtype == STREW_INT64 || scalar.dtype == STREW_TEXT)
    lua_pushinteger(L, scalar.as.i);
  else
    lua_pushnumber(L, scalar.dtype == STREW_UINT64 ? (double)(uint64_t)scalar.as.i : scalar.as.f);
}

void bind_push_word(lua_State *L, const strew_tensor *text, int64_t code) {
  size_t length = 0;
  const char *word = strew_word(text, code, &length);
  lua_pushlstring(L, word ? word : "", length); /* copies it before it collects garbage */
}

bool bind_is_float(strew_dtype dtype) {
  enum { BOOLEAN, INTEGER, FLOATING };
  static const bool is_float[] = {
#define ROW(ENUM, s, name, stored, bits, wide, wrap, category, ...) [STREW_##ENUM] = category == FLOATING,
      STREW_DTYPES(ROW)
#undef ROW
  };
  return dtype < STREW_DTYPE_COUNT && is_float[dtype];
}

bool bind_has_float64(const strew_tensor *t) {
  strew_capabilities can = {.float64 = false};
  return strew_device_capabilities(strew_tensor_device(t), &can, NULL) == STREW_OK && can.float64;
}

bool bind_push_element(lua_State *L, struct script_call *call, const strew_tensor *self, strew_scalar element) {
  if (element.dtype == STREW_TEXT) return bind_push_word(L, self, element.as.i), true;
  if (element.dtype != STREW_UINT64) return bind_push_scalar(L, element), true;
  bind_fail(call, STREW_EVALUE, "self", "has value %" PRIu64 ", Lua's integers end at %" PRId64, (uint64_t)element.as.i,
            INT64_MAX);
  bind_hint(call, "self:to(\"%s\") rounds it, self:to(\"int64\") has its bits, print(self) shows it",
            bind_has_float64(self) ? "float64" : "float32");
  return false;
}

/* "{2, 3}" */
static int text_of_shape(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addchar(&text, '{');
  for (lua_Integer d = 1, rank = (lua_Integer)lua_rawlen(L, 1); d <= rank; d++) {
    if (d > 1) luaL_addstring(&text, ", ");
    lua_rawgeti(L, 1, d);
    luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&text);
  }
  luaL_addchar(&text, '}');
  return luaL_pushresult(&text), 1;
}

/* Gives the table on top the text of a shape; it stays a plain table in all else. */
static void set_text_of_shape(lua_State *L) {
  static const char key = 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, text_of_shape);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, false); /* what getmetatable returns */
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  }
  lua_setmetatable(L, -2);
}

void bind_push_sizes(lua_State *L, int rank, const int64_t *sizes) {
  int64_t copy[STREW_MAX_RANK]; /* creating the table may free the tensor that owns `sizes` */
  memcpy(copy, sizes, (size_t)rank * sizeof *sizes);
  lua_createtable(L, rank, 0);
  for (int d = 0; d < rank; d++) {
    lua_pushinteger(L, copy[d]);
    lua_rawseti(L, -2, d + 1);
  }
  set_text_of_shape(L);
}

const char *bind_describe(const strew_tensor *tensor, char *text) {
  const int64_t *sizes = strew_tensor_sizes(tensor);
  const size_t size = DESCRIPTION_BYTES;
  int length = snprintf(text, size, "%s[", strew_dtype_name(strew_tensor_dtype(tensor)));
  for (int d = 0; d < strew_tensor_rank(tensor); d++)
    length += snprintf(text + length, size - (size_t)length, d ? ", %" PRId64 : "%" PRId64, sizes[d]);
  snprintf(text + length, size - (size_t)length, "] %.80s", strew_device_name(strew_tensor_device(tensor)));
  return text;
}
