/* strew_grouping.c: groupings: strew.grouping, strew.group_by, their fields, and the methods that are not composed of
   others (those are in groups/grouping.lua). */
#include "lua_bindings/core/strew_bind.h"

#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- creation */

/* grouping(index [, {dim_size, mode}]) */
static int grouping(lua_State *L, struct script_call *call) {
  struct box *box = bind_push_grouping(L, call->binding);
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  const strew_grouping_options options = {.mode = a.mode, .dim_size = a.dim_size < 0 ? NULL : &a.dim_size};
  return bind_end(strew_grouping_create_with(a.index, &options, &box->grouping, a.error), 1);
}

/* "sorted" or "first": strew_key_order */
static bool read_order(lua_State *L, struct script_call *call, int i, const char *name, void *out) {
  const char *word;
  if (!bind_string(L, call, i, name, &word)) return false;
  *(strew_key_order *)out = strcmp(word, "first") == 0 ? STREW_KEYS_FIRST : STREW_KEYS_SORTED;
  if (strcmp(word, "first") == 0 || strcmp(word, "sorted") == 0) return true;
  strew_guess guess = {.wanted = word};
  bind_fail(call, STREW_EARGUMENT, name, "is \"%.40s\", expected \"sorted\" or \"first\"", word);
  strew_guess_name(&guess, "first");
  strew_guess_name(&guess, "sorted");
  bind_hint_guess(call, &guess);
  return false;
}

/* True for a table of columns: anything but a sequence of tensors with no more than options behind it. */
static bool is_of_columns(lua_State *L, const struct script_call *call) {
  if (call->arguments < 1 || !lua_istable(L, 1)) return false;
  lua_rawgeti(L, 1, 1);
  const bool is_tensor = bind_to_box(L, call->binding, lua_gettop(L)) != NULL;
  lua_pop(L, 1);
  const int type = call->arguments > 1 ? lua_type(L, 2) : LUA_TNIL;
  const bool is_name = type == LUA_TSTRING || type == LUA_TNUMBER || (type == LUA_TTABLE && lua_rawlen(L, 2) > 0);
  return !is_tensor || is_name;
}

enum { MOST_KEYS = 64 };

/* group_by(k1 [, k2, ...] [, {order}]), of a sequence of keys, or of columns of a table (tables/grouped.lua) */
static int group_by(lua_State *L, struct script_call *call) {
  if (is_of_columns(L, call)) return bind_run_row(L, call, &bind_group_columns_row);
  struct box *box = bind_push_grouping(L, call->binding);
  const struct joined joined = bind_find_tensors(L, call);
  const int count = (int)joined.count, top = lua_gettop(L);
  if (joined.count > MOST_KEYS) return bind_fail(call, STREW_EARGUMENT, "keys", "are more than %d", MOST_KEYS);
  strew_tensor *keys[MOST_KEYS];
  int position;
  strew_group_by_options options = {.order = STREW_KEYS_SORTED};
  struct parameter parameters[MOST_KEYS + 2];
  int last = joined.table || !count ? 1 : count; /* without a key the first one is missing */
  for (int i = 0; i < last; i++) parameters[i] = (struct parameter){"keys", REQUIRED, bind_tensor, &keys[i]};
  if (joined.table) parameters[0] = (struct parameter){"keys", REQUIRED, bind_table, &position};
  parameters[last++] = (struct parameter){"order", KEYED, read_order, &options.order};
  parameters[last] = (struct parameter)LAST_PARAMETER;
  if (!bind_arguments(L, call, parameters) || !bind_read_tensors(L, call, &joined, "keys", keys)) return -1;
  lua_settop(L, top); /* drops what reading the options pushed */
  return bind_end(strew_group_by_with(count, keys, &options, &box->grouping, &call->error), 1);
}

/* ----------------------------------------------------------------------------------------------------------- fields */

/* Fields that are tensors of the grouping. */
static const struct {
  const char *name;
  strew_status (*get)(strew_grouping *grouping, strew_tensor **out, strew_error *error);
} tensors[] = {{"ids", strew_grouping_ids}, {"counts", strew_grouping_counts}, {"positions", strew_grouping_positions}};
static const char *const other_fields[] = {"n", "length", "device", "keys"};

/* Returns the field of that name, or NULL. */
static const char *field_of(const char *name) {
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
    if (strcmp(name, tensors[i].name) == 0) return tensors[i].name;
  for (size_t i = 0; i < sizeof other_fields / sizeof *other_fields; i++)
    if (strcmp(name, other_fields[i]) == 0) return other_fields[i];
  return NULL;
}

/* Key i of self, which is on its device: of those that set_keys has set, if they are at position `set`. copied: a copy,
   which may be written. */
static strew_status get_key(lua_State *L, struct script_call *call, strew_grouping *self, int set, int i, bool copied,
                            strew_tensor **out) {
  strew_tensor *key = NULL, *given = set ? bind_entry(L, call, set, i + 1, "self") : NULL;
  if (set && !given) return call->error.code;
  strew_status status =
      set ? strew_to(given, strew_grouping_device(self), strew_tensor_dtype(given), &key, &call->error)
          : strew_grouping_key(self, i, &key, &call->error);
  if (status == STREW_OK && copied) status = strew_clone(key, out, &call->error);
  if (!copied) return *out = key, status;
  return strew_release(key), status;
}

/* Pushes the sequence of the keys, 1 or -1. */
static int push_keys(lua_State *L, struct script_call *call, int set, bool copied) {
  strew_grouping *self;
  lua_newtable(L);
  for (int i = 0;; i++) {
    struct box *box = bind_push_box(L, call->binding);
    if (!bind_grouping(L, call, 1, "self", &self)) return -1; /* read again: see strew_bind.h */
    if (i == (set ? (int)lua_rawlen(L, set) : strew_grouping_key_count(self))) return lua_pop(L, 1), 1;
    if (get_key(L, call, self, set, i, copied, &box->tensor) != STREW_OK) return -1;
    lua_rawseti(L, -2, i + 1);
  }
}

#define LOOP "for key, rows in g:each() do print(key, rows) end"

static int fail_field(lua_State *L, struct script_call *call, const char *name) {
  strew_guess guess = {.wanted = name};
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) strew_guess_name(&guess, tensors[i].name);
  for (size_t i = 0; i < sizeof other_fields / sizeof *other_fields; i++) strew_guess_name(&guess, other_fields[i]);
  bind_guess_keys(L, lua_upvalueindex(METHODS_UPVALUE), &guess);
  bind_fail_name(L, call, "grouping", &guess);
  return lua_isinteger(L, 2) ? bind_hint(call, LOOP) : -1; /* ipairs(g) */
}

static int push_tensor(lua_State *L, struct script_call *call, int field) {
  struct box *box = bind_push_box(L, call->binding);
  strew_grouping *self;
  if (!bind_grouping(L, call, 1, "self", &self)) return -1;
  return bind_end(tensors[field].get(self, &box->tensor, &call->error), 1);
}

static int get_field(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  strew_grouping *self;
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : bind_text(L, call, 2, text);
  const char *field = field_of(name);
  if (field) call->error.alias = field; /* if self was freed */
  if (!bind_grouping(L, call, 1, "self", &self)) return -1;
  for (int i = 0; i < (int)(sizeof tensors / sizeof *tensors); i++)
    if (strcmp(name, tensors[i].name) == 0) return push_tensor(L, call, i);
  if (strcmp(name, "n") == 0)
    lua_pushinteger(L, strew_grouping_size(self));
  else if (strcmp(name, "length") == 0)
    lua_pushinteger(L, strew_grouping_length(self));
  else if (strcmp(name, "device") == 0)
    lua_pushstring(L, strew_device_name(strew_grouping_device(self)));
  else if (strcmp(name, "keys") == 0)
    return lua_getiuservalue(L, 1, GROUPING_KEYS) != LUA_TNIL ? bind_call_family(L, call, &bind_group_keys_row)
                                                              : push_keys(L, call, 0, false);
  else
    return fail_field(L, call, name);
  return 1;
}

static int no_field(lua_State *L, struct script_call *call) {
  char text[TEXT_BYTES];
  bind_fail(call, STREW_EARGUMENT, NULL, "%s cannot be set: a grouping never changes", bind_text(L, call, 2, text));
  return -1;
}

/* pairs(g), and what follows `in`, which Lua calls. */
static int no_loop(lua_State *L, struct script_call *call) {
  (void)L;
  bind_fail(call, STREW_EARGUMENT, NULL, "a grouping is no function and has no keys to go through");
  return bind_hint(call, LOOP);
}

static int to_string(lua_State *L, struct script_call *call) {
  const struct box *box = bind_to_grouping(L, call->binding, 1);
  if (!box || !box->grouping)
    lua_pushliteral(L, "grouping (freed)");
  else
    lua_pushfstring(L, "grouping of %I elements, %I groups, %s", (LUAI_UACINT)strew_grouping_length(box->grouping),
                    (LUAI_UACINT)strew_grouping_size(box->grouping),
                    strew_device_name(strew_grouping_device(box->grouping)));
  return 1;
}

/* ---------------------------------------------------------------------------------------------------------- methods */

RUN(order, strew_grouping_order, a->grouping)
RUN(starts, strew_grouping_starts, a->grouping)

/* to(device) */
static int to(lua_State *L, struct script_call *call) {
  struct box *box = bind_push_grouping(L, call->binding);
  struct arguments a;
  if (!bind_read(L, call, &a) || strew_grouping_to(a.grouping, a.device, &box->grouping, a.error) != STREW_OK)
    return -1;
  for (int i = 1; i <= GROUPING_VALUES; i++) {
    lua_getiuservalue(L, 1, i);
    lua_setiuservalue(L, -2, i);
  }
  return 1;
}

static int free_self(lua_State *L, struct script_call *call) {
  struct arguments a;
  if (!bind_read(L, call, &a)) return -1;
  struct box *box = bind_to_grouping(L, call->binding, 1);
  if (!bind_may_free(call, box)) return -1;
  strew_grouping_release(a.grouping);
  box->grouping = NULL;
  return 0;
}

static const struct script_function native_rows[] = {{"g:order", bind_one, 0, GROUPED, "self:grouping", order},
                                                     {"g:starts", bind_one, 0, GROUPED, "self:grouping", starts},
                                                     {"g:to", to, 0, GROUPED, "self:grouping device:device"},
                                                     {"g:free", free_self, 0, GROUPED, "self:grouping"},
                                                     {NULL, NULL, 0, 0}};

/* -------------------------------------------------------------------------------------------- for operations in Lua */

/* ids(x): of a grouping its ids, the number of groups, whether elements belong to none; of anything else nil. */
static int ids(lua_State *L, struct script_call *call) {
  if (!bind_to_grouping(L, call->binding, 1)) return lua_pushnil(L), 1;
  struct box *box = bind_push_box(L, call->binding);
  strew_grouping *self;
  if (!bind_grouping(L, call, 1, "index", &self)) return -1;
  if (strew_grouping_ids(self, &box->tensor, &call->error) != STREW_OK) return -1;
  lua_pushinteger(L, strew_grouping_size(self));
  lua_pushboolean(L, strew_grouping_drops(self));
  return 3;
}

/* set_keys(g, keys, columns): the keys as columns, and the table in which g:agg looks up names; returns g. */
static int set_keys(lua_State *L, struct script_call *call) {
  (void)call;
  lua_settop(L, 3);
  lua_setiuservalue(L, 1, GROUPING_COLUMNS);
  lua_setiuservalue(L, 1, GROUPING_KEYS);
  return 1;
}

/* grouping_table(g): the table that set_keys has set, or nil. */
PUSH(grouping_table, lua_getiuservalue(a->L, 1, GROUPING_COLUMNS))

/* grouping_keys(g, copied): the names that set_keys has set, or nil; the keys; and what grouping_table gives. */
static int grouping_keys(lua_State *L, struct script_call *call) {
  lua_settop(L, 2);
  const bool is_set = lua_getiuservalue(L, 1, GROUPING_KEYS) == LUA_TTABLE;
  if (is_set) lua_getfield(L, 3, "tensors"), lua_getfield(L, 3, "names");
  lua_settop(L, 5);
  if (push_keys(L, call, is_set ? 4 : 0, lua_toboolean(L, 2)) < 0) return -1;
  return lua_getiuservalue(L, 1, GROUPING_COLUMNS), 3;
}

/* group_cumsum(g, src); group_argsort(g, src, descending), group_rank */
RUN(cumsum, strew_grouping_cumsum, a->grouping, a->src)
/* group_shift(g, src, n, fill) */
RUN(shift, strew_grouping_shift, a->grouping, a->src, a->n, a->scalar)
RUN(argsort, strew_grouping_argsort_with, a->grouping, a->src, &(strew_sort_options){.descending = a->descending})
RUN(rank, strew_grouping_rank, a->grouping, a->src, &(strew_sort_options){.descending = a->descending})
/* group_topk(g, src, k, largest): positions and groups */
RUN_TWO(topk, strew_grouping_topk_with, a->grouping, a->src, a->k, &(strew_topk_options){.smallest = !a->largest})

enum { MOST_AGGREGATES = 64 };

/* The memory that the options of an entry of aggregate's list point to. */
struct entry {
  struct filling fill;
  int dtype, dim;
  strew_dtype wanted;
};

static bool read_aggregate(lua_State *L, struct script_call *call, int entry, strew_group_aggregate *aggregate,
                           struct entry *kept) {
  static const char *const keys[] = {"skip_nan", "fill", "dtype", "dim", "exact"};
  bool (*const read[])(lua_State *, struct script_call *, int, const char *,
                       void *) = {bind_boolean, bind_fill, bind_wanted_dtype, bind_dim, bind_boolean};
  strew_group_reduce_options *options = &aggregate->options;
  void *const to[] = {&options->skip_nan, &kept->fill, &kept->dtype, &kept->dim, &options->exact};
  *kept = (struct entry){.dtype = -1, .dim = -1};
  if (lua_rawgeti(L, entry, 1) != LUA_TSTRING) return bind_fail(call, STREW_EARGUMENT, "what", "has no word"), false;
  int reduction = STREW_GROUP_SUM;
  const strew_status found =
      strew_enum_from_word(STREW_WORDS_GROUP_REDUCTION, lua_tostring(L, -1), &reduction, &call->error);
  aggregate->reduction = (strew_group_reduction)reduction;
  options->exact = reduction == STREW_GROUP_SUM || reduction == STREW_GROUP_MEAN;
  if (found != STREW_OK) return false;
  lua_pop(L, 1);
  for (int k = 0; k < (int)(sizeof keys / sizeof *keys); k++) {
    lua_pushstring(L, keys[k]);
    if (lua_rawget(L, entry) != LUA_TNIL && !read[k](L, call, lua_gettop(L), keys[k], to[k])) return false;
    lua_pop(L, 1);
  }
  options->dim = &kept->dim;
  if (kept->fill.is_given) options->fill = &kept->fill.value;
  kept->wanted = (strew_dtype)kept->dtype;
  if (kept->dtype >= 0) options->dtype = &kept->wanted;
  return true;
}

/* aggregate(g, list): the results of up to MOST_AGGREGATES entries {word, src, skip_nan =, fill =, dtype =, dim =, exact =}; without src
   the counts. */
static int aggregate(lua_State *L, struct script_call *call) {
  strew_grouping *self;
  strew_group_aggregate aggregates[MOST_AGGREGATES] = {{.src = NULL}};
  struct entry kept[MOST_AGGREGATES];
  strew_tensor *out[MOST_AGGREGATES];
  struct box *boxes[MOST_AGGREGATES];
  const lua_Unsigned entries = lua_istable(L, 2) ? lua_rawlen(L, 2) : 0;
  if (entries > MOST_AGGREGATES) return bind_fail(call, STREW_EARGUMENT, "what", "has too many entries");
  const int count = (int)entries, entry = lua_gettop(L) + 1;
  bind_stack(L, 4 * MOST_AGGREGATES + LUA_MINSTACK);
  lua_pushnil(L); /* the place of an entry */
  if (!bind_grouping(L, call, 1, "self", &self)) return -1;
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 2, i + 1);
    lua_replace(L, entry);
    if (!lua_istable(L, entry)) return bind_fail(call, STREW_EARGUMENT, "what", "has an entry that is not a table");
    if (!read_aggregate(L, call, entry, &aggregates[i], &kept[i])) return -1;
    lua_rawgeti(L, entry, 2);
    if (!lua_isnil(L, -1) && !bind_tensor(L, call, lua_gettop(L), "src", &aggregates[i].src)) return -1;
    if (aggregates[i].src && !bind_check_beside(call, self, aggregates[i].src)) return -1;
  }
  for (int i = 0; i < count; i++) boxes[i] = bind_push_box(L, call->binding);
  if (strew_grouping_aggregate_with(self, count, aggregates, out, &call->error) != STREW_OK) return -1;
  for (int i = 0; i < count; i++) boxes[i]->tensor = out[i];
  return count;
}

#define ORDERED "self:grouping src:tensor descending~boolean"
#define CHOSEN  "self:grouping src:tensor k:integer largest~boolean"

const struct script_function bind_grouping_rows[] = {
    {"grouping", grouping, 0, FUNCTION | CONSTANT, "index:tensor dim_size=size mode=mode"},
    {"group_by", group_by, 0, FUNCTION | CONSTANT},
    {"ids", ids, 0, INNER | CONSTANT},
    {"set_keys", set_keys, 0, INNER | CONSTANT | CHECKED, "g**"},
    {"grouping_keys", grouping_keys, 0, INNER | CONSTANT | CHECKED, "g"},
    {"grouping_table", bind_values, 0, INNER | CONSTANT, "self:grouping", grouping_table},
    {"group_cumsum", bind_one, 0, INNER, "self:grouping src:tensor", cumsum},
    {"group_shift", bind_one, 0, INNER, "self:grouping src:tensor n:integer value:scalar", shift},
    {"group_argsort", bind_one, 0, INNER | CONSTANT, ORDERED, argsort},
    {"group_rank", bind_one, 0, INNER | CONSTANT, ORDERED, rank},
    {"group_topk", bind_two, 0, INNER, CHOSEN, topk},
    {"aggregate", aggregate, 0, INNER},
    {NULL},
};

/* ---------------------------------------------------------------------------------------------------------- opening */

static const struct script_function index_row = {"g.name", get_field, 0, FUNCTION},
                                    newindex_row = {"g.name = v", no_field, 0, FUNCTION},
                                    tostring_row = {"tostring", to_string, 0, FUNCTION | CONSTANT},
                                    pairs_row = {"pairs", no_loop, 0, FUNCTION | CONSTANT},
                                    call_row = {"g()", no_loop, 0, FUNCTION | CONSTANT};

/* Adds the rows to the table of methods on top of the stack, without "g:". */
static void set_methods(lua_State *L, int binding, const struct script_function *rows) {
  for (; rows->name; rows++) {
    const char *name = rows->name + strlen("g:");
    bind_push_function(L, binding, rows, name, METHOD | GROUPED);
    lua_setfield(L, -2, name);
  }
}

void bind_open_groupings(lua_State *L, int binding) {
  lua_createtable(L, 0, 8);
  bind_set_name(L, "grouping");
  bind_set_finalizers(L, binding);
  bind_set_event(L, binding, "__newindex", &newindex_row);
  bind_set_event(L, binding, "__tostring", &tostring_row);
  bind_set_event(L, binding, "__pairs", &pairs_row);
  bind_set_event(L, binding, "__call", &call_row);
  bind_push_upvalues(L, binding, &index_row, index_row.name, FUNCTION);
  lua_createtable(L, 0, 32);
  set_methods(L, binding, native_rows);
  set_methods(L, binding, bind_grouped_rows);
  lua_pushcclosure(L, bind_get_method_or_field, METHODS_UPVALUE);
  lua_setfield(L, -2, "__index");
  bind_set_grouping_metatable(L, lua_touserdata(L, binding));
}
