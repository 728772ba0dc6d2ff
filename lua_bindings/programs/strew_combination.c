/* strew_combination.c: reductions of one's own: r = strew.reduction{...} owns a strew_combination; its user value has
   its text. programs/combinations.lua has the calls that take it. Once there is one, those that take the word of a
   reduction look for it among their arguments: bind_dispatch then runs the operation of that file instead. */
#include "lua_bindings/core/strew_bind.h"

#include <string.h>

enum { MOST_ACCUMULATORS = 8, MOST_SOURCES = 16 };

static void release(union owned object) { strew_combination_release(object.combination); }

/* reduction: acc = acc * 0.9 + x */
static int push_text(lua_State *L, struct script_call *call) {
  (void)call;
  lua_pushliteral(L, "reduction: ");
  if (lua_getiuservalue(L, 1, 1) != LUA_TTABLE || lua_getfield(L, -1, "text") != LUA_TSTRING)
    return lua_settop(L, 2), 1;
  lua_remove(L, -2);
  return lua_concat(L, 2), 1;
}

static const struct script_function text_row = {"tostring", push_text, 0, FUNCTION | CONSTANT};
static const struct owner_type combinations = {
    "strew.reduction",
    "reduction",
    release,
    {{"__tostring", &text_row}},
    .hint = "scatter, scatter_reduce_, segment_csr, g:reduce, g:agg and t:reduce take reductions of one's own"};

static bool is_combination(lua_State *L, int i) { return bind_owner_at(L, i, &combinations) != NULL; }

/* The reduction at position i; NULL: call->error is filled. */
static strew_combination *read(lua_State *L, struct script_call *call, int i) {
  char text[TEXT_BYTES];
  const struct owner *owner = bind_owner_at(L, i, &combinations);
  if (owner && owner->object.any) return owner->object.combination;
  if (owner)
    bind_fail(call, STREW_EFREED, NULL, "the reduction is closed");
  else
    bind_fail(call, STREW_EARGUMENT, "reduce", "is %s, expected a reduction as of strew.reduction",
              bind_text(L, call, i, text));
  return NULL;
}

/* Reads accumulator a of the sequences at 1 to 4: names, first values, texts, dtypes; they keep its words alive. */
static bool read_accumulator(lua_State *L, struct script_call *call, int a, strew_accumulator *out,
                             strew_dtype *dtype) {
  const int top = lua_gettop(L);
  *out = (strew_accumulator){.name = NULL};
  for (int list = 1; list <= 4; list++) lua_rawgeti(L, list, a + 1);
  bool is_read = bind_string(L, call, top + 1, "init", &out->name) &&
                 bind_scalar(L, call, top + 2, "init", &out->init) &&
                 bind_string(L, call, top + 3, "combine", &out->combine);
  if (is_read && lua_toboolean(L, top + 4)) {
    int number = -1;
    is_read = bind_wanted_dtype(L, call, top + 4, "dtype", &number);
    *dtype = (strew_dtype)number;
    out->dtype = dtype;
  }
  return lua_settop(L, top), is_read;
}

static void take_combination(lua_State *L, struct script_call *call);

/* combination(names, inits, combines, dtypes, finish, text): r */
static int create(lua_State *L, struct script_call *call) {
  strew_accumulator accumulators[MOST_ACCUMULATORS];
  strew_dtype dtypes[MOST_ACCUMULATORS];
  const int count = (int)lua_rawlen(L, 1);
  call->binding->combine = take_combination;
  struct owner *owner = bind_push_owner(L, &combinations);
  lua_getiuservalue(L, -1, 1);
  lua_pushvalue(L, 6);
  lua_setfield(L, -2, "text");
  lua_pop(L, 1);
  for (int a = 0; a < count && a < MOST_ACCUMULATORS; a++)
    if (!read_accumulator(L, call, a, &accumulators[a], &dtypes[a])) return -1;
  return bind_end(strew_combination_create(call->binding->context, count, accumulators, lua_tostring(L, 5),
                                           &owner->object.combination, &call->error),
                  1);
}

/* combination_sources(r): a sequence of names; true if r reads the position. */
static int sources(lua_State *L, struct script_call *call) {
  const strew_combination *self = read(L, call, 1);
  if (!self) return -1;
  lua_newtable(L);
  for (int i = 0; strew_combination_source(self, i); i++) {
    lua_pushstring(L, strew_combination_source(self, i));
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushboolean(L, strew_combination_has_position(self));
  return 2;
}

/* combine(r, elements, sources, partial, positions, starts, self, grouping): the last four may be nil. */
static int combine(lua_State *L, struct script_call *call) {
  strew_tensor *given[MOST_SOURCES], *elements;
  strew_combine_options options = {.sources = given, .partial = lua_toboolean(L, 4)};
  struct {
    const char *name;
    strew_tensor **to;
  } optional[] = {{"positions", &options.positions}, {"starts", &options.starts}, {"self", &options.self}};
  struct box *box = bind_push_box(L, call->binding);
  const int result = lua_gettop(L);
  const strew_combination *self = read(L, call, 1);
  if (!self || !bind_tensor(L, call, 2, "src", &elements)) return -1;
  for (int i = 0; strew_combination_source(self, i) && i < MOST_SOURCES; i++)
    if (!(given[i] = bind_entry(L, call, 3, i + 1, strew_combination_source(self, i)))) return -1;
  for (int i = 0; i < 3; i++)
    if (!lua_isnoneornil(L, 5 + i) && !bind_tensor(L, call, 5 + i, optional[i].name, optional[i].to)) return -1;
  if (!lua_isnoneornil(L, 8) && !bind_grouping(L, call, 8, "self", &options.grouping)) return -1;
  lua_settop(L, result);
  return bind_end(strew_combine(self, elements, &options, &box->tensor, &call->error), 1);
}

/* is_combination(value) */
static int is(lua_State *L, struct script_call *call) {
  (void)call;
  lua_pushboolean(L, is_combination(L, 1));
  return 1;
}

/* If one of the arguments, or the option `reduce`, is a reduction of one's own, makes the operation of
   programs/combinations.lua the call's row. */
static void take_combination(lua_State *L, struct script_call *call) {
  const char *name = call->row->name;
  bool is_given = false;
  bind_stack(L, LUA_MINSTACK);
  for (int i = 1; i <= call->arguments; i++) {
    is_given |= is_combination(L, i);
    if (!lua_istable(L, i)) continue;
    lua_pushliteral(L, "reduce");
    lua_rawget(L, i);
    is_given |= is_combination(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  if (!is_given) return;
  if (strcmp(name, "scatter") == 0 && bind_is_group_form(L, call)) name = "groups";
  const struct script_function *row = bind_combined_rows;
  while (strcmp(row->name + strlen("combined_"), name) != 0) row++;
  call->row = row;
}

const struct script_function bind_combination_rows[] = {
    {"combination", create, 0, INNER | CONSTANT | CHECKED, "ttttS*"},
    {"combination_sources", sources, 0, INNER | CONSTANT},
    {"combine", combine, 0, INNER | CHECKED, "**t"},
    {"is_combination", is, 0, INNER | CONSTANT},
    {NULL},
};
