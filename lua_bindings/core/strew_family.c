/* strew_family.c: operations composed of others, written in Lua (family/ *.lua).

   A file of the family is a chunk called with the module, `fail`, `use` and `inner`; use(file) returns what another file
   returns; inner has functions of the bindings that scripts do not see. A file runs once. An operation's file returns a table that maps each name to its parameters, as text, and a
   function of their values. The first call of one of its names loads it. Its functions run inside bind_dispatch, as C
   functions do: every failure in them carries the name of the script's call (binding->outer) and the script's line.
   Limits and Ctrl-C work as in any Lua code.

   The text of the parameters is that of strew_parameters.c. Arguments are checked by it, so the function gets values of
   its types only: nil for an absent one, a sequence for the remaining integers. After them it gets "_" if it is called in
   place, else "": the end of the names of the calls it is made of. A second pair of parameters and function is for calls
   whose third argument is a table. */
#include "hosting.h"
#include "runtime/core/shared/tables.h"
#include "strew_bind.h"

#include <stdlib.h>
#include <string.h>

/* The tensor arguments of a call, for its messages. Of a sequence of tensors, its entries. All are kept alive by the
   call's stack. */
enum { MAX_OPERANDS = MOST_PARAMETERS + STREW_MAX_RANK };
struct family_operands {
  int count;
  struct {
    const char *name;
    int entry; /* from 1 on; 0: the argument is a tensor */
    const struct box *box;
  } at[MAX_OPERANDS];
};

enum { NAME_BYTES = 28 };

/* Writes "NAME" or "NAME[ENTRY]" to text (NAME_BYTES) and returns it. */
static const char *operand_name(const struct family_operands *operands, int i, char *text) {
  const int entry = operands->at[i].entry;
  snprintf(text, NAME_BYTES, entry ? "%.20s[%d]" : "%.20s", operands->at[i].name, entry);
  return text;
}

/* Adds a line per tensor argument of the script's call. */
static void add_lines(struct script_call *call, bool with_hint) {
  const struct family_operands *operands = call->binding->operands;
  char text[DESCRIPTION_BYTES], name[NAME_BYTES];
  size_t width = with_hint ? strlen("hint") : 0;
  for (int i = 0; operands && i < operands->count; i++) {
    const size_t length = strlen(operand_name(operands, i, name));
    if (length > width) width = length;
  }
  call->error.name_width = (uint16_t)width;
  for (int i = 0; operands && i < operands->count; i++)
    if (operands->at[i].box->tensor)
      strew_error_line(&call->error, operand_name(operands, i, name), bind_describe(operands->at[i].box->tensor, text));
}

/* fail(argument, fact [, hint [, code [, value [, position [, expression, input]]]]]): raises an error of the script's
   call, and marks the input in the text; argument may be nil. */
static int fail(lua_State *L, struct script_call *call) {
  const char *argument = lua_tostring(L, 1), *hint = lua_tostring(L, 3), *code = lua_tostring(L, 4);
  int status = STREW_EARGUMENT;
  if (code) strew_enum_from_word(STREW_WORDS_STATUS, code, &status, NULL);
  bind_fail(call, (strew_status)status, argument, "%s", lua_isstring(L, 2) ? lua_tostring(L, 2) : "is invalid");
  add_lines(call, hint != NULL);
  if (hint) strew_error_hint(&call->error, hint);
  bind_mark_input(L, call, 7);
  call->error.has_value = bind_to_value(L, call, 5);
  if (lua_istable(L, 6)) {
    call->error.position_rank = 0;
    for (lua_Integer k = 1; k <= STREW_MAX_RANK && lua_rawgeti(L, 6, k) == LUA_TNUMBER; k++, lua_pop(L, 1))
      call->error.position[call->error.position_rank++] = lua_tointeger(L, -1);
  }
  return -1;
}

static const struct script_function fail_row = {"fail", fail, 0, FUNCTION};

/* raised(): the fact of the last error, and its hint as it was written, or nil */
static int raised(lua_State *L, struct script_call *call) {
  const strew_error *error = &call->binding->raised;
  lua_pushlstring(L, error->message + error->fact_at, (size_t)(error->lines_at - error->fact_at));
  lua_pushstring(L, error->hint[0] ? error->hint : NULL);
  return 2;
}

/* line_width() */
PUSH(line_width, lua_pushinteger(a->L, bind_line_width(&a->call->binding->print)))

/* nearest(name, names): the name of the sequence that `name` may be a misspelling of, or nil. */
static int nearest(lua_State *L, struct script_call *call) {
  (void)call;
  enum { MOST_NAMES = 4096 };
  strew_guess guess = {.wanted = lua_tostring(L, 1)};
  for (int k = 1; guess.wanted && lua_istable(L, 2) && k <= MOST_NAMES && lua_rawgeti(L, 2, k) != LUA_TNIL;
       k++, lua_pop(L, 1)) /* the table holds it */
    if (lua_type(L, -1) == LUA_TSTRING) strew_guess_name(&guess, lua_tostring(L, -1));
  lua_pushstring(L, guess.nearest);
  return 1;
}

/* text(value): as messages show it: "..." in quotes, a number, "a tensor". */
static int text(lua_State *L, struct script_call *call) {
  char shown[TEXT_BYTES];
  lua_pushstring(L, bind_text(L, call, 1, shown));
  return 1;
}

/* printable(text): without control characters and what is no UTF-8. */
static int printable(lua_State *L, struct script_call *call) {
  (void)call;
  size_t length;
  const char *from = lua_tolstring(L, 1, &length);
  char *to = lua_newuserdatauv(L, length + 1, 0);
  memcpy(to, from, length);
  for (size_t i = 0; i < length; i++)
    if (!to[i]) to[i] = '\x01'; /* a zero byte is a control character, too */
  to[length] = '\0';
  lua_pushstring(L, strew_printable(to));
  return 1;
}

/* is_open(t): false for a tensor that was freed. */
static int is_open(lua_State *L, struct script_call *call) {
  struct box *box = bind_to_box(L, call->binding, 1);
  lua_pushboolean(L, box && box->tensor);
  return 1;
}

/* beside(tensors): the position of the first that is no tensor of as many rows as tensor 1 on its device, or nil; the rows
   of tensor 1 and its device. */
static int beside(lua_State *L, struct script_call *call) {
  const strew_tensor *first = NULL;
  lua_Integer i = 1;
  for (; lua_rawgeti(L, 1, i) != LUA_TNIL; i++, lua_pop(L, 1)) {
    const struct box *box = bind_to_box(L, call->binding, -1);
    const strew_tensor *t = box ? box->tensor : NULL;
    if (!t || !strew_tensor_rank(t)) break;
    if (!first) first = t;
    if (*strew_tensor_sizes(t) != *strew_tensor_sizes(first) || strew_tensor_device(t) != strew_tensor_device(first))
      break;
  }
  if (!lua_isnil(L, -1)) lua_pushinteger(L, i);
  if (!first) return 1;
  lua_pushinteger(L, *strew_tensor_sizes(first));
  lua_pushstring(L, strew_device_name(strew_tensor_device(first)));
  return 3;
}

/* has_float64(t) */
static strew_status has_float64(struct arguments *a) {
  return lua_pushboolean(a->L, bind_has_float64(a->self)), STREW_OK;
}

/* call_script(f, ...): the first result of a script's function, whose errors are its own. */
static int call_script(lua_State *L, struct script_call *call) {
  bind_stack(L, call->arguments + LUA_MINSTACK);
  for (int i = 1; i <= call->arguments; i++) lua_pushvalue(L, i);
  const int results = bind_call_within(L, call->binding, call->arguments - 1, call->binding->recording, NULL, NULL);
  if (results < 0) return lua_error(L);
  return lua_settop(L, call->arguments + 1), 1;
}

static void push_dispatch(lua_State *L, const struct script_function *row) {
  bind_push_function(L, lua_upvalueindex(1), row, row->name, FUNCTION);
}

/* Pushes the table of the rows for files of the family. Upvalue 2 has all rows. */
static void push_inner(lua_State *L) {
  lua_newtable(L);
  for (const struct script_function *const *rows = lua_touserdata(L, lua_upvalueindex(2)); *rows; rows++)
    for (const struct script_function *row = *rows; row->name; row++)
      if (row->forms & INNER) {
        push_dispatch(L, row);
        lua_setfield(L, -2, row->name);
      }
}

/* Pushes the table of what files returned. Upvalue 1 is the binding. */
static void push_loaded(lua_State *L) {
  if (lua_getiuservalue(L, lua_upvalueindex(1), FAMILY) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, lua_upvalueindex(1), FAMILY);
}

void bind_push_kept(lua_State *L, const struct script_function *row, int form) {
  const void *key = &row->parameters; /* the row itself is the key of its operation */
  push_loaded(L);
  if (lua_rawgetp(L, -1, key) == LUA_TNIL) {
    lua_pop(L, 1);
    bind_push_function(L, lua_upvalueindex(1), row, row->name, form);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, key);
  }
  lua_remove(L, -2);
}

/* use(file) */
static int use(lua_State *L) {
  const char *file = luaL_checkstring(L, 1);
  push_loaded(L);
  if (lua_getfield(L, -1, file) != LUA_TNIL) return 1;
  bind_push_chunk(L, file, FAMILY_CHUNK);
  bind_push_own_module(L);
  push_dispatch(L, &fail_row);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushcclosure(L, use, 2);
  push_inner(L);
  lua_call(L, 4, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, file);
  return 1;
}

/* Pushes the operation's table {parameters, function}; the row is its key among what files returned. */
static void push_operation(lua_State *L, const struct script_function *row) {
  const int operation = lua_gettop(L) + 1;
  push_loaded(L);
  if (lua_rawgetp(L, operation, row) == LUA_TNIL) {
    if (lua_getfield(L, operation, row->parameters) != LUA_TTABLE) bind_use(L, lua_upvalueindex(1), row->parameters);
    if (lua_getfield(L, -1, row->name) != LUA_TTABLE) luaL_error(L, "%s has no operation", row->parameters);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, operation, row);
  }
  lua_replace(L, operation);
  lua_settop(L, operation);
}

/* Adds a box, or returns false: it is NULL, or there is no room. */
static bool add_operand(struct family_operands *operands, const char *name, int entry, const struct box *box) {
  if (!box || operands->count == MAX_OPERANDS) return false;
  operands->at[operands->count].name = name;
  operands->at[operands->count].entry = entry;
  operands->at[operands->count++].box = box;
  return true;
}

/* Lists the tensors among the values from position `first` on. Leaves those in sequences on the stack, MAX_OPERANDS at
   most. */
static void list_operands(lua_State *L, struct binding *binding, int first, int count, const char *const names[],
                          struct family_operands *operands) {
  for (int i = 0; i < count; i++) {
    add_operand(operands, names[i], 0, bind_to_box(L, binding, first + i));
    lua_Unsigned entries = lua_istable(L, first + i) ? lua_rawlen(L, first + i) : 0;
    for (int k = 1; k <= STREW_MAX_RANK && (lua_Unsigned)k <= entries; k++) {
      lua_rawgeti(L, first + i, k);
      if (!add_operand(operands, names[i], k, bind_to_box(L, binding, lua_gettop(L)))) lua_pop(L, 1);
    }
  }
}

/* The row of an operation: in place of parameters it has the file. */
#define IN(file, name, forms)                                                                                          \
  { #name, run, 0, forms, #file ".lua" }

/* Returns the parameters in the operation's field `which`, a text until the first call. */
static const struct parameters *parameters_of(lua_State *L, int operation, int which) {
  if (lua_rawgeti(L, operation, which) == LUA_TSTRING) {
    bind_parse(L, lua_tostring(L, -1));
    lua_pushvalue(L, -1);
    lua_rawseti(L, operation, which);
    lua_remove(L, -2);
  }
  const struct parameters *list = bind_to_parameters(L, -1);
  if (!list) luaL_error(L, "an operation has no parameters");
  return list;
}

/* True if a method of a grouping of a table has a column's name, or a sequence of them, in the place of its src, or of the
   tensor behind that. */
static bool names_columns(lua_State *L, const struct script_call *call) {
  const int type = lua_type(L, 2), top = lua_gettop(L);
  const struct box *box = NULL;
  const bool has_second = lua_type(L, 3) == LUA_TSTRING && strcmp(call->row->parameters, "moments.lua") == 0;
  if (type != LUA_TSTRING && type != LUA_TTABLE && !has_second) return false;
  if (strncmp(call->row->name, "g:", 2) == 0 && strcmp(call->row->name, "g:agg") != 0)
    box = bind_to_grouping(L, call->binding, 1);
  if (!box || !box->grouping) return false;
  bool has_names = lua_getiuservalue(L, 1, GROUPING_COLUMNS) != LUA_TNIL;
  if (type == LUA_TTABLE && lua_rawgeti(L, 2, 1) != LUA_TSTRING) {
    lua_pushliteral(L, "src");
    has_names &= lua_rawget(L, 2) == LUA_TSTRING;
  }
  return lua_settop(L, top), has_names;
}

/* Calls of_columns(g, name, ...) of grouping.lua. */
static int run_columns(lua_State *L, struct script_call *call) {
  struct binding *binding = call->binding;
  struct family_operands operands = {.count = 0};
  const bool is_outermost = !binding->outer;
  bind_stack(L, call->arguments + LUA_MINSTACK);
  bind_use(L, lua_upvalueindex(1), "grouping.lua");
  lua_getfield(L, -1, "of_columns");
  lua_pushvalue(L, 1);
  lua_pushstring(L, call->row->name + strlen("g:"));
  for (int i = 2; i <= call->arguments; i++) lua_pushvalue(L, i);
  const int results =
      bind_call_within(L, binding, call->arguments + 1, binding->recording,
                       is_outermost ? call->error.alias : binding->outer, is_outermost ? &operands : binding->operands);
  return results < 0 ? lua_error(L) : results;
}

static int run(lua_State *L, struct script_call *call) {
  struct arguments checked;
  bind_stack(L, LUA_MINSTACK + 3 * MOST_PARAMETERS + MAX_OPERANDS);
  if (call->form & GROUPED && names_columns(L, call)) return run_columns(L, call);
  const int operation = lua_gettop(L) + 1;
  push_operation(L, call->row);
  const bool is_second = !(call->form & INPLACE) && lua_istable(L, 3) && lua_rawgeti(L, operation, 3) != LUA_TNIL;
  const struct parameters *list = parameters_of(L, operation, is_second ? 3 : 1);
  if (!bind_read_list(L, call, list, &checked)) return -1;
  const int first = lua_gettop(L) + 1;
  const char *names[MOST_PARAMETERS];
  const int count = bind_push_all(L, call, list, names);
  struct binding *binding = call->binding;
  struct family_operands operands;
  operands.count = 0;
  if (!(call->row->forms & BRIEF)) list_operands(L, binding, first, count, names, &operands);
  lua_rawgeti(L, operation, is_second ? 4 : 2);
  for (int i = 0; i < count; i++) lua_pushvalue(L, first + i);
  lua_pushstring(L, call->form & INPLACE ? "_" : "");
  const bool is_composed = call->form & GROUPED || call->row->forms & COMPOSED; /* others are recorded as one call */
  const bool records = binding->recording && is_composed;
  const bool is_outermost = !binding->outer;
  int results = bind_call_within(L, binding, count + 1, records, is_outermost ? call->error.alias : binding->outer,
                                 is_outermost ? &operands : binding->operands);
  return results < 0 ? lua_error(L) : results;
}

void bind_open_family(lua_State *L, int binding, const struct script_function *const *rows) {
  lua_pushvalue(L, binding);
  lua_pushlightuserdata(L, (void *)(uintptr_t)rows);
  lua_pushcclosure(L, use, 2);
  lua_setiuservalue(L, binding, USE);
}

int bind_call_family(lua_State *L, struct script_call *call, const struct script_function *row) {
  bind_stack(L, call->arguments + LUA_MINSTACK);
  bind_push_function(L, lua_upvalueindex(1), row, row->name, row->forms);
  for (int i = 1; i <= call->arguments; i++) lua_pushvalue(L, i);
  lua_call(L, call->arguments, 1);
  return 1;
}

int bind_print_text(lua_State *L, struct script_call *call, const struct script_function *row) {
  const struct script_function *own = call->row;
  call->row = row;
  const int results = row->function(L, call);
  call->row = own;
  if (results < 0) return -1;
  if (lua_isnil(L, -1)) return 0;
  lua_getglobal(L, "print");
  lua_insert(L, -2);
  lua_call(L, 1, 0);
  return 0;
}

const struct script_function bind_saved_columns_row = {"saved", run, 0, FUNCTION | CONSTANT | BRIEF, "rows.lua"},
                             bind_ordered_row = {"ordered", run, 0, FUNCTION | CONSTANT | BRIEF, "rows.lua"},
                             bind_table_ids_row = {"ids", run, 0, FUNCTION | CONSTANT, "keys.lua"},
                             bind_tensor_ids_row = {"ids", run, 0, FUNCTION | CONSTANT | BRIEF, "keys.lua"},
                             bind_table_keys_row = {"keys", run, 0, FUNCTION, "keys.lua"},
                             bind_eye_row = {"eye", run, 0, FUNCTION, "creating.lua"},
                             bind_linspace_row = {"linspace", run, 0, FUNCTION, "creating.lua"},
                             bind_slice_row = {"slice", run, 0, ALWAYS, "rearranging.lua"},
                             bind_unique_row = {"unique", run, 0, ALWAYS, "counting.lua"},
                             bind_time_row = {"time", run, 0, FUNCTION | CONSTANT, "words.lua"},
                             bind_part_row = {"sub", run, 0, ALWAYS | CONSTANT, "rewording.lua"},
                             bind_split_row = {"split", run, 0, ALWAYS | CONSTANT, "rewording.lua"},
                             bind_map_row = {"map", run, 0, FUNCTION | CONSTANT, "rewording.lua"},
                             bind_drawing_row = {"show", run, 0, FUNCTION | CONSTANT | BRIEF, "showing.lua"},
                             bind_plot_row = {"plot", run, 0, FUNCTION | CONSTANT | BRIEF, "plotting.lua"},
                             bind_help_row = {"help", run, 0, FUNCTION | CONSTANT | BRIEF, "printing.lua"},
                             bind_group_columns_row = {"group_by", run, 0, FUNCTION | CONSTANT, "grouped.lua"},
                             bind_concat_row = {"concat", run, 0, FUNCTION | COMPOSED, "building.lua"},
                             bind_group_keys_row = {"group_keys", run, 0, FUNCTION, "grouped.lua"},
                             bind_expr_call_row = {"expression", run, 0, GROUPED, "expressions.lua"},
                             bind_expr_with_row = {"with", run, 0, GROUPED, "expressions.lua"},
                             bind_expr_tostring_row = {"expr_tostring", run, 0, GROUPED, "expressions.lua"};

/* True if argument i is a table of columns, not one of arguments by name. */
static bool is_columns(lua_State *L, int i) {
  if (!lua_istable(L, i)) return false;
  lua_pushliteral(L, "self");
  const bool is_named = lua_rawget(L, i) != LUA_TNIL && lua_gettop(L) == i + 1;
  return lua_pop(L, 1), !is_named;
}

int bind_run_with_options(lua_State *L, struct script_call *call) {
  static const struct script_function rows[] = {
#define ROW(ENUM, f, ...) IN(nan_skipping, f, ALWAYS | COMPOSED),
      STREW_FOLDS(ROW)
#undef ROW
          IN(nan_skipping, min, ALWAYS | COMPOSED),
      IN(nan_skipping, max, ALWAYS | COMPOSED),
      IN(nan_skipping, quantile, ALWAYS | COMPOSED),
      IN(options, cumsum, EVERY | COMPOSED),
      IN(options, cumprod, EVERY | COMPOSED),
      IN(options, diff, ALWAYS | COMPOSED),
      IN(options, round, EVERY | COMPOSED),
      IN(options, searchsorted, ALWAYS | CONSTANT)};
  static const struct script_function round_columns = IN(verbs, round, FUNCTION | COMPOSED);
  const struct script_function *row = rows;
  while (strcmp(row->name, call->row->name) != 0) row++;
  if (!strcmp(row->name, "round") && is_columns(L, 1)) row = &round_columns;
  call->is_recorded = false; /* its steps are */
  return bind_run_row(L, call, row);
}

const struct script_function bind_combined_rows[] = {{"combined_scatter", run, 0, EVERY, "combinations.lua"},
                                                     {"combined_scatter_reduce", run, 0, EVERY, "combinations.lua"},
                                                     {"combined_groups", run, 0, ALWAYS, "combinations.lua"},
                                                     {"combined_segment_csr", run, 0, ALWAYS, "combinations.lua"},
                                                     {NULL, NULL, 0, 0}};

/* Methods of groupings: their names follow "g:". */
const struct script_function bind_grouped_rows[] = {
#define ROW(ENUM, word, ...) {"g:" word, run, 0, GROUPED, "grouping.lua"},
    STREW_GROUP_REDUCTIONS(ROW)
#undef ROW
        {"g:argsort", run, 0, GROUPED, "grouping.lua"},
    {"g:rank", run, 0, GROUPED, "grouping.lua"},
    {"g:topk", run, 0, GROUPED, "grouping.lua"},
    {"g:cumsum", run, 0, GROUPED, "grouping.lua"},
    {"g:softmax", run, 0, GROUPED, "grouping.lua"},
    {"g:log_softmax", run, 0, GROUPED, "grouping.lua"},
    {"g:agg", run, 0, GROUPED, "grouping.lua"},
    {"g:each", run, 0, GROUPED, "grouping.lua"},
    {"g:head", run, 0, GROUPED, "grouping.lua"},
    {"g:tail", run, 0, GROUPED, "grouping.lua"},
    {"g:transform", run, 0, GROUPED, "grouped.lua"},
    {"g:describe", run, 0, GROUPED, "describing.lua"},
    {"g:mode", run, 0, GROUPED, "moments.lua"},
    {"g:cov", run, 0, GROUPED, "moments.lua"},
    {"g:corr", run, 0, GROUPED, "moments.lua"},
    {"g:skew", run, 0, GROUPED, "moments.lua"},
    {"g:shift", run, 0, GROUPED, "neighbours.lua"},
    {"g:diff", run, 0, GROUPED, "neighbours.lua"},
    {"g:pct_change", run, 0, GROUPED, "neighbours.lua"},
    {"g:share", run, 0, GROUPED, "neighbours.lua"},
    {"g:ffill", run, 0, GROUPED, "neighbours.lua"},
    {"g:bfill", run, 0, GROUPED, "neighbours.lua"},
    {"g:interpolate", run, 0, GROUPED, "neighbours.lua"},
    {"g:reduce", run, 0, GROUPED, "combinations.lua"},
    {"g:scan", run, 0, GROUPED, "combinations.lua"},
    {NULL, NULL, 0, 0},
};

/* clang-format off */
const struct script_function bind_family_rows[] = {
    IN(rows, columns, FUNCTION | CONSTANT), IN(rows, code, FUNCTION | CONSTANT), IN(rows, words, FUNCTION | BRIEF),
    IN(rows, rows, FUNCTION), IN(rows, assign, FUNCTION | GROUPED), IN(rows, sort_by, FUNCTION), IN(rows, head, FUNCTION | COMPOSED),
    IN(rows, tail, FUNCTION | COMPOSED), IN(joins, join, FUNCTION), IN(joins, asof, FUNCTION), IN(grouped, pivot, FUNCTION),
    IN(grouped, resample, FUNCTION | CONSTANT), IN(aggregate, aggregate, FUNCTION | CONSTANT),
    {"a:add", run, 0, INNER | CONSTANT, "aggregate.lua"}, {"a:merge", run, 0, INNER | CONSTANT, "aggregate.lua"},
    {"a:result", run, 0, INNER | CONSTANT, "aggregate.lua"}, IN(times, date_range, FUNCTION | CONSTANT),
    {"optim.sgd", run, 0, FUNCTION | CONSTANT, "optimizers.lua"}, {"optim.adam", run, 0, FUNCTION | CONSTANT, "optimizers.lua"},
    {"optim.adamw", run, 0, FUNCTION | CONSTANT, "optimizers.lua"}, {"o:step", run, 0, INNER | CONSTANT, "optimizers.lua"},
    {"o:state", run, 0, INNER | CONSTANT, "optimizers.lua"}, {"plotted", run, 0, INNER | CONSTANT, "plotting.lua"},
    IN(verbs, dropna, ALWAYS), IN(verbs, fillna, ALWAYS), IN(verbs, duplicated, ALWAYS | CONSTANT),
    IN(verbs, drop_duplicates, ALWAYS), IN(verbs, rename, FUNCTION), IN(verbs, drop, FUNCTION), IN(verbs, sample, ALWAYS),
    IN(verbs, explode, FUNCTION),
    IN(verbs, corr, ALWAYS | CONSTANT), IN(binning, cut, ALWAYS | CONSTANT), IN(binning, qcut, ALWAYS | CONSTANT),
    IN(binning, get_dummies, ALWAYS | CONSTANT), IN(ranks, rank, ALWAYS | CONSTANT),
    IN(rows, row, FUNCTION), IN(rows, each, FUNCTION),
    IN(building, table, FUNCTION | COMPOSED), IN(building, melt, FUNCTION | COMPOSED), IN(describing, describe, FUNCTION | CONSTANT),
    IN(ranges, ranges, FUNCTION | COMPOSED), IN(ranges, rolling, FUNCTION | COMPOSED),
    IN(grouped, value_counts, ALWAYS | CONSTANT), IN(elementwise, one_hot, ALWAYS | CONSTANT),
    IN(words, text, FUNCTION | CONSTANT), IN(words, contains, ALWAYS | CONSTANT),
    IN(rewording, map, METHOD | CONSTANT), IN(rewording, replace, ALWAYS | CONSTANT),
    IN(words, trim, ALWAYS | CONSTANT), IN(rewording, match, ALWAYS | CONSTANT),
    IN(rewording, join_words, ALWAYS | CONSTANT),
    IN(words, starts_with, ALWAYS | CONSTANT), IN(words, ends_with, ALWAYS | CONSTANT),
    IN(words, upper, ALWAYS | CONSTANT), IN(words, lower, ALWAYS | CONSTANT),
    IN(words, length, ALWAYS | CONSTANT),
    IN(times, calendar, ALWAYS | CONSTANT), IN(times, floor_time, ALWAYS | CONSTANT), IN(times, add_months, ALWAYS | CONSTANT),
    IN(times, format, ALWAYS | CONSTANT),
    IN(neighbours, shift, ALWAYS | COMPOSED), IN(neighbours, pct_change, ALWAYS | COMPOSED),
    IN(neighbours, share, ALWAYS | COMPOSED), IN(neighbours, ffill, ALWAYS | COMPOSED),
    IN(neighbours, bfill, ALWAYS | COMPOSED), IN(neighbours, interpolate, ALWAYS | COMPOSED),
    IN(elementwise, isnan, ALWAYS | CONSTANT), IN(elementwise, bucketize, ALWAYS | CONSTANT),
    IN(views, select_scatter, EVERY), IN(views, slice_scatter, EVERY), IN(views, diagonal_scatter, EVERY),
    IN(rearranging, tile, ALWAYS),
    IN(rearranging, repeat_interleave, ALWAYS), IN(elementwise, isinf, ALWAYS | CONSTANT),
    IN(elementwise, isfinite, ALWAYS | CONSTANT), IN(elementwise, nan_to_num, EVERY),
    IN(elementwise, positive, EVERY), IN(elementwise, square, EVERY),
    IN(elementwise, reciprocal, EVERY), IN(elementwise, trunc, EVERY | CONSTANT),
    IN(elementwise, softplus, EVERY), IN(elementwise, elu, EVERY),
    IN(elementwise, leaky_relu, EVERY), IN(elementwise, lerp, EVERY), IN(elementwise, heaviside, EVERY | CONSTANT),
    IN(elementwise, logical_xor, EVERY | CONSTANT), IN(statistics, norm, ALWAYS),
    IN(statistics, median, ALWAYS), IN(statistics, logsumexp, ALWAYS), IN(views, outer, ALWAYS),
    IN(views, diag, ALWAYS),
    IN(creating, zeros_like, ALWAYS | CONSTANT), IN(creating, ones_like, ALWAYS | CONSTANT),
    IN(creating, empty_like, ALWAYS | CONSTANT), IN(creating, full_like, ALWAYS | CONSTANT),
    IN(creating, rand_like, ALWAYS | CONSTANT), IN(creating, randn_like, ALWAYS | CONSTANT),
    IN(creating, logspace, FUNCTION | CONSTANT), IN(creating, meshgrid, FUNCTION | COMPOSED),
    IN(creating, tril_indices, FUNCTION | CONSTANT), IN(creating, triu_indices, FUNCTION | CONSTANT),
    IN(views, movedim, ALWAYS | COMPOSED), IN(views, moveaxis, ALWAYS | COMPOSED),
    IN(views, unstack, ALWAYS | COMPOSED), IN(rearranging, hstack, FUNCTION | COMPOSED),
    IN(rearranging, vstack, FUNCTION | COMPOSED), IN(rearranging, column_stack, FUNCTION | COMPOSED),
    IN(rearranging, tensor_split, ALWAYS | COMPOSED), IN(rearranging, rot90, ALWAYS | COMPOSED),
    IN(rearranging, pad, ALWAYS), IN(counting, isin, ALWAYS | CONSTANT),
    IN(counting, count_nonzero, ALWAYS | CONSTANT), IN(counting, unravel_index, ALWAYS | CONSTANT),
    IN(counting, ravel_multi_index, FUNCTION | CONSTANT), IN(counting, histogram, ALWAYS | COMPOSED),
    IN(counting, histogramdd, ALWAYS | COMPOSED), IN(statistics, kthvalue, ALWAYS | COMPOSED),
    IN(statistics, mode, ALWAYS | COMPOSED), IN(statistics, percentile, ALWAYS | COMPOSED),
    IN(statistics, cov, ALWAYS | COMPOSED), IN(statistics, corrcoef, ALWAYS | COMPOSED),
    IN(statistics, interp, ALWAYS | COMPOSED), IN(statistics, trapz, ALWAYS | COMPOSED),
    IN(statistics, logcumsumexp, ALWAYS), IN(nan_skipping, nansum, ALWAYS | COMPOSED),
    IN(nan_skipping, nanmean, ALWAYS | COMPOSED), IN(nan_skipping, nanstd, ALWAYS | COMPOSED),
    IN(nan_skipping, nanmedian, ALWAYS | COMPOSED), IN(nan_skipping, nanmax, ALWAYS | COMPOSED),
    IN(nan_skipping, nanmin, ALWAYS | COMPOSED), IN(elementwise, finfo, FUNCTION | CONSTANT | BRIEF),
    IN(elementwise, iinfo, FUNCTION | CONSTANT | BRIEF),
    IN(random, normal, ALWAYS | CONSTANT), IN(random, uniform, ALWAYS | CONSTANT),
    IN(random, bernoulli, ALWAYS | CONSTANT), IN(random, exponential, ALWAYS | CONSTANT),
    IN(random, poisson, ALWAYS | CONSTANT), IN(random, multinomial, ALWAYS | CONSTANT),
    IN(random, choice, ALWAYS | COMPOSED), IN(random, shuffle, EVERY | COMPOSED),
    IN(losses, mse_loss, ALWAYS | COMPOSED),
    IN(losses, binary_losses, INNER), IN(losses, binary_cross_entropy, ALWAYS | COMPOSED),
    IN(losses, nll_loss, ALWAYS | COMPOSED), IN(losses, cross_entropy, ALWAYS | COMPOSED),
    IN(linear_algebra, einsum, FUNCTION | COMPOSED), IN(linear_algebra, tensordot, ALWAYS | COMPOSED),
    IN(linear_algebra, vecdot, ALWAYS | COMPOSED), IN(linear_algebra, cross, ALWAYS | COMPOSED),
    IN(linear_algebra, kron, ALWAYS | COMPOSED), IN(linear_algebra, trace, ALWAYS | COMPOSED),
    IN(linear_algebra, matrix_power, ALWAYS | COMPOSED), IN(linear_algebra, cdist, ALWAYS),
    IN(linear_algebra, vector_norm, ALWAYS | COMPOSED), IN(linear_algebra, matrix_norm, ALWAYS | COMPOSED),
    IN(linear_algebra, matrix_rank, ALWAYS | CONSTANT), IN(linear_algebra, pinv, ALWAYS | COMPOSED),
    IN(linear_algebra, lstsq, ALWAYS | COMPOSED),
    IN(combinations, reduction, FUNCTION | CONSTANT), IN(combinations, reduce, ALWAYS), IN(combinations, scan, ALWAYS),
    IN(printing, set_printoptions, FUNCTION | BRIEF), IN(printing, get_printoptions, FUNCTION | BRIEF),
    /* of tables of columns, for their metatables */
    IN(printing, tostring, INNER | CONSTANT), IN(printing, html, INNER | CONSTANT), IN(rows, table, INNER), IN(rows, length, INNER),
    IN(rows, column, INNER | CONSTANT),
    {"line_width", bind_values, 0, INNER | CONSTANT, "", line_width}, {"nearest", nearest, 0, INNER | CONSTANT},
    {"raised", raised, 0, INNER | CONSTANT}, {"call_script", call_script, 0, INNER | COMPOSED | CHECKED, "f"},
    {"text", text, 0, INNER | CONSTANT | CHECKED, "*"}, {"printable", printable, 0, INNER | CONSTANT | CHECKED, "s"},
    {"is_open", is_open, 0, INNER | CONSTANT}, {"beside", beside, 0, INNER | CONSTANT | CHECKED, "t"}, {"missed", bind_missed, 0, INNER},
    {"column_method", bind_column_method, 0, INNER | CONSTANT | CHECKED, "f"},
    {"has_float64", bind_values, 0, INNER | CONSTANT, "self:tensor", has_float64},
    {NULL},
};
/* clang-format on */
